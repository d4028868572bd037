"""Lines fit their cells, lose nothing, and break where a reader expects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inro_tui.wrap import Rows, breaks, cells, cut, cut_middle

texts = st.text(alphabet="ab cd-/漢字かなー、。「」ｱ％x\n\t", max_size=80)


@given(texts, st.integers(2, 24))
def test_rows_fit_and_together_are_the_text(text: str, width: int) -> None:
    spans = breaks(text, width)
    at = 0
    for start, end in spans:
        assert text[at:start] in ("", "\n")
        shown = text[start:end]
        assert "\n" not in shown
        # One character may be wider than a very narrow row; spaces may hang over the edge.
        assert cells(shown.rstrip(" ")) <= max(width, 4)
        at = end
    assert at == len(text)


@given(texts)
def test_wide_enough_a_row_is_a_line(text: str) -> None:
    assert [text[start:end] for start, end in breaks(text, 1000)] == text.split("\n")


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("the silica gel", 9, ["the ", "silica ", "gel"]),
        ("シリカゲルは青い。", 16, ["シリカゲルは青", "い。"]),
        ("「引用」は「終わり」", 10, ["「引用」は", "「終わり」"]),
        ("再生は120℃で", 9, ["再生は", "120℃で"]),
        ("sop/long-name.md", 10, ["sop/long-", "name.md"]),
        ("cut from S-1041.", 12, ["cut from ", "S-1041."]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
    ],
)
def test_breaks_fall_where_a_reader_expects(text: str, width: int, rows: list[str]) -> None:
    assert [text[start:end] for start, end in breaks(text, width)] == rows


@given(st.text(alphabet="ab漢字ー。", max_size=30), st.integers(1, 20))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert cells(cut(text, width)) <= width or cells(text) <= width
    assert cells(cut_middle(text, width)) <= max(width, 1)


def test_a_cut_path_keeps_its_file_name() -> None:
    assert cut_middle("a/very/long/way/to/the/乾燥庫.md", 16) == "a/ver⋯/乾燥庫.md"


@given(st.text(alphabet="ab漢字ーｱ", max_size=20))
def test_widths_are_those_of_the_drawing_layer(text: str) -> None:
    assert cells(text) == cell_len(text)


def test_the_row_of_an_offset_is_the_row_that_shows_it() -> None:
    rows = Rows("one two three\nfour", 8)
    for offset in range(len(rows.text)):
        start, end = rows.spans[rows.row_of(offset)]
        assert start <= offset < end or rows.text[offset] == "\n"
