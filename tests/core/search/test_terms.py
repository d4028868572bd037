"""A query's terms: what is asked for, in which fields, and for how much."""

from __future__ import annotations

import numpy as np
import pytest

from inro.index.lexical import LexicalIndex, LexicalQuery, build_segment
from inro.search.terms import FIELD_WEIGHTS, SHARPNESS, Alternatives, query_terms
from inro.text.analyse import Analyser
from inro.text.keys import BODY, TITLE, field, with_field

TEXTS = ["the kiln is hot", "the kiln is cold", "the door is shut", "the tellurium is gone", "the room is warm"]


@pytest.fixture(scope="module")
def lexical() -> LexicalIndex:
    batch = Analyser().batch(TEXTS)
    return LexicalIndex.load([(1, build_segment(np.arange(len(TEXTS), dtype=np.int64), {BODY: batch}))], NO_CHUNK)


NO_CHUNK = np.empty(0, np.int64)


def key(word: str) -> int:
    return int(Analyser().terms(word).keys[0])


def test_every_term_is_asked_for_in_every_field_at_the_fields_weight() -> None:
    terms = query_terms(Analyser().query("kiln"))
    by_field = {
        one: weight
        for one, k, weight in zip(field(terms.keys).tolist(), terms.keys.tolist(), terms.weights.tolist(), strict=True)
        if k & ~(7 << 58) == key("kiln")
    }
    assert by_field.keys() == FIELD_WEIGHTS.keys()
    assert by_field[TITLE] / by_field[BODY] == pytest.approx(FIELD_WEIGHTS[TITLE])


def test_what_is_left_out_is_asked_for_nowhere() -> None:
    gone = np.array([key("kiln")], np.uint64)
    terms = query_terms(Analyser().query("kiln door"), left_out=gone)
    assert key("kiln") not in terms.body.tolist()
    assert not np.isin(with_field(gone, TITLE), terms.keys)[0]
    assert key("door") in terms.body.tolist()


def test_a_rare_word_gains_on_a_common_one(lexical: LexicalIndex) -> None:
    asked = Analyser().query("the tellurium")
    plain, sharp = query_terms(asked).worth(), query_terms(asked, lexical=lexical).worth()
    gained = {word: sharp[key(word)] / plain[key(word)] for word in ("the", "tellurium")}
    assert gained["tellurium"] > gained["the"]


def test_the_index_then_scores_with_the_sharpened_idf(lexical: LexicalIndex) -> None:
    asked = Analyser().query("tellurium")
    plain, sharp = query_terms(asked), query_terms(asked, lexical=lexical)
    scores = [lexical.search(LexicalQuery(one.keys, one.weights), 1).scores[0] for one in (plain, sharp)]
    idf = np.log1p((len(TEXTS) - 1 + 0.5) / 1.5)
    assert scores[1] / scores[0] == pytest.approx(idf ** (SHARPNESS - 1), rel=1e-4)


def test_spellings_of_one_word_are_sharpened_alike(lexical: LexicalIndex) -> None:
    group = Alternatives(np.array([key("kiln"), key("tellurium")], np.uint64), np.array([1.0, 0.5], np.float32))
    (sharp,) = query_terms(Analyser().query("door"), [group], lexical=lexical).groups
    assert sharp.weights[0] / sharp.weights[1] == pytest.approx(2.0)
