"""Exact fields as placeholders, there and back."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.answer.citations import cited_sentences
from inro.answer.placeholders import Fields, Flow, spans

FIELDS = (
    "https://example.com/a_(b)?q=1&r=%20#top",
    "http://192.168.0.1:8080/x",
    "https://[::1]/status",
    "www.example.co.jp/oven",
    "anna.maria+lab@example.co.jp",
    "10.1021/ja00124a001",
    "10.1002/(SICI)1097-4636(199823)43:4",
    "978-4-00-310101-8",
    "7732-18-5",
    "550e8400-e29b-41d4-a716-446655440000",
    "/usr/local/share/inro/notes.md",
    "images/2024/fig-1.png",
    r"C:\Users\anna\report.docx",
    "file:///home/anna/a.txt",
    "{L1}",
    "{L12}",
)
WORDS = (
    "炉は",
    " is in ",
    "。",
    ", ",
    " [1] ",
    "（図）",
    "\n",
    "{",
    "}",
    "{L",
    "L1",
    "48.5 hours",
    "a/b",
    "2024/05/01",
    "🙂",
)

text_with_fields = st.lists(st.sampled_from(FIELDS) | st.sampled_from(WORDS) | st.text(max_size=8), max_size=12).map(
    " ".join
)
pieces = st.lists(st.integers(min_value=1, max_value=5), min_size=1)


def split(text: str, sizes: list[int]) -> list[str]:
    parts, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        parts.append(text[at : at + size])
        at, turn = at + size, turn + 1
    return parts


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("around", ["{}", "炉は {} にある。", "See {}, then go on.", "({})", "それは、{}。"])
def test_a_field_is_hidden_whole_and_nothing_beside_it(field: str, around: str) -> None:
    text = around.format(field)
    fields = Fields()
    hidden = fields.hide(text)
    assert hidden == around.format("{L1}")
    assert fields.restore(hidden).text == text
    assert fields.restore(hidden).fields == (field,)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("![図1](images/図 1.png)", ""),
        ("![図1](images/図1.png)", "images/図1.png"),
        ('[手順](<手順 2.md> "題")', "手順 2.md"),
        ("[wiki](https://ja.wikipedia.org/wiki/日本_(曖昧))", "https://ja.wikipedia.org/wiki/日本_(曖昧)"),
        ("![[配置図.png|300]]", "配置図.png"),
        ('<img src="figs/oven.svg">', "figs/oven.svg"),
        ("ISBN 4-00-310101-4 を参照", "4-00-310101-4"),
        ("arXiv:2101.00001v2", "2101.00001v2"),
        ("arXiv: hep-th/9901001", "hep-th/9901001"),
        ("詳細はhttps://example.com/aを参照", "https://example.com/a"),
    ],
)
def test_the_address_inside_its_markup_is_the_field(text: str, field: str) -> None:
    found = [text[a:b] for a, b in spans(text)]
    assert found == ([field] if field else [])


@pytest.mark.parametrize(
    "text",
    [
        "48.5 h, 1,200 units, 2024-05-01, 2024/05/01, 3/4, S-1041, ISO 9408:2009, and/or, km/h",
        "7732-18-4 has a wrong check digit",
        "令和8年4月1日、TEL 03-1234-5678、10.5 %、a@b",
        "{L} {L123456} {{L}} {M1} L1",
        "http:// www. mailto:",
    ],
)
def test_numbers_codes_and_dates_stay_words_of_the_text(text: str) -> None:
    assert Fields().hide(text) == text


def test_one_address_in_two_passages_has_one_placeholder() -> None:
    fields = Fields()
    assert fields.hide("a https://example.com/a b") == "a {L1} b"
    assert fields.hide("c https://example.com/b and https://example.com/a.") == "c {L2} and {L1}."
    assert len(fields) == 2


def test_what_looks_like_a_placeholder_in_a_document_is_not_taken_for_one() -> None:
    fields = Fields()
    hidden = fields.hide("Write {L2} here, see https://example.com")
    assert hidden == "Write {L1} here, see {L2}"
    assert fields.restore(hidden).text == "Write {L2} here, see https://example.com"
    assert fields.hide("or {l2}") == "or {L3}", "in small letters too, since a model may write it so"
    assert fields.restore("{l2}").text == "https://example.com"


def test_an_invented_placeholder_is_known_and_does_not_survive() -> None:
    fields = Fields()
    fields.hide("https://example.com")
    restored = fields.restore("See {L1} or {L7}.")
    assert restored.text == "See https://example.com or …."
    assert restored.invented == ("{L7}",)


@given(text_with_fields)
def test_what_was_hidden_comes_back_character_for_character(text: str) -> None:
    fields = Fields()
    restored = fields.restore(fields.hide(text))
    assert restored.text == text
    assert restored.invented == ()


@given(text_with_fields)
def test_no_field_is_left_in_what_a_model_is_given(text: str) -> None:
    assert all(re.fullmatch(r"\{L\d+\}", hidden) for hidden in _fields_of(Fields().hide(text)))


@given(text_with_fields)
def test_a_field_holds_nothing_that_may_not_be_drawn(text: str) -> None:
    for a, b in spans(text):
        assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in text[a:b])


@given(text_with_fields, st.text(alphabet="a{}Ll1234 。", max_size=30), pieces)
def test_a_stream_never_shows_half_a_placeholder(text: str, said: str, sizes: list[int]) -> None:
    fields = Fields()
    hidden = fields.hide(text) + said
    shown = ""
    whole = fields.restore(hidden).text
    flow = Flow(fields)
    for piece in split(hidden, sizes):
        shown += flow.feed(piece)
        assert whole.startswith(shown), "what is shown is never taken back"
    shown += flow.end()
    # a placeholder that was cut off by the end of the text is left out
    assert whole.startswith(shown) and re.fullmatch(r"(?:\{[Ll]\d{0,5})?", whole[len(shown) :])


@given(st.dictionaries(st.sampled_from(FIELDS), st.integers(1, 9), min_size=1, max_size=5))
def test_sentences_and_their_citations_are_the_same_whatever_the_address_in_them(said: dict[str, int]) -> None:
    fields = Fields()
    hidden = " ".join(fields.hide(f"The oven is at {field} today [{n}].") for field, n in said.items())
    found = [(fields.restore(text).text, numbers) for text, numbers in cited_sentences(hidden)]
    assert found == [(f"The oven is at {field} today.", (n,)) for field, n in said.items()]


def _fields_of(text: str) -> list[str]:
    return [text[a:b] for a, b in spans(text)]
