"""Reranking orders the first results anew as far as its budget goes, and touches nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from inro.errors import ModelMissing, WorkerCrashed
from inro.records import TracePart
from inro.search.candidates import Candidates
from inro.search.rank import Ranked, Ranking
from inro.search.rerank import DEPTH, Pace, Stage

NOTHING = Candidates(np.empty(0, np.int64), np.empty(0), 0.0, np.empty(0), np.empty(0), False)


@dataclass
class Judge:
    """Scores by a table, takes a second a text on a clock of its own, and may fail."""

    table: Mapping[str, float]
    weight: float = 2.0
    fails_at: int = -1
    known: frozenset[str] = frozenset()
    now: float = 0.0
    asked: list[str] = field(default_factory=list)
    name: str = "judge"

    def is_known(self, question: str, text: str) -> bool:
        return text in self.known

    def score(self, question: str, text: str) -> float:
        if len(self.asked) == self.fails_at:
            raise WorkerCrashed("the process judge ended: killed by SIGSEGV")
        self.asked.append(text)
        self.now += 0.0 if text in self.known else 1.0
        return self.table.get(text, 0.0)

    def clock(self) -> float:
        return self.now

    def stage(self, seconds: float = 100.0) -> Stage:
        return Stage(lambda: self, seconds, self.clock)


def ranking(scores: Sequence[float], pins: int = 0, nearest: int = -1) -> Ranking:
    items = [
        Ranked(i, i, score, (TracePart("lexical", score, ""),), i < pins, False, 0.0, 0.0)
        for i, score in enumerate(scores)
    ]
    return Ranking(tuple(items), NOTHING, nearest)


def texts(count: int) -> dict[int, str]:
    return {i: f"t{i:03}" for i in range(count)}


def chunks(found: Ranking) -> list[int]:
    return [item.chunk for item in found.items]


def test_results_are_ordered_by_their_score_and_what_the_model_adds_and_traces_sum() -> None:
    judge = Judge({"t000": 0.1, "t001": 0.5, "t002": 0.9})
    found = judge.stage().order("q", ranking([3.0, 2.9, 1.0]), texts(3), 10, [])
    assert chunks(found) == [1, 0, 2]
    for item in found.items:
        assert sum(part.value for part in item.trace) == pytest.approx(item.score)
    assert [item.trace[-1].value for item in found.items] == pytest.approx([0.8, 0.0, 1.6])
    assert found.items[0].trace[-1].note == "judge 0.500, 0.400 above the least; was 2 of 3"


def test_what_ties_keeps_its_order() -> None:
    assert chunks(Judge({}).stage().order("q", ranking([1.0] * 8), texts(8), 8, [])) == list(range(8))


def test_pins_are_neither_scored_nor_moved() -> None:
    judge = Judge({f"t{i:03}": float(i) for i in range(5)}, weight=1e6)
    found = judge.stage().order("q", ranking([1002.0, 1001.0, 3.0, 2.0, 1.0], pins=2), texts(5), 5, [])
    assert chunks(found) == [0, 1, 4, 3, 2]
    assert judge.asked == ["t002", "t003", "t004"]


def test_no_more_than_the_depth_is_scored_and_the_rest_stays_below() -> None:
    count = DEPTH + 5
    judge = Judge({f"t{i:03}": float(i) for i in range(count)})
    found = judge.stage().order("q", ranking(np.linspace(9, 1, count).tolist()), texts(count), count, [])
    assert len(judge.asked) == DEPTH
    assert chunks(found)[DEPTH:] == list(range(DEPTH, count))
    scores = [item.score for item in found.items]
    assert scores == sorted(scores, reverse=True)


def test_the_budget_is_kept_in_rank_order_and_its_part_counts() -> None:
    judge = Judge({"t003": 9.0, "t004": 99.0})
    hints: list[str] = []
    found = judge.stage(4.5).order("q", ranking([5.0, 4.0, 3.0, 2.0, 1.0]), texts(5), 5, hints)
    # every text takes a second: four fit, and the best of all, the fifth, was not seen
    assert judge.asked == ["t000", "t001", "t002", "t003"]
    assert chunks(found) == [3, 0, 1, 2, 4]
    assert hints == []


def test_what_was_measured_holds_for_the_next_query() -> None:
    judge = Judge({})
    stage = judge.stage(0.5)
    hints: list[str] = []
    stage.order("q", ranking([2.0, 1.0]), texts(2), 2, hints)
    # nothing was measured before: one text had to be tried
    assert len(judge.asked) == 1
    stage.order("r", ranking([2.0, 1.0]), texts(2), 2, hints)
    assert len(judge.asked) == 1
    assert hints[1] == "not reranked: two passages take about 2000 ms here, rerank_ms is 500"


def test_known_texts_cost_nothing_and_are_not_measured() -> None:
    judge = Judge({"t002": 1.0}, known=frozenset({"t001", "t002"}))
    found = judge.stage(1.0).order("q", ranking([3.0, 2.9, 2.8]), texts(3), 3, [])
    assert len(judge.asked) == 3
    assert chunks(found) == [2, 0, 1]


def test_a_crash_leaves_what_was_scored_and_is_told_and_not_repeated() -> None:
    judge = Judge({"t001": 5.0}, fails_at=2)
    stage = judge.stage()
    hints: list[str] = []
    found = stage.order("q", ranking([3.0, 2.0, 1.0]), texts(3), 3, hints)
    assert chunks(found) == [1, 0, 2]
    assert hints == ["reranking stopped: the process judge ended: killed by SIGSEGV"]
    again = stage.order("q", ranking([3.0, 2.0, 1.0]), texts(3), 3, hints)
    assert chunks(again) == [0, 1, 2]
    assert hints[1] == "not reranked: the process judge ended: killed by SIGSEGV"
    assert len(judge.asked) == 2


def test_a_model_that_is_not_here_is_a_hint_with_what_to_do() -> None:
    def missing() -> Judge:
        raise ModelMissing("judge is not installed", "inro models import judge.onnx")

    hints: list[str] = []
    found = Stage(missing, 1.0).order("q", ranking([2.0, 1.0]), texts(2), 1, hints)
    assert chunks(found) == [0]
    assert hints == ["not reranked: judge is not installed. Do: inro models import judge.onnx"]


def test_more_is_looked_at_than_is_wanted() -> None:
    judge = Judge({"t004": 9.0})
    assert chunks(judge.stage().order("q", ranking([5.0, 4.0, 3.0, 2.0, 1.0]), texts(5), 2, [])) == [4, 0]


@pytest.mark.parametrize(("nearest", "expected"), [(1, [3, 1]), (0, [3, 0]), (2, [3, 2]), (-1, [3, 2])])
def test_the_nearest_by_meaning_stays_where_it_was_in_the_list(nearest: int, expected: list[int]) -> None:
    judge = Judge({"t003": 99.0, "t002": 9.0})
    found = judge.stage().order("q", ranking([5.0, 4.0, 3.0, 2.0], nearest=nearest), texts(4), 2, [])
    assert chunks(found) == expected
    assert found.nearest == nearest
    scores = [item.score for item in found.items]
    assert scores == sorted(scores, reverse=True)


def test_chunks_that_are_gone_and_single_results_ask_no_model() -> None:
    judge = Judge({})
    some = ranking([2.0, 1.0])
    assert chunks(judge.stage().order("q", some, {1: "t"}, 5, [])) == [1]
    assert chunks(judge.stage().order("q", ranking([]), {}, 5, [])) == []
    assert judge.asked == []


def test_pace_follows_the_machine() -> None:
    pace = Pace()
    assert pace.expected("anything") == 0.0
    pace.took("x" * 99, 1.0)
    assert pace.expected("x" * 199) == pytest.approx(2.0)
    for _ in range(20):
        pace.took("x" * 99, 3.0)
    assert pace.expected("x" * 99) == pytest.approx(3.0, rel=0.02)
