"""Query vectors: embedded once, waited for as long as one will, and never lost for being late."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.errors import LaneLate, ModelMissing
from inro.search import vectors
from inro.search.vectors import QueryEmbedder


class Slow:
    """Embeds once its gate is open, and counts."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.asked: list[str] = []
        self.error: Exception | None = None

    def __call__(self, text: str) -> NDArray[np.float32]:
        self.asked.append(text)
        assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        return np.array([len(text), 1], np.float32)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def queries(slow: Slow) -> QueryEmbedder:
    return QueryEmbedder(slow, lambda: "print")


def test_who_does_not_wait_is_told_and_finds_the_vector_later(slow: Slow, queries: QueryEmbedder) -> None:
    hasty = queries.within(1)
    assert hasty.fingerprint() == "print"
    with pytest.raises(LaneLate, match="within 1 ms"):
        hasty("kiln")
    assert hasty.late
    slow.gate.set()
    patient = queries.within(None)
    assert patient("kiln")[0] == 4
    assert not patient.late
    assert slow.asked == ["kiln"], "the work that was begun is the work that is used"


def test_a_query_is_embedded_once_however_many_ask(slow: Slow, queries: QueryEmbedder) -> None:
    slow.gate.set()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(queries.within(None), ["kiln"] * 40))
    assert len(slow.asked) == 1
    assert all(vector is found[0] for vector in found)


def test_a_failure_is_told_to_all_who_wait_and_tried_again(slow: Slow, queries: QueryEmbedder) -> None:
    slow.error = ModelMissing("not here", "")
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(queries.within(None), "kiln") for _ in range(2)]
        slow.gate.set()
        for one in waiting:
            with pytest.raises(ModelMissing):
                one.result()
    slow.error = None
    assert queries.within(None)("kiln")[0] == 4


def test_only_so_many_are_remembered(slow: Slow, queries: QueryEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "REMEMBERED", 2)
    slow.gate.set()
    embed = queries.within(None)
    for text in ("a", "b", "a", "c", "a", "b"):
        embed(text)
    assert slow.asked == ["a", "b", "c", "b"], "the one asked for last stays longest"
