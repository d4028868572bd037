"""A library that the first release wrote, kept as it was: every later release opens it, or migrates it by name."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

from inro.index.lexical import LexicalIndex, LexicalQuery
from inro.index.verify import verify
from inro.store import chunks, meta, schema, sources, titles, units
from inro.store.connect import Store
from inro.store.migrate import migrate
from inro.text.analyse import Analyser

KEPT = Path(__file__).parent / "data" / "0.1.0.inro.xz"


@pytest.fixture
def first(tmp_path: Path) -> Store:
    file = tmp_path / "first.inro"
    file.write_bytes(lzma.decompress(KEPT.read_bytes()))
    return Store(file)


def test_it_migrates_and_is_sound(first: Store) -> None:
    assert migrate(first) == (1, schema.FORMAT)
    assert list(verify(first)) == []
    with first.reading() as con:
        assert meta.get(con, "embedder_name") == "made up"
        assert [source.outcome for source in sources.every(con)] == ["synced"]
        assert not sources.every(con)[0].present(first.path)


def test_what_was_found_in_it_is_found_in_it(first: Store) -> None:
    migrate(first)
    with first.reading() as con:
        index = LexicalIndex.load(units.load(con, units.LEXICAL), units.deleted(con, units.LEXICAL))
        for query, path in (("S-1041", "oven.md"), ("湿度", "乾燥.md"), ("样品", "标准.md"), ("Tuesday", "trap.txt")):
            keys = np.unique(Analyser().query(query).keys)
            found = index.search(LexicalQuery(keys, np.ones(keys.size, np.float32)), 5)
            assert chunks.fetch(con, found.chunk_ids)[0].path == path
        assert {chunk.path for chunk in chunks.fetch(con, chunks.owners(con)[0])} == {
            "oven.md", "乾燥.md", "标准.md", "trap.txt",
        }  # fmt: skip
        assert titles.search_titles(con, "oven", 3)


def test_a_text_is_as_it_was_last_read(first: Store) -> None:
    migrate(first)
    with first.reading() as con:
        texts = [text for (text,) in con.execute("SELECT text FROM texts ORDER BY text").fetchall()]
    assert any("on Tuesday" in text for text in texts)
    assert not any("on Monday" in text for text in texts)
