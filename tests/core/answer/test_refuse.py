"""When the library is silent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inro.answer.question import Language
from inro.answer.refuse import Features, judge, lead

GOOD = Features(window=0.95, lead=0.4, dense_z=None, language="en", foreign=False, pinned=False)
POOR = Features(window=0.25, lead=0.01, dense_z=None, language="en", foreign=False, pinned=False)


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
    silent = replace(POOR, window=0.0, lead=0.0)
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


@pytest.mark.parametrize("name", ["window", "lead", "dense_z"])
def test_more_evidence_never_turns_an_answer_into_a_refusal(name: str) -> None:
    scores = [judge(_with(name, x)).score for x in (0.0, 0.3, 0.6, 0.9)]
    assert scores == sorted(scores)


def _with(name: str, value: float) -> Features:
    base = replace(GOOD, dense_z=2.0)
    if name == "window":
        return replace(base, window=value)
    if name == "lead":
        return replace(base, lead=value)
    return replace(base, dense_z=value)
