"""Folding makes alike what looks or means alike, and knows the way back."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native import chars
from inro_native.folding import fold, key_form, normalise, unwrap

# Characters that fold in every way there is: to less, to more, to nothing, with their neighbours, in chains.
TROUBLE = (
    "aÀÅﬁß\u0301\u0308\u0327\u0345か\u3099\u309aﾊﾞﾟ㌔㈱①²℃Ⅻ한\u1112\u1161\u11ab"
    "\u200b\u200d\u00ad\ufe0f\ufeff検知\n\r \t\u3000𠮷İς"
)
texts = st.text(alphabet=st.one_of(st.sampled_from(TROUBLE), st.characters(codec=None)), max_size=40)


def keys_of(text: str) -> str:
    return chars.string(key_form(fold(text).chars))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("サーバー", "さーばー"),
        ("ＩＳＯ", "iso"),
        ("が", "か\u3099"),
        ("café", "cafe\u0301"),
        ("ﾊﾟ", "パ"),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("㌔", "キロ"),
        ("Bi₂Te₃", "bi2te3"),
        ("①", "1"),
        ("关\ufe00系", "关系"),
        ("infor\u00admation", "information"),
        ("ヶ", "ケ"),
        ("すゞ", "スヾ"),
        ("9−1", "9‐1"),
        ("can’t", "can't"),
        ("٢٠٢٦", "2026"),
    ],
)
def test_variants_have_one_key_form(one: str, other: str) -> None:
    assert keys_of(one) == keys_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("は", "ば"), ("つ", "っ"), ("人", "入"), ("ー", "-"), ("e", "é"), ("1", "l")]
)
def test_what_means_different_things_stays_apart(one: str, other: str) -> None:
    assert keys_of(one) != keys_of(other)


@pytest.mark.parametrize("wrap", ["\n", "\r\n", "\r", "  \n\u3000 ", "\u2028", "\u200b"])
def test_a_cjk_word_broken_by_a_line_end_is_whole(wrap: str) -> None:
    folded = fold(f"検知{wrap}機構")
    assert folded.text == "検知機構"
    assert folded.original(1, 3) == (1, 3 + len(wrap))


@pytest.mark.parametrize("gap", ["\n\n", "\n \n", "\r\n\r\n", "\f", " ", "\n- ", "。\n"])
def test_a_blank_line_a_page_end_and_a_mere_blank_still_part(gap: str) -> None:
    assert "検知機構" not in fold(f"検知{gap}機構").text


def test_lines_of_words_that_are_set_apart_by_blanks_are_not_run_together() -> None:
    assert fold("one\ntwo\n漢字\nthree\n한국\n어").text == "one\ntwo\n漢字\nthree\n한국\n어"


def test_a_zero_width_space_parts_latin_words() -> None:
    assert fold("foo\u200bbar").text.split() == ["foo", "bar"]


@given(texts)
def test_the_text_is_what_unicode_says_it_is(text: str) -> None:
    """NFKC_Casefold by its definition, from another implementation: NFKC(fold(NFKC(fold(NFD)))), ignorables out."""
    assigned = "".join(c for c in text if unicodedata.category(c) not in ("Cn", "Cs", "Co", "Cf", "Mn", "Lo", "So"))
    expected = unicodedata.normalize(
        "NFKC", unicodedata.normalize("NFKC", unicodedata.normalize("NFD", assigned).casefold()).casefold()
    )
    assert normalise(assigned) == unicodedata.normalize("NFKC", expected)


@given(texts)
def test_the_way_back_is_monotone_and_stays_within_the_text(text: str) -> None:
    folded = fold(text)
    start, end = folded.start.astype(np.int64), folded.end.astype(np.int64)
    assert len(folded.text) == folded.chars.size == start.size == end.size
    assert (np.diff(start) >= 0).all()
    assert (np.diff(end) >= 0).all()
    assert (start < end).all()
    assert end.size == 0 or end.max() <= len(text)


@given(texts)
def test_each_character_folds_to_what_it_was_matched_as(text: str) -> None:
    """The original span of a folded character, folded by itself, holds that character."""
    folded = fold(text)
    for i, character in enumerate(folded.text):
        a, b = folded.original(i, i + 1)
        assert character in normalise(text[a:b])


@given(texts)
def test_what_no_folded_character_came_from_is_a_wrap_or_ignorable(text: str) -> None:
    folded = fold(text)
    covered = np.zeros(len(text), bool)
    for a, b in zip(folded.start.tolist(), folded.end.tolist(), strict=True):
        covered[a:b] = True
    assert all(not normalise(c).strip() for c, is_covered in zip(text, covered, strict=True) if not is_covered)


@given(texts, texts)
def test_folding_twice_changes_nothing_more(one: str, other: str) -> None:
    once = fold(one + other).text
    assert normalise(once) == once


@given(texts)
def test_normalising_and_unwrapping_in_bulk_is_folding(text: str) -> None:
    points = chars.code_points(normalise(text))
    assert chars.string(points[unwrap(points)]) == fold(text).text


@given(texts)
def test_the_key_form_is_one_for_one(text: str) -> None:
    points = fold(text).chars
    once = key_form(points)
    assert once.size == points.size
    assert key_form(once).tolist() == once.tolist()


def test_plain_text_folds_to_itself() -> None:
    folded = fold("plain text")
    assert folded.text == "plain text"
    assert folded.start.tolist() == list(range(10))


def test_lone_surrogates_and_controls_pass_through() -> None:
    folded = fold("a\ud800\udc00\x00b")
    assert folded.text == "a\ufffd\ufffd\x00b"
    assert folded.original(4, 5) == (4, 5)


def test_an_empty_span_has_no_original() -> None:
    with pytest.raises(ValueError, match="span"):
        fold("abc").original(1, 1)
