"""Stems: other forms of a Latin word, never of anything else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.stems import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [("running", "run"), ("companies", "compani"), ("company's", "compani"), ("cafés", "cafe"), ("café", "cafe")],
)
def test_accents_and_endings_come_off(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", ["run", "the", "it", "さーばー", "検知", "москва", "gpt4", "1041", "", "a" * 33])
def test_what_is_its_own_stem_or_not_latin_has_none(word: str) -> None:
    assert stem(word) == ""


@given(st.text(max_size=40))
def test_a_stem_is_never_the_word_itself(word: str) -> None:
    assert stem(word) != word or word == ""
