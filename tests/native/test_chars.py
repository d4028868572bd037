"""Characters are classed by Unicode property."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native import chars


def classes_of(text: str) -> list[int]:
    return [int(k) for k in chars.classes()[chars.code_points(text)]]


def test_signs_that_form_cjk_words_are_classed_with_their_script() -> None:
    assert classes_of("々〆〇") == [chars.HAN] * 3
    assert classes_of("ーゝゞヽヾ〱") == [chars.KANA] * 6


def test_ideographs_beyond_the_basic_plane_and_not_yet_assigned_are_ideographs() -> None:
    assert classes_of("𠮷\U0002ebf5\U0003fff0") == [chars.HAN] * 3


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ひカｱㄅ", chars.KANA),
        ("가ᄀ", chars.HANGUL),
        ("aéßſ", chars.LATIN),
        ("дλקไ", chars.LETTER),
        ("0９٣", chars.DIGIT),
        ("★→℃☎😀\ue000", chars.SYMBOL),
        ("\u0301\u3099"[:1], chars.MARK),
        (" \u3000\u00a0\t", chars.SPACE),
        ("\n\r\u2028\u0085", chars.BREAK),
        ("。、・「」.,-|─█\x00\ufffd", chars.OTHER),
    ],
)
def test_each_class_holds_what_its_name_says(text: str, kind: int) -> None:
    assert classes_of(text) == [kind] * len(text)


def test_the_tables_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        chars.classes()[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        chars.having("[:L:]")[0] = True


def test_a_pattern_that_does_not_parse_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"\[:Nonsense:\]"):
        chars.members("[:Nonsense:]")


@given(st.text(alphabet=st.characters(codec=None)))
def test_code_points_and_strings_are_each_other_s_inverse_even_for_lone_surrogates(text: str) -> None:
    points = chars.code_points(text)
    assert points.tolist() == [ord(c) for c in text]
    assert chars.string(points) == text
