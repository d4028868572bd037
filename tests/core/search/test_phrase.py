"""Phrases: what counts as saying the same words, and which terms a text that says them is sure to have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.search.phrase import Phrase
from inro.text.analyse import Analyser

ANALYSER = Analyser()
WORDS = st.lists(
    st.sampled_from(
        ["焼結", "サーバー", "kiln", "S-1041", "the", "2", "人々", "Bi₂Te₃", "gpt-4", "、", "한국어", "𠮷野家", "の"]
    ),
    min_size=1,
    max_size=5,
)


def says(text: str, phrase: str) -> bool:
    return Phrase.of(ANALYSER, phrase).within(text)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The  kiln\nwas hot", "kiln was"),
        ("ＫＩＬＮ", "kiln"),
        ("放電プラズ\nマ焼結", "プラズマ"),
        ("放電プラズ\r\n  マ焼結", "プラズマ"),
        ("S-1041 の密度", "S-1041の密度"),
        ("S-1041の密度", "S-1041 の密度"),
        ("か\u3099くを見る", "がくを"),
        ("ｻｰﾊﾞｰ２", "サーバー2"),
        ("gpt\u20114 is", "GPT-4"),
        ("(kiln)", "kiln"),
    ],
)
def test_the_same_words_in_another_form_are_the_phrase(text: str, phrase: str) -> None:
    assert says(text, phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("kilns", "kiln"),
        ("S-10411", "S-1041"),
        ("was the kiln", "the was"),
        ("焼結\n\n温度", "焼結温度"),
        ("kiln\n\nwas", "kiln was"),
        ("", "kiln"),
        ("kiln", ""),
        ("한국 어", "한국어"),
    ],
)
def test_other_words_are_not(text: str, phrase: str) -> None:
    assert not says(text, phrase)


def test_a_later_place_counts_where_an_earlier_one_is_inside_a_word() -> None:
    assert says("kilns and a kiln", "kiln")


@given(WORDS, WORDS, WORDS, st.sampled_from(["", " ", "\n"]))
def test_a_text_that_says_a_phrase_has_all_its_sure_terms(
    before: list[str], words: list[str], after: list[str], between: str
) -> None:
    inner = " ".join(words)
    text = between.join([" ".join(before), inner, " ".join(after)])
    phrase = Phrase.of(ANALYSER, inner)
    if phrase.within(text):
        assert np.isin(phrase.keys, ANALYSER.terms(text).keys).all()
        assert not phrase.any_keys.size or np.isin(phrase.any_keys, ANALYSER.terms(text).keys).any()


@given(WORDS)
def test_a_phrase_says_itself(words: list[str]) -> None:
    text = " ".join(words)
    assert says(f"x、{text}。y", text)
