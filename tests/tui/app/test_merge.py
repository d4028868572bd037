"""What is under the cursor stays there while results arrive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inro.records import Hit
from inro_tui.merge import Found, merge, titles_typed


def hit(chunk: int, title: str = "t", score: float = 1.0) -> Hit:
    return Hit(1, score, chunk, "p", title, "", None, chunk, 0, 1, "s", 0, (), "s", (), ())


def found(*chunks: int) -> list[Found]:
    return [Found(hit(chunk)) for chunk in chunks]


def chunks(rows: list[Found]) -> list[int]:
    return [row.hit.chunk for row in rows]


def test_a_list_nobody_touched_takes_the_new_order() -> None:
    assert chunks(merge(found(1, 2, 3), found(3, 9, 1), None)) == [3, 9, 1]


def test_rows_down_to_the_cursor_keep_their_places() -> None:
    assert chunks(merge(found(1, 2, 3, 4), found(9, 4, 2, 1), ("chunk", 2))) == [1, 2, 9, 4]


def test_a_row_that_did_not_come_again_stays_while_it_is_under_the_cursor() -> None:
    assert chunks(merge(found(1, 2), found(8), ("chunk", 2))) == [1, 2, 8]


def test_a_kept_row_takes_its_new_score() -> None:
    merged = merge(found(1, 2), [Found(hit(2, score=5.0)), Found(hit(1, score=4.0))], ("chunk", 2))
    assert [(row.hit.chunk, row.hit.score) for row in merged] == [(1, 4.0), (2, 5.0)]


def test_a_document_row_and_its_passage_are_two_rows() -> None:
    rows = [Found(hit(1), by_title=True), Found(hit(1))]
    assert len(merge([], rows, None)) == 2


@given(
    st.lists(st.integers(0, 12), unique=True, max_size=8),
    st.lists(st.integers(0, 12), unique=True, max_size=8),
    st.integers(0, 7),
)
def test_the_cursor_row_never_moves_and_nothing_comes_twice(shown: list[int], arriving: list[int], place: int) -> None:
    held = ("chunk", shown[place]) if place < len(shown) else None
    merged = chunks(merge(found(*shown), found(*arriving), held))
    assert len(set(merged)) == len(merged)
    assert set(arriving) <= set(merged)
    if held:
        assert merged[: place + 1] == shown[: place + 1]


def test_a_title_row_needs_every_word_that_was_typed() -> None:
    hits = [hit(1, "乾燥庫の使い方"), hit(2, "Ｈumidity log"), hit(3, "Furnace")]
    assert chunks(titles_typed("乾燥庫", hits)) == [1]
    assert chunks(titles_typed("LOG humidity", hits)) == [2]
    assert chunks(titles_typed("how humid was the log", hits)) == []
    assert titles_typed("", hits) == []
