"""When the library is silent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from inro.answer.evidence import Evidence, Passage
from inro.answer.extract import extract
from inro.answer.question import Language, read
from inro.answer.refuse import USUAL_LEAD, WEIGHTS, Features, dense_lead, features, judge, lead
from inro.answer.relevance import query_terms
from inro.text.analyse import Analyser

GOOD = Features(
    window=0.95,
    passage=0.95,
    subject=1.0,
    lead=0.4,
    agree=None,
    dense_lead=None,
    dense_z=None,
    language="en",
    foreign=False,
    pinned=False,
)
POOR = Features(
    window=0.25,
    passage=0.3,
    subject=0.3,
    lead=0.01,
    agree=None,
    dense_lead=None,
    dense_z=None,
    language="en",
    foreign=False,
    pinned=False,
)


@pytest.mark.parametrize("language", ["en", "ja", "zh", "ko"])
def test_every_language_has_a_threshold_between_the_two(language: Language) -> None:
    assert not judge(replace(GOOD, language=language)).refuse
    assert judge(replace(POOR, language=language)).refuse


def test_nothing_found_is_refused() -> None:
    assert judge(None).refuse


@pytest.mark.parametrize("z", [None, 4.0])
def test_passages_that_say_what_is_asked_are_answered_from(z: float | None) -> None:
    assert not judge(replace(GOOD, dense_z=z)).refuse


@pytest.mark.parametrize("z", [None, 0.5])
def test_passages_that_say_little_of_it_are_refused(z: float | None) -> None:
    verdict = judge(replace(POOR, dense_z=z))
    assert verdict.refuse and "25%" in verdict.reason


def test_a_pin_is_never_refused() -> None:
    assert not judge(replace(POOR, pinned=True)).refuse


def test_meaning_alone_can_answer_a_paraphrase_and_across_languages() -> None:
    silent = replace(POOR, window=0.0, passage=0.0, subject=0.0, lead=0.0)
    assert judge(replace(silent, dense_z=4.0)).refuse
    assert not judge(replace(silent, dense_z=9.0)).refuse
    assert not judge(replace(silent, dense_z=4.0, foreign=True)).refuse
    assert judge(replace(silent, dense_z=1.0, foreign=True)).refuse


def test_a_passage_leads_when_it_stands_out_and_a_copy_of_it_changes_nothing() -> None:
    alone = lead([0.6, 0.2, 0.2, 0.2, 0.2, 0.2])
    assert alone == pytest.approx(0.4)
    assert lead([0.2, 0.6, 0.2, 0.6, 0.2, 0.2]) == pytest.approx(0.4)
    assert lead([0.3] * 10) == pytest.approx(0.0)
    assert lead([]) == 0.0


@pytest.mark.parametrize("name", ["window", "passage", "subject", "lead", "dense_lead", "dense_z"])
def test_more_evidence_never_turns_an_answer_into_a_refusal(name: str) -> None:
    scores = [judge(_with(name, x)).score for x in (0.0, 0.3, 0.6, 0.9)]
    assert scores == sorted(scores)


def _with(name: str, value: float) -> Features:
    base = replace(GOOD, dense_z=2.0)
    match name:
        case "window":
            return replace(base, window=value)
        case "passage":
            return replace(base, passage=value)
        case "subject":
            return replace(base, subject=value)
        case "lead":
            return replace(base, lead=value)
        case "dense_lead":
            return replace(base, dense_lead=value)
        case _:
            return replace(base, dense_z=value)


def test_without_vectors_a_question_is_judged_by_its_words_alone() -> None:
    assert judge(GOOD).score == pytest.approx(judge(replace(GOOD, dense_lead=USUAL_LEAD)).score)
    assert len(GOOD.vector()) == len(WEIGHTS)
    assert all(weight > 0 for weight in WEIGHTS)


def test_lanes_that_agree_speak_for_answering() -> None:
    assert judge(replace(GOOD, agree=True)).score > judge(GOOD).score > judge(replace(GOOD, agree=False)).score


def test_standing_out_by_meaning_is_measured_without_a_second_copy() -> None:
    assert dense_lead([5.0, 2.0, 1.0, 1.0, 1.0, 1.0]) == pytest.approx(4.0)
    assert dense_lead([1.0, 5.0, 5.0]) == pytest.approx(4.0)
    assert dense_lead([5.0]) == pytest.approx(5.0)


def test_features_are_read_off_the_evidence(
    passage: Callable[..., Passage], evidence: Callable[..., Evidence], analyser: Analyser
) -> None:
    oven = passage("The vacuum oven dries samples.", share=0.8, z=6.0)
    pool = evidence(oven, passage("A kiln.", share=0.1, z=1.0), vector=np.ones(2, np.float32))
    asked = read("Which samples does the vacuum oven dry?")
    drafted = extract(asked, query_terms(asked, analyser, pool.weigh), pool.passages, analyser)
    found = features(asked, pool, drafted)
    assert found is not None
    assert (found.agree, found.dense_z, found.dense_lead, found.lead) == (True, 6.0, 6.0, 0.8)
    other = features(asked, replace(pool, shares=(0.1, 0.8), z=(6.0, 1.0)), drafted)
    assert other is not None and other.agree is False
    silent = features(asked, replace(pool, question_vector=None), drafted)
    assert silent is not None and silent.agree is silent.dense_lead is silent.dense_z is None
    assert features(asked, replace(pool, passages=()), drafted) is None
