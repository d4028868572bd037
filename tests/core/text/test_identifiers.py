"""Identifiers: which there are, which are one, which name a thing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.analyse import Analyser
from inro.text.identifiers import find, pins, whole

ALPHABET = "S-1041 ISO9408:2009/v1.2第十18条part doi10.1000()_@#+CASgpt検\n％－"
texts = st.text(alphabet=st.one_of(st.sampled_from(ALPHABET), st.characters(codec=None)), max_size=50)


@pytest.mark.parametrize(
    "text",
    ["S-1041", "ISO 9408", "ISO 9408:2009", "第18条", "第十八条", "Part 9", "part 9", "7732-18-5", "10.1000/xyz",
     "2026.4.10", "v1.2.3", "gpt-4", "GPT-4", "Bi₂Te₃", "SOP-017", "M-1204-B", "RFC2119", "JIS B 0205", "COVID-19",
     "Ti-6Al-4V", "foo_bar", "a@example.org", "C++", "Fig. 3", "Windows 10", "IEC 61508-3", "JIS B0205",
     "10.1016/S0021-9258(19)50881-X"],
)  # fmt: skip
def test_a_name_of_a_thing_is_pinned_as_it_is_written(text: str) -> None:
    assert [(pin.text, pin.start, pin.end) for pin in pins(text)] == [(text, 0, len(text))]
    found = pins(f"what does {text} say?")
    assert [pin.text for pin in found] == [text]
    assert found[0].key == pins(text)[0].key


@pytest.mark.parametrize(
    "text",
    ["real-time", "e-mail", "and/or", "1990-1995", "3/4", "10:30", "300K", "5cm", "0.3MPa", "1st", "3D", "1,000",
     "3.14", "in 2004", "about 500", "grew 5%", "May 2020", "第一人者", "plain words", "2024年", "検知機構", ""],
)  # fmt: skip
def test_words_amounts_and_ranges_are_not_pinned(text: str) -> None:
    assert pins(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CAS 7732-18-5", ["7732-18-5"]),
        ("version 2026.4.10", ["2026.4.10"]),
        ("DOI 10.1000/xyz", ["10.1000/xyz"]),
        ("https://doi.org/10.1000/xyz", ["10.1000/xyz"]),
        ("S-1041/S-1042", ["S-1041", "S-1042"]),
        ("ISO/IEC 27001:2022", ["ISO/IEC 27001:2022"]),
        ("S-1041と第18条、ＩＳＯ　９４０８", ["S-1041", "第18条", "ＩＳＯ　９４０８"]),
    ],
)
def test_what_is_pinned_is_the_name_and_not_what_stands_around_it(text: str, expected: list[str]) -> None:
    assert [pin.text for pin in pins(text)] == expected


@given(texts)
def test_the_index_holds_every_identifier_that_is_found(text: str) -> None:
    indexed = set(Analyser().batch([text]).keys.tolist())
    for identifier in find(text):
        assert identifier.key in indexed
        assert text[identifier.start : identifier.end] == identifier.text


@given(texts)
def test_an_identifier_is_found_again_in_its_own_spelling(text: str) -> None:
    for pin in pins(text):
        assert pin.key in {again.key for again in find(pin.text)}


@given(texts)
def test_strict_finds_the_pinworthy_ones_in_the_same_order(text: str) -> None:
    assert find(text, strict=True) == [each for each in find(text) if each.pinworthy]


@given(texts)
def test_whole_identifiers_do_not_lie_in_one_another(text: str) -> None:
    kept = whole(find(text))
    assert all(a.start <= b.start and a.end < b.end for a, b in itertools.pairwise(kept))
