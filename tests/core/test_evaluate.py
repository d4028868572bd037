"""Search measured on a small set whose every figure can be counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged import judged_set

from inro.errors import PathMissing, UsageError
from inro.evaluate import EvaluationSet, turns
from inro.records import Turn

TEXTS = {
    "oven": "The vacuum oven stands in room 204 and dries samples at 80 °C.",
    "pump": "The oil of the pump is changed every 500 hours.",
    "kiln": "焼結炉の前回の点検は2026年4月12日に行った。",
}
SAID = [{"speaker": "user", "text": "Where is the vacuum oven?"}, {"speaker": "agent", "text": "In room 204."}]
QUERIES: list[dict[str, object]] = [
    {"id": "1", "text": "oil of the pump"},
    {"id": "2", "text": "Is it expensive?", "history": SAID},
    {"id": "3", "text": "nobody judged this"},
]
RELEVANT = {"1": "pump", "2": "oven"}


@pytest.fixture
def small_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EvaluationSet:
    return judged_set(tmp_path, monkeypatch, TEXTS, QUERIES, RELEVANT)


def test_judged_queries_are_asked_and_averaged(small_set: EvaluationSet) -> None:
    score = small_set.measure(lane="lexical")
    assert (score.queries, score.ndcg_10, score.recall_1, score.recall_10) == (2, 0.5, 0.5, 0.5)
    assert small_set.measure(lane="lexical", limit=1).ndcg_10 == 1.0


def test_a_follow_up_is_found_by_what_was_said_before(small_set: EvaluationSet) -> None:
    score = small_set.measure(lane="lexical", history=True)
    assert (score.recall_1, score.lane) == (1.0, "lexical, follow-ups made whole")


def test_a_set_that_lacks_a_part_or_a_judgement_is_told(small_set: EvaluationSet) -> None:
    (small_set.directory / "qrels.tsv").write_text("9\tpump\t1\n")
    with pytest.raises(UsageError, match="no query"):
        small_set.measure(lane="lexical")
    (small_set.directory / "qrels.tsv").write_text("1\tpump\tgood\n2\toven\tbad\n")
    with pytest.raises(UsageError, match="line 2"):
        small_set.measure(lane="lexical")
    (small_set.directory / "qrels.tsv").unlink()
    with pytest.raises(PathMissing, match="qrels"):
        EvaluationSet.open(small_set.directory, dense=False)


def test_turns_are_put_together_from_what_was_said() -> None:
    said = [
        {"speaker": "agent", "text": "Hello."},
        {"speaker": "user", "text": "What is a kiln?"},
        {"speaker": "agent", "text": "A furnace."},
        {"speaker": "user", "text": "And an oven?"},
    ]
    assert turns(said) == (Turn("What is a kiln?", "A furnace."), Turn("And an oven?", ""))
