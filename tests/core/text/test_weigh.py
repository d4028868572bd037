"""Weights: what each term says about what was meant."""

from __future__ import annotations

import pytest

from inro.text import keys
from inro.text.analyse import Analyser, kind


def weights(query: str, wanted: int) -> dict[str, float]:
    terms = Analyser().query(query)
    return {terms.surface(i): float(terms.weight[i]) for i, k in enumerate(kind(terms.keys).tolist()) if k == wanted}


def test_a_bigram_of_grammar_says_less_than_one_of_content() -> None:
    pairs = weights("検知の機構", keys.BIGRAM)
    assert pairs["検知"] == pairs["機構"] > pairs["知の"] == pairs["の機"]


def test_katakana_is_content_though_it_is_keyed_as_hiragana() -> None:
    assert weights("サーバ", keys.BIGRAM)["さー"] == weights("検知", keys.BIGRAM)["検知"]


def test_an_ideograph_that_is_no_part_of_a_known_word_carries_a_name() -> None:
    single = weights("検知と𠮷と", keys.CHARACTER)
    assert single["𠮷"] > single["検"] > single["と"]


def test_a_stem_is_worth_less_than_its_word() -> None:
    terms = Analyser().query("running")
    by_kind = dict(zip(kind(terms.keys).tolist(), terms.weight.tolist(), strict=True))
    assert 0 < by_kind[keys.STEM] < max(terms.weight)


def test_everything_that_is_found_is_worth_something() -> None:
    assert (Analyser().query("検知 running S-1041 第18条 ★ 한국 ภาษา").weight > 0).all()


@pytest.mark.parametrize(
    ("query", "asks", "tells"),
    [
        ("what is a kiln", "what", "kiln"),
        ("検知の機構はどこですか", "どこ", "機構"),
        ("铁路的职业是什么", "什么", "职业"),
    ],
)
def test_a_word_that_asks_is_worth_less_than_what_it_asks_about(query: str, asks: str, tells: str) -> None:
    words = weights(query, keys.WORD)
    assert 0 < words[asks] < words[tells]


def test_the_terms_of_a_text_are_not_weighed() -> None:
    assert (Analyser().terms("what is 検知の機構").weight == 1).all()
