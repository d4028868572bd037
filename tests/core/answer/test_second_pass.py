"""The second search: what it is made for, and that there is one at most."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inro.answer.aspects import wanted
from inro.answer.compose import answer
from inro.answer.evidence import Evidence, Passage
from inro.answer.question import read
from inro.answer.relevance import query_terms
from inro.answer.second_pass import Missing, missing, second_pass
from inro.records import AnswerDone
from inro.text.analyse import Analyser

MakePassage = Callable[..., Passage]
MakeEvidence = Callable[..., Evidence]


@pytest.mark.parametrize(
    ("question", "aspects"),
    [
        ("How much does the furnace cost?", ["price"]),
        ("炉の値段はいくらですか", ["price"]),
        ("样品干燥多久？", ["duration"]),
        ("At what temperature is it dried?", ["temperature"]),
        ("再生は何度で行う？", ["temperature"]),
        ("真空炉の圧力は？", ["pressure"]),
        ("S-1042の保持時間は？", ["duration"]),
        ("時間割を見せて", []),
        ("乾燥庫の湿度は何%以下か", ["humidity"]),
        ("連絡先を教えて", ["contact"]),
        ("いつ点検したか", ["date"]),
        ("Which version is installed?", ["version"]),
        ("谁负责？", ["person"]),
        ("なぜ割れたのか", ["reason"]),
        ("What is a kiln?", []),
    ],
)
def test_a_question_says_what_it_wants(question: str, aspects: list[str]) -> None:
    assert [aspect.name for aspect in wanted(question)] == aspects


@pytest.mark.parametrize(
    ("question", "having", "lacking"),
    [
        ("How much does it cost?", "It is sold for 35,000円.", "It is sold in May 2026 for a song."),
        ("何度で乾かす？", "80℃で乾かす。", "48時間乾かす。"),
        ("How long?", "一时半 to 90 minutes.", "80 °C"),
        ("連絡先は？", "内線 4512", "鈴木さん"),
        ("Which version is it?", "Release 2.4.1 is out.", "It is the newest."),
        ("When was it opened?", "Opened in 1874.", "Opened by the mayor."),
    ],
)
def test_a_format_tells_who_has_a_value(question: str, having: str, lacking: str) -> None:
    (aspect,) = (a for a in wanted(question) if a.has_format)
    assert aspect.held(having)
    assert not aspect.held(lacking)


def lack(question: str, pool: Evidence, passages: tuple[Passage, ...], analyser: Analyser) -> Missing:
    asked = read(question)
    return missing(asked, query_terms(asked, analyser, pool.weigh), passages, analyser)


def test_what_is_named_or_wanted_and_not_held_is_missing(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    oven, price = passage("The vacuum oven dries samples."), passage("The Kestrel oven was bought for 900 dollars.")
    pool = evidence(oven, price)
    lacking = lack("How much did the Kestrel oven cost?", pool, (oven,), analyser)
    assert "Kestrel" in lacking.names
    assert [aspect.name for aspect in lacking.aspects] == ["price"]
    assert not lack("How much did the Kestrel oven cost?", pool, (oven, price), analyser)


def test_what_the_library_never_saw_is_not_looked_for(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    oven = passage("The vacuum oven dries samples.")
    assert not lack("What is the Zyxwvut oven?", evidence(oven), (oven,), analyser).names


def test_what_a_second_search_brings_stands_last_among_those_shown(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    first = [passage(f"The vacuum oven, part {n}.") for n in ("one", "two", "three")]
    price = passage("The oven was bought for 900 dollars.")
    other = passage("Nothing to do with it.")
    pool, more = evidence(*first, nearest=0), evidence(other, price)
    question = read("How much did the vacuum oven cost?")
    terms = query_terms(question, analyser, pool.weigh)
    lacking = missing(question, terms, first, analyser)
    merged, added = second_pass(question, terms, lacking, pool, 2, lambda _: more)
    assert added == 1
    assert merged.passages == (first[0], price, first[1], first[2])
    assert merged.nearest == 0


def test_a_question_is_searched_twice_at_most_and_the_steps_say_so(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    oven, price = (
        passage("The vacuum oven dries samples for 48 hours."),
        passage("The oven was bought for 900 dollars."),
    )
    asked: list[str] = []

    def search(text: str) -> Evidence:
        asked.append(text)
        return evidence(oven) if len(asked) == 1 else evidence(price)

    def ask(question: str) -> AnswerDone:
        asked.clear()
        *_, done = answer(question, search, analyser)
        assert isinstance(done, AnswerDone)
        return done

    done = ask("How much did the vacuum oven cost?")
    assert len(asked) == 2 and "price" in asked[1]
    assert any("searched again" in step and "price" in step for step in done.answer.steps)
    assert "900 dollars" in done.answer.answer
    ask("How long does the vacuum oven dry samples?")
    assert len(asked) == 1, "nothing is missing"
