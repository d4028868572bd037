"""Snippets: verbatim, wide enough to read, marked where the query is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inro.search import snippet
from inro.text.analyse import Analyser

ANALYSER = Analyser()


def of(text: str, query: str) -> tuple[int, str, list[str]]:
    keys, worth = ANALYSER.query(query).asked()
    start, shown, marks = snippet.of(ANALYSER, text, dict(zip(keys.tolist(), worth.tolist(), strict=True)))
    return start, shown, [shown[a:b] for a, b in marks]


def test_the_sentence_that_says_it_is_shown_and_marked() -> None:
    text = "Nothing here. " * 30 + "The kiln was cleaned on Monday. " + "Nothing there. " * 30
    _, shown, marks = of(text, "kiln Monday")
    assert "The kiln was cleaned on Monday." in shown
    assert {"kiln", "Monday"} <= set(marks)


def test_japanese_words_are_marked_whole() -> None:
    _, shown, marks = of("試料は乾燥庫に入れる。扉は閉める。", "乾燥庫")
    assert "乾燥庫" in shown
    assert marks == ["乾燥庫"]


def test_a_sentence_wider_than_the_snippet_is_cut_around_the_match() -> None:
    text = "あ" * 500 + "乾燥庫" + "い" * 500
    _, shown, marks = of(text, "乾燥庫")
    assert marks == ["乾燥庫"]
    assert snippet.cells(shown) <= snippet.WIDTH


def test_full_width_and_half_width_forms_are_marked_where_they_stand() -> None:
    _, _, marks = of("記号は ＩＳＯ ９４０８ である。", "ISO 9408")
    assert "ＩＳＯ ９４０８" in " ".join(marks)


@given(st.text(max_size=400), st.text(max_size=20))
def test_a_snippet_is_a_slice_and_its_marks_lie_inside_in_order(text: str, query: str) -> None:
    start, shown, _ = of(text, query)
    assert text[start : start + len(shown)] == shown
    keys, worth = ANALYSER.query(query).asked()
    _, _, marks = snippet.of(ANALYSER, text, dict(zip(keys.tolist(), worth.tolist(), strict=True)))
    ends = [0]
    for a, b in marks:
        assert ends[-1] <= a < b <= len(shown)
        ends.append(b)


def test_only_a_markdown_document_is_shown_without_marks() -> None:
    text = "## Heating\n\nHeat **K-204** as in [[SOP-016|the SOP]]."
    at = text.index("K-204")
    window, found = (at - 7, len(text)), [(7, 12)]
    assert snippet.shown("markdown/1", text, window, found) == ("Heat K-204 as in the SOP.", ((5, 10),))
    for reader in ("plain/2", "pdf/2", "docx/1", "source/3", ""):
        assert snippet.shown(reader, text, window, found) == (text[at - 7 :], ((7, 12),))
