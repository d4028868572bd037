"""A search in stages: words answer at once, meaning joins when it comes, and the reader's place does not move."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.config import Settings
from inro.errors import LaneLate, ModelMissing
from inro.library import Library
from inro.records import Reading
from inro.search.place import keep_place

Make = Callable[[Mapping[str, str | Reading]], Library]
Give = Callable[[Library, Callable[[str], NDArray[np.float32]]], None]

NOTES = {"kiln.md": "The kiln.", "oven.md": "An oven and a kiln and a shelf.", "炉.md": "炉を掃除する。"}


def direct(text: str) -> NDArray[np.float32]:
    """The furnace and the kiln are one topic."""
    vector = np.array([0.1, 0.1, 0.1], np.float32)
    vector[0] += 2.0 * text.count("炉") + text.lower().count("furnace")
    vector[1] += text.lower().count("oven")
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


class Worker:
    """An embedder that a test holds back."""

    fingerprint = "test"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.error: Exception | None = None

    def warm(self) -> None:
        """Nothing to load."""

    def query(self, text: str) -> NDArray[np.float32]:
        assert self.gate.wait(10)
        if self.error is not None:
            raise self.error
        return direct(text)


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.gate.set()


@pytest.fixture
def library(make: Make, give_vectors: Give, worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Library:
    library = make(NOTES)
    give_vectors(library, direct)
    monkeypatch.setattr(library._processes, "embedder", lambda: worker)
    return library


def paths(hits: object) -> list[str]:
    return [hit.path for hit in hits]  # type: ignore[attr-defined]


def test_past_the_deadline_words_answer_and_say_so(library: Library, worker: Worker) -> None:
    result = library.search("kiln furnace", deadline_ms=1)
    assert result.partial
    assert paths(result.hits) == paths(library.search("kiln furnace", lane="lexical").hits)
    assert any("within 1 ms" in hint for hint in result.hints)
    with pytest.raises(LaneLate):
        library.search("kiln furnace", lane="dense", deadline_ms=1)
    worker.gate.set()
    whole = library.search("kiln furnace")
    assert not whole.partial and not whole.hints
    assert "炉.md" in paths(whole.hits)


def test_the_deadline_that_is_set_holds_where_none_is_given(library: Library) -> None:
    library.settings = replace(Settings(), lane_ms=1)
    assert library.search("kiln").partial


def test_a_stream_tells_words_then_words_again_then_all(library: Library, worker: Worker) -> None:
    results = library.search_stream("kiln furnace", deadline_ms=1)
    words = next(results)
    assert (words.partial, words.lane, words.hints) == (True, "hybrid", ())
    late = next(results)
    assert late.partial and paths(late.hits) == paths(words.hits) and late.hints
    worker.gate.set()
    (last,) = results
    assert not last.partial and not last.hints
    assert last.hits == library.search("kiln furnace").hits


def test_in_time_there_are_two_results(library: Library, worker: Worker) -> None:
    worker.gate.set()
    assert [result.partial for result in library.search_stream("kiln")] == [True, False]


def test_a_model_that_fails_ends_the_stream_with_words(library: Library, worker: Worker) -> None:
    worker.error = ModelMissing("no embedder here", "inro models fetch")
    worker.gate.set()
    *_, last = library.search_stream("kiln")
    assert not last.partial
    assert "no embedder here" in last.hints[0]
    assert paths(last.hits) == ["kiln.md", "oven.md"]


def test_what_the_reader_is_at_stays_in_its_place(library: Library, worker: Worker) -> None:
    worker.gate.set()
    free = list(library.search_stream("kiln furnace"))
    assert paths(free[-1].hits)[0] == "炉.md", "meaning alone would put it first"
    second = free[0].hits[1]
    held = list(library.search_stream("kiln furnace", held=lambda: second.chunk))
    assert paths(held[-1].hits)[:2] == paths(held[0].hits)[:2]
    assert sorted(paths(held[-1].hits)) == sorted(paths(free[-1].hits))
    assert [hit.rank for hit in held[-1].hits] == [1, 2, 3]


def test_a_row_that_stands_for_one_above_the_cursor_is_not_shown_twice() -> None:
    rows = {"a": ("a",), "b": ("b",), "c": ("c", "a"), "d": ("d",)}
    assert keep_place("ab", "cdb", "b", rows.__getitem__) == ["a", "b", "d"]
    assert keep_place("ab", "cdb", None, rows.__getitem__) == ["c", "d", "b"]
    assert keep_place("ab", "cdb", "z", rows.__getitem__) == ["c", "d", "b"]
