"""Answers measured on a small set whose every figure can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged_set, write_rows

from inro.answer_quality import measure_answers, untraced
from inro.errors import UsageError
from inro.evaluate import EvaluationSet
from inro.records import Answer, AnswerSentence, SourcePassage

TEXTS = {
    "oven": "The vacuum oven stands in room 204. Samples are dried in the vacuum oven for 48 hours at 80 °C.",
    "kiln": "焼結炉の前回の点検は2026年4月12日に行った。点検は鈴木さんが担当した。",
    "box": "干燥箱的温度是八十摄氏度。李伟负责管理干燥箱。",
    "pump": "The oil of the vacuum pump is changed every 500 hours. Used oil goes into the blue can.",
}
QUERIES: list[dict[str, object]] = [
    {"id": "1", "text": "How long are samples dried in the vacuum oven?", "answers": ["48 hours"]},
    {"id": "2", "text": "焼結炉の前回の点検はいつですか？", "answers": ["2026年4月12日"]},
    {"id": "3", "text": "谁负责管理干燥箱？", "answers": ["李伟", "someone else"]},
    {"id": "4", "text": "How much did the quantum gyroscope of Captain Nemo cost?", "answerable": False},
    {
        "id": "5",
        "text": "Where does the used oil of the vacuum pump go?",
        "answers": ["a reply in a person's own words"],
    },
]
RELEVANT = {"1": "oven", "2": "kiln", "3": "box", "5": "pump"}


@pytest.fixture
def small_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EvaluationSet:
    return judged_set(tmp_path, monkeypatch, TEXTS, QUERIES, RELEVANT)


def test_what_is_there_is_quoted_and_what_is_not_is_refused(small_set: EvaluationSet) -> None:
    score = measure_answers(small_set)
    assert (score.questions, score.unanswerable, score.known) == (5, 1, 3)
    assert (score.refusal_precision, score.refusal_recall, score.false_refusal) == (1.0, 1.0, 0.0)
    assert (score.answer_in_extract, score.answer_in_sources) == (1.0, 1.0)
    assert score.citation_precision is not None and score.citation_precision > 0.5
    assert (score.untraceable, score.model_answers) == (0, 0)


def test_a_limit_is_spread_over_the_file(small_set: EvaluationSet) -> None:
    score = measure_answers(small_set, limit=2)
    assert (score.questions, score.unanswerable, score.known) == (2, 0, 2)


def test_nothing_to_count_is_no_figure(small_set: EvaluationSet) -> None:
    write_rows(small_set.directory / "queries.jsonl", [QUERIES[3]])
    score = measure_answers(small_set)
    assert (score.refusal_recall, score.refusal_precision) == (1.0, 1.0)
    assert score.false_refusal is score.answer_in_extract is score.citation_precision is None
    write_rows(small_set.directory / "queries.jsonl", [])
    with pytest.raises(UsageError, match="no question"):
        measure_answers(small_set)


def answered(text: str, quote: str, *, supported: bool = True) -> Answer:
    source = SourcePassage(1, 1, "a.md", "A", "", None, 0, len(quote), quote)
    sentence = AnswerSentence(text, (1,), supported)
    return Answer("?", text, False, "model", (sentence,), (source,), ())


@pytest.mark.parametrize(
    ("text", "quote", "missing"),
    [
        ("It takes 48 hours.", "Dry for 48 h.", []),
        ("It takes two days, or 48 hours.", "乾燥は２日間。", []),
        ("The pressure is 300 kPa.", "圧力は0.3 MPa。", []),
        ("It takes 48 hours.", "Dry for 480 hours.", ["48"]),
        ("See S-1042.", "See S-1041.", ["1042"]),
        ("It was opened on 3 May 2026.", "2026年5月3日に開いた。", []),
        ("It was opened on 4 May 2026.", "2026年5月3日に開いた。", ["4"]),
    ],
)
def test_a_figure_that_no_cited_passage_holds_is_counted(text: str, quote: str, missing: list[str]) -> None:
    assert untraced(answered(text, quote)) == missing
    assert untraced(answered(text, quote, supported=False)) == [], "a marked sentence hides nothing"
