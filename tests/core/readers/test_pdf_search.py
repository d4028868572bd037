"""From PDF files to hits: words over line, column and page ends are found, and the page is the right one."""

from __future__ import annotations

from collections.abc import Iterator

import pages
import pytest

from inro.config import Settings
from inro.library import Library

FIRST = "試験の前に、すべての試料を室温で硝酸銀水"
SECOND = "溶液に浸す。次の段階では乾燥庫で一晩乾燥する。"
DOWN = ["　第一に、硫化物の応力腐食", "割れについて、ここに報告", "する。試験片はすべて同じ"]
COLUMNS = "金属組織の観察には走査電子顕微鏡を用いた。倍率は千倍とした。" * 4


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("pdf")
    root = folder / "papers"
    root.mkdir()
    (root / "across.pdf").write_bytes(
        pages.pdf(
            pages.across([FIRST]),
            pages.across([SECOND]),
            pages.across(["The heating rate was kept at the extra-", "ordinary value of 20 K/min."], font="Helvetica"),
        )
    )
    (root / "down.pdf").write_bytes(pages.pdf(pages.down(DOWN)))
    lines = pages.wrapped(COLUMNS, 17)
    (root / "columns.pdf").write_bytes(pages.pdf(pages.both(pages.across(lines[4:], 310), pages.across(lines[:4], 72))))
    (root / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing")
    (root / "locked.pdf").write_bytes(pages.pdf(pages.across(["secret"]), password="x"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INRO_MODELS", str(folder / "none"))
        with Library(folder / "a.inro", Settings(ocr="off")) as made:
            list(made.add([root]))
            yield made


@pytest.mark.parametrize(
    ("query", "path", "page"),
    [
        ("硝酸銀水溶液", "across.pdf", 1),
        ('"硝酸銀水溶液に浸す"', "across.pdf", 1),
        ("一晩乾燥", "across.pdf", 2),
        ("extraordinary value", "across.pdf", 3),
        ('"応力腐食割れ"', "down.pdf", 1),
        ('"走査電子顕微鏡"', "columns.pdf", 1),
    ],
)
def test_a_word_is_found_on_its_page(library: Library, query: str, path: str, page: int) -> None:
    first = library.search(query, lane="lexical").hits[0]
    assert (first.path, first.page) == (path, page)
    assert first.highlights


def test_files_that_cannot_be_read_have_their_outcome(library: Library) -> None:
    lost = {f.path: f.reason for f in library.files("unreadable")}
    assert lost == {"broken.pdf": "damaged, or no PDF", "locked.pdf": "protected by a password"}
    assert all(f.mend for f in library.files("unreadable"))
    assert {f.outcome for f in library.files() if f.path not in lost} == {"ok"}
