"""The check of what a model says against what it cites."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.answer.citations import cited_sentences, marked
from inro.answer.context import numbered
from inro.answer.evidence import Evidence, Passage
from inro.answer.verify import Checker
from inro.records import AnswerSentence
from inro.text.analyse import Analyser

Check = Callable[[str], tuple[AnswerSentence, ...]]

OVEN = 'Samples of batch S-1041 are dried for 48 hours at 0.3 MPa. The sign says "never open while hot".'
KILN = "焼結は令和8年4月12日に1,450℃で行った。試料は三十個で、規格は ISO 9408 に従う。「急冷してはならない」とある。"
STAFF = "Keiko Tanaka looks after the vacuum oven in room 204."


@pytest.fixture
def check(passage: Callable[..., Passage], evidence: Callable[..., Evidence], analyser: Analyser) -> Check:
    pool = evidence(passage(OVEN), passage(KILN), passage(STAFF))
    return Checker(numbered(pool.passages, 6), analyser, pool.weigh, "Who is Bob Stone?").check


@pytest.mark.parametrize(
    "text",
    [
        "Samples are dried for 48 hours [1].",
        "Samples are dried for two days. [1]",
        "Batch S-1041 is dried at 300 kPa [1].",
        "Batch S1041 is dried at ０．３ MPa【1】。",
        "焼結は2026年4月12日に行った[2]。",
        "試料は30個である［２］。",
        "規格は ISO9408 である[2]。",
        'The sign says "never open  while hot" [1].',
        "「急冷してはならない」とある[2]。",
        "Keiko Tanaka looks after the oven [3].",
        "Tanaka dries samples for 48 hours [1][3].",
        "1. Samples are dried for 48 hours [1].",
    ],
)
def test_what_the_passage_says_passes(check: Check, text: str) -> None:
    (sentence,) = check(text)
    assert sentence.supported, sentence.problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Samples are dried for 48 hours [7].", "cites [7]"),
        ("Samples are dried for 72 hours [1].", "72 hours is not in [1]"),
        ("Samples are dried at 0.3 kPa [1].", "0.3 kPa is not in [1]"),
        ("Batch S-1042 is dried for 48 hours [1].", "S-1042 is not in [1]"),
        ("Samples are dried for 48 hours [2].", "48 hours is not in [2]"),
        ("焼結は2026年4月13日に行った[2]。", "2026年4月13日 is not in [2]"),
        ("規格は ISO 9409 である[2]。", "ISO 9409 is not in [2]"),
        ("Samples of batch S-104 are dried for 48 hours [1].", "S-104 is not in [1]"),
        ("Samples of batch S-1042/S-1041 are dried for 48 hours [1].", "S-1042/S-1041 is not in [1]"),
        ("The oven is looked after by Ichiro Suzuki [3].", "the name Ichiro Suzuki"),
        ("The oven is looked after by the great Nak [3].", "the name Nak"),
        ('The sign says "open it while hot" [1].', "not in [1]"),
        ('The sign says "while hot never open" [1].', "put together from pieces"),
        ('The sign says "never open while hot" [3].', "from [1], not from [3]"),
        ("The samples were sold to a museum of modern art in spring [1].", "says more"),
        ("The moon is made of green cheese.", "no citation"),
        ("The moon is 42 km wide.", "42 km is not in [1][2][3]"),
    ],
)
def test_what_the_passage_does_not_say_is_marked(check: Check, text: str, problem: str) -> None:
    (sentence,) = check(text)
    assert not sentence.supported
    assert any(problem in p for p in sentence.problems), sentence.problems


def test_a_sentence_without_a_citation_gets_the_passage_that_plainly_holds_it(check: Check) -> None:
    (sentence,) = check("Samples of batch S-1041 are dried for 48 hours at 0.3 MPa.")
    assert sentence.supported and sentence.citations == (1,)


def test_a_name_from_the_question_may_be_said_again(check: Check) -> None:
    (sentence,) = check("The vacuum oven in room 204 is looked after by Tanaka, not by Bob Stone [3].")
    assert not any("Bob" in p for p in sentence.problems)


def test_every_sentence_is_kept_and_judged_by_itself(check: Check) -> None:
    found = check(
        "Samples are dried for 48 hours [1]. They are then eaten by 17 goats [1]. Tanaka looks after the oven [3]."
    )
    assert [s.supported for s in found] == [True, False, True]


# Citation marks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One [1]. Two [2].", [("One.", (1,)), ("Two.", (2,))]),
        ("One. [1] Two. [2]", [("One.", (1,)), ("Two.", (2,))]),
        ("Both [1][2].", [("Both.", (1, 2))]),
        ("Both [1, 2].", [("Both.", (1, 2))]),
        ("Three [1-3].", [("Three.", (1, 2, 3))]),
        ("三つ【1】【２】。", [("三つ。", (1, 2))]),
        ("三つ。［１］次も[3]。", [("三つ。", (1,)), ("次も。", (3,))]),
        ("Named [passage 2].", [("Named.", (2,))]),
        ("Twice [1] and again [1].", [("Twice and again.", (1,))]),
        ("None here.", [("None here.", ())]),
        ("[1]", []),
        ("", []),
    ],
)
def test_marks_are_read_and_taken_out(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert cited_sentences(text) == expected


def test_what_is_said_again_is_said_once_with_the_numbers_of_both() -> None:
    assert cited_sentences("One [1]. Two [2]. One [3]. [4]") == [("One.", (1, 3, 4)), ("Two.", (2,))]
    assert cited_sentences("One. One.") == [("One.", ())]


def test_a_range_too_long_to_mean_anything_cites_nothing() -> None:
    assert cited_sentences("Much [1-900].") == [("Much.", ())]


def test_marks_are_written_as_they_are_read() -> None:
    assert marked("One.", (1, 3)) == "One. [1][3]"
    assert cited_sentences(marked("One.", (1, 3))) == [("One.", (1, 3))]
    assert marked("One.", ()) == "One."


@given(st.text(alphabet=st.sampled_from(list('ab1[]【】 .。,-「」"\n9\ud800'))))
def test_any_text_can_be_read_for_marks(text: str) -> None:
    assert all(any(c.isalnum() for c in s) for s, _ in cited_sentences(text))
