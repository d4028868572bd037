"""Nothing a document says may act on the terminal, and every offset still finds its letter."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_tui.sanitise import clean, clean_line, clean_mapped, one_line

NASTY = "\x00\x07\x08\x0b\x1b\x7f\x80\x9b\x9d\r\n\t\u2028\u202e\u2066\u200b\u200d\ufeff\ufe0f\u00ad\U000e0041"
texts = st.text(alphabet=st.one_of(st.sampled_from(NASTY + "ab あ漢𠮷e\u0301[]m3;"), st.characters()), max_size=60)


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]52;c;aGk=\x07after", "]52;c;aGk=after"),
        ("\x9b31mc1", "31mc1"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("pay\u200bpal", "paypal"),
        ("\u2066x\u2069", "x"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("lone \ud83d half", "lone \ufffd half"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("葛\U000e0100城", "葛城"),
        ("が\tか", "が\tか"),
    ],
)
def test_what_could_act_on_the_terminal_is_gone(written: str, drawn: str) -> None:
    assert clean(written) == drawn


@given(texts)
def test_only_line_feeds_and_tabs_are_left_of_all_controls(text: str) -> None:
    for character in clean(text):
        category = unicodedata.category(character)
        assert category not in ("Cs", "Zl", "Zp")
        assert category != "Cc" or character in "\n\t"
    clean(text).encode("utf-8")


@given(texts)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text) or "\x1b" in text


@given(texts)
def test_every_letter_that_stays_is_found_from_both_sides(text: str) -> None:
    cleaned = clean_mapped(text)
    kept = [i for i in range(len(text)) if not any(start <= i < end for start, end in cleaned.removed)]
    assert len(kept) == len(cleaned.text)
    for place, offset in enumerate(kept):
        assert cleaned.forward(offset) == place
        assert cleaned.back(place) == offset
        letter = text[offset]
        assert cleaned.text[place] == letter or letter in "\r\u2028\u2029" or "\ud800" <= letter <= "\udfff"


@given(texts, st.integers(0, 60), st.integers(0, 60))
def test_a_moved_span_holds_what_is_left_of_its_text(text: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    cleaned = clean_mapped(text)
    new_start, new_end = cleaned.span(start, end)
    left = [i for i in range(start, end) if not any(s <= i < e for s, e in cleaned.removed)]
    assert new_end - new_start == len(left)


@given(texts)
def test_on_one_line_every_word_is_still_found(text: str) -> None:
    text = clean(text)
    flat = one_line(text)
    assert flat.text == " ".join(flat.text.split(" ")) and "\n" not in flat.text
    for offset, letter in enumerate(text):
        if not letter.isspace():
            assert flat.text[flat.forward(offset)] == letter


def test_a_title_is_one_line() -> None:
    assert clean_line("  A\ttitle\r\nover \x1b[1mlines \u200b ") == "A title over lines"
