"""Follow-ups: what they lean on is looked for, and a model's rewriting is believed only as far as it is safe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inro.answer.compose import answer
from inro.answer.evidence import Evidence, Passage
from inro.answer.follow_up import leans, names, trusted, whole
from inro.answer.question import read
from inro.errors import WorkerCrashed
from inro.records import AnswerDone, Turn
from inro.text.analyse import Analyser

MakePassage = Callable[..., Passage]
MakeEvidence = Callable[..., Evidence]

OVEN = "The vacuum oven dries samples for 48 hours. The vacuum oven stands in room 204."
EARLIER = (Turn("What does the vacuum oven do?", "It dries samples for 48 hours. [1]"),)


@pytest.mark.parametrize(
    "question",
    [
        "Where does it stand?",
        "And the kiln?",
        "Does that apply to the furnace on the third floor of the building as well?",
        "それはどこにありますか？その装置の担当者の名前も教えてください。",
        "同じ条件で焼結した試料の密度はどのくらいになりますか？",
        "它的温度是多少？请把干燥箱的其他参数也告诉我。",
        "担当者は？",
        "Room?",
    ],
)
def test_a_reference_or_a_short_question_leans_on_what_was_said(question: str) -> None:
    assert leans(question, EARLIER)
    assert not leans(question, ()), "the first question leans on nothing"


@pytest.mark.parametrize(
    "question",
    [
        "Which samples are dried in the vacuum oven before the density is measured?",
        "焼結炉の前回の点検を担当したのは誰ですか？教えてください。",
        "样品在真空干燥箱里需要干燥多长时间才能测量密度？",
    ],
)
def test_a_full_question_stands_alone(question: str) -> None:
    assert not leans(question, EARLIER)


def test_names_of_earlier_questions_are_looked_for_too(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    weigh = evidence(passage(OVEN)).weigh
    carried = names(read("Where does it stand?"), EARLIER, analyser, weigh)
    assert set(carried) <= {"vacuum", "oven"} and carried
    text = whole(read("Where does it stand?"), EARLIER, analyser, weigh)
    assert text.startswith("Where does it stand?") and "oven" in text
    alone = "Which samples are dried in the vacuum oven before the density is measured?"
    assert whole(read(alone), EARLIER, analyser, weigh) == alone


def test_what_the_library_never_saw_is_not_carried(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    history = (Turn("What does the Zyxwvut oven do?", ""),)
    assert "Zyxwvut" not in names(read("Where is it?"), history, analyser, evidence(passage(OVEN)).weigh)


def test_a_follow_up_is_searched_as_a_whole_and_shown_as_asked(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    pool, asked = evidence(passage(OVEN)), []

    def search(text: str) -> Evidence:
        asked.append(text)
        return pool

    *_, done = answer("Where does it stand?", search, analyser, history=EARLIER)
    assert isinstance(done, AnswerDone)
    assert asked[0] == done.answer.question == "Where does it stand?"
    assert "oven" in asked[1]
    assert "room 204" in done.answer.answer
    assert any(step.startswith("read as: ") for step in done.answer.steps)


@pytest.mark.parametrize(
    ("rewritten", "believed"),
    [
        ("Where does the vacuum oven not stand for 48 hours?", False),
        ("Where does the vacuum oven stand?", True),
        ("Where does the vacuum oven stand in 1999?", False),
        ("Where does the vacuum oven of Professor Smith stand?", False),
        ("真空炉はどこにありますか？", False),
        ("Where does it stand?", False),
        ("Where does the vacuum oven stand? " * 20, False),
        ("", False),
    ],
)
def test_a_rewriting_that_loses_or_adds_something_is_not_believed(rewritten: str, believed: bool) -> None:
    assert trusted(rewritten, read("Where does it stand?"), EARLIER, ("vacuum", "oven")) is believed


@pytest.mark.parametrize(
    ("question", "rewritten"),
    [
        ("Does S-1041 not go there?", "Does S-1041 go into the vacuum oven?"),
        ("Does S-1041 go there?", "Does S-1042 go into the vacuum oven?"),
        ("Is it dried for 24 hours?", "Is the vacuum oven used to dry samples?"),
    ],
)
def test_a_lost_negation_name_or_number_is_seen(question: str, rewritten: str) -> None:
    assert not trusted(rewritten, read(question), EARLIER, ("oven",))


def test_a_model_that_rewrites_well_is_used_and_one_that_fails_is_not_missed(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser, scripted: Any
) -> None:
    weigh, asked = evidence(passage(OVEN)).weigh, read("Where does it stand?")
    good = scripted("Where does the vacuum oven stand?")
    assert whole(asked, EARLIER, analyser, weigh, good) == good.text
    assert "48 hours" not in str(good.asked), "the model's own earlier words are not in the prompt"
    for bad in (scripted("The oven stands in room 7."), scripted(""), scripted("", fails=WorkerCrashed("killed"))):
        assert whole(asked, EARLIER, analyser, weigh, bad).startswith("Where does it stand? ")
