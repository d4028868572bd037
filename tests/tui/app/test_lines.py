"""Styled lines keep their text whatever is done to them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inro_tui.lines import Line, clip, fold, marked, portion, spread, width_of
from inro_tui.wrap import cells

texts = st.text(alphabet="ab 漢字。", max_size=40)
spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=5)


def plain(line: Line) -> str:
    return "".join(text for text, _ in line)


@given(texts, spans)
def test_marking_keeps_the_text_and_marks_exactly_the_spans(text: str, wanted: list[tuple[int, int]]) -> None:
    line = marked(text, wanted, "plain", "mark")
    assert plain(line) == text
    lit = [style == "mark" for piece, style in line for _ in piece]
    assert lit == [any(start <= i < end for start, end in wanted) for i in range(len(text))]


@given(texts, st.integers(0, 40), st.integers(0, 40))
def test_a_portion_is_a_slice(text: str, start: int, end: int) -> None:
    line = marked(text, [(3, 7)], "plain", "mark")
    assert plain(portion(line, start, max(start, end))) == text[start : max(start, end)]


@given(texts, st.integers(4, 30))
def test_folded_and_clipped_lines_fit(text: str, width: int) -> None:
    line = marked(text, [(2, 5)], "plain", "mark")
    rows = fold((("x" + text, "plain"),), width, limit=2)
    # A space may hang over the edge, where it is not seen.
    assert all(cells(plain(row).rstrip(" ")) <= width for row in rows)
    assert width_of(clip(line, width)) <= width


def test_a_clipped_line_says_that_it_goes_on() -> None:
    assert plain(clip((("silica", "plain"), (" gel", "mark")), 7)) == "silica⋯"
    assert plain(clip((("silica", "plain"), (" gel", "mark")), 6)) == "silic⋯"


def test_the_right_hand_part_stays_when_the_left_is_long() -> None:
    line = spread((("a very long title indeed", "bold"),), (("12", "dim"),), 16)
    assert plain(line) == "a very long ⋯ 12"
