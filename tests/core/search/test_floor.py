"""The floor: what nothing speaks for is marked, and where nothing can be told, nothing is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.index import baseline
from inro.library import Library
from inro.records import Lane, Reading
from inro.search import floor
from inro.search.candidates import Candidates
from inro.search.likeness import FEWEST

Make = Callable[[Mapping[str, str | Reading]], Library]
Give = Callable[[Library, Callable[[str], NDArray[np.float32]]], None]


def candidates(
    share: float, z: float, cosine: float = 0.9, *, tells: bool = True, strangers: float = -1.0
) -> Candidates:
    """One chunk with this share of the words, so far above the ordinary."""
    one = np.ones(1)
    return Candidates(
        np.array([5]), 10 * share * one, 10.0, cosine * one, z * one, True, tells=tells, strangers=strangers
    )


@pytest.mark.parametrize(
    ("share", "z", "below"),
    [
        (0.0, 0.0, {"hybrid", "lexical", "dense"}),
        (0.3, 0.0, {"dense"}),
        (0.0, 3.5, {"lexical"}),
        (0.3, 3.5, set()),
        (0.24, 2.9, {"hybrid", "lexical", "dense"}),
        (0.24, float("nan"), {"hybrid", "lexical", "dense"}),
    ],
)
def test_words_or_meaning_alone_lift_a_hit(share: float, z: float, below: set[Lane]) -> None:
    lanes: tuple[Lane, ...] = ("hybrid", "lexical", "dense")
    found = {lane for lane in lanes if floor.below(candidates(share, z), lane)[0]}
    assert found == below


def test_no_nearer_than_strangers_is_no_meaning() -> None:
    assert floor.below(candidates(0, 4, 0.70, strangers=0.75), "hybrid")[0]
    assert not floor.below(candidates(0, 4, 0.80, strangers=0.75), "hybrid")[0]
    assert not floor.below(candidates(0.3, 4, 0.70, strangers=0.75), "hybrid")[0]


def test_where_too_few_were_measured_meaning_speaks_against_none() -> None:
    assert not floor.below(candidates(0, 0.1, tells=False), "hybrid")[0]
    assert not floor.below(candidates(0, 0.1, tells=False, strangers=0.95), "dense")[0]
    assert floor.below(candidates(0, 0.1, tells=False), "lexical")[0], "words need no measuring"


def direct(text: str) -> NDArray[np.float32]:
    """Every note in a direction of its own, and the one about the kiln in that of the question."""
    vector = np.random.default_rng(sum(map(ord, text))).normal(size=24).astype(np.float32)
    if "kiln" in text or "furnace" in text:
        vector[:] = 0.0
        vector[0] = 1.0
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


@pytest.mark.parametrize("others", [FEWEST // 3, FEWEST + 10])
def test_a_library_of_a_few_notes_marks_none_of_them(make: Make, give_vectors: Give, others: int) -> None:
    notes = {f"{i}.md": f"Note {i} says {chr(97 + i % 26) * 5}." for i in range(others)}
    library = make({**notes, "kiln.md": "The kiln."})
    give_vectors(library, direct)
    hits = library.engine.search("furnace", direct, limit=50, lane="hybrid", fusion="calibrated").hits
    assert hits[0].path == "kiln.md" and not hits[0].below_floor
    assert any(hit.below_floor for hit in hits[1:]) == (others > FEWEST)


def test_a_search_stands_on_the_baseline_that_was_measured(
    make: Make, give_vectors: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "FEWEST", 6)
    library = make({f"{i}.md": f"Note {i} says {chr(97 + i % 26) * 5}." for i in range(FEWEST + 10)})
    give_vectors(library, direct)
    with library.engine._store.reading() as con:
        measured = baseline.stored(con)
    assert measured is not None
    ranking, _ = library.engine.ranking("furnace", direct, limit=5, lane="hybrid", fusion="calibrated", per_document=2)
    assert ranking.candidates.tells
    assert ranking.candidates.strangers == measured.median
