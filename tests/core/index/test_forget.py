"""A source that is forgotten goes with all that was its; the others and the files stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inro.errors import NotFound
from inro.index import pipeline
from inro.index.forget import forget
from inro.records import SyncReport
from inro.store import sources
from inro.store.connect import Store

Sync = Callable[..., SyncReport]


@pytest.mark.parametrize("named", ["number", "path"])
def test_its_documents_go_and_the_others_stay(
    library: Store, look: Any, sync: Sync, notes: Path, tmp_path: Path, named: str, embedder: Any
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "one.md").write_text("# One\n\nA note of its own.\n")
    pipeline.add_sources(library, [other])
    sync(embedder)
    assert forget(library, "2" if named == "number" else str(other)) == 1
    assert set(look.ids()) == {"oven.md", "乾燥.md", "sub/plain.txt", "sub/标准.md", "tagged.md", "photo.bin"}
    assert look.titles("one") == []
    with library.reading() as con:
        assert [source.id for source in sources.every(con)] == [1]
    assert (other / "one.md").exists()
    look.sound()


def test_an_unknown_source_is_an_error_that_says_where_they_are_listed(library: Store, sync: Sync) -> None:
    sync()
    with pytest.raises(NotFound, match="inro status"):
        forget(library, "99")
