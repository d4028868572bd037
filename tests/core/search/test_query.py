"""The query language: what each form means, and that nothing typed is ever an error."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inro.search.query import FILTER_KEYS, Filter, parse


def test_plain_words_are_the_text() -> None:
    query = parse("S-1041 の 密度")
    assert query.text == "S-1041 の 密度"
    assert not query.excluded
    assert not query.filters


def test_a_hyphen_inside_a_word_excludes_nothing() -> None:
    assert parse("real-time gpt-4").excluded == ()


def test_an_option_in_a_question_is_a_word() -> None:
    assert parse("what does --mode do").excluded == ()


def test_a_phrase_is_required_and_also_searched() -> None:
    query = parse('"thermal diffusivity" S-1041')
    assert query.phrases == ("thermal diffusivity",)
    assert query.text == "thermal diffusivity S-1041"


def test_a_minus_before_a_word_or_a_phrase_excludes_it() -> None:
    query = parse('焼結 -割れ -"20 mm"')
    assert query.text == "焼結"
    assert query.excluded == ("割れ", "20 mm")


def test_a_trailing_star_is_a_prefix() -> None:
    assert parse("sinter*").prefixes == ("sinter",)
    assert parse("*").text == "*"


def test_filters_are_taken_out_of_the_text() -> None:
    query = parse("密度 path:experiments/ tag:焼結 type:md -source:2")
    assert query.text == "密度"
    assert query.filters == (
        Filter("path", "experiments/"),
        Filter("tag", "焼結"),
        Filter("type", "md"),
        Filter("source", "2", negated=True),
    )


def test_a_date_filter_is_a_half_open_span_of_days() -> None:
    assert parse("date:2026-04..2026-06").filters == (Filter("date", "2026-04-01", upper="2026-07-01"),)
    assert parse("date:2026-12").filters == (Filter("date", "2026-12-01", upper="2027-01-01"),)
    assert parse("date:..2026-02-28").filters == (Filter("date", "", upper="2026-03-01"),)
    assert parse("date:2026..").filters == (Filter("date", "2026-01-01"),)


def test_a_field_filter_compares() -> None:
    assert parse("field:version>=2").filters == (Filter("field", "2", name="version", compare=">="),)


def test_an_unknown_key_is_text() -> None:
    assert parse("ISO:9408 https://example.org/a").text == "ISO:9408 https://example.org/a"


def test_what_is_malformed_is_searched_as_text_with_a_hint() -> None:
    for text, kept in (("date:soon x", "soon"), ("field:version x", "version"), ('"open x', "open")):
        query = parse(text)
        assert kept in query.text
        assert "x" in query.text
        assert query.hints


def test_exclusions_alone_are_searched_as_words() -> None:
    query = parse("-割れ")
    assert query.text == "割れ"
    assert query.hints


@given(st.text(max_size=60) | st.lists(st.sampled_from(['"', "-", "*", ":", "date:", "a", " ", "焼"])).map("".join))
def test_nothing_typed_is_an_error(text: str) -> None:
    query = parse(text)
    assert all(condition.key in FILTER_KEYS for condition in query.filters)


@given(st.lists(st.text(st.characters(whitelist_categories=["L", "N"]), min_size=1), min_size=1))
def test_plain_words_are_never_lost(words: list[str]) -> None:
    assert parse(" ".join(words)).text.split() == " ".join(words).split()
