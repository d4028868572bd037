"""What happens when the library is silent: the attached shelves are asked in turn, and the first that answers does.

Rule: a shelf is a stranger's file. It is opened read-only, without the user's key, and nothing in it can do more than
be quoted; that an answer is from a shelf is said by the program, in the answer, its marks and its sources. One that
cannot be read is a step, never an error, and the refusal stands.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from inro.answer.evidence import Evidence, Search
from inro.errors import InroError
from inro.records import (
    Answer,
    AnswerDone,
    AnswerDraft,
    AnswerEvent,
    AnswerStep,
    HanFolding,
    Progress,
    Reading,
    Shelf,
)
from inro.shelves.zim import Zim
from inro.state.reviews import Reviews
from inro.state.shelves import Shelves
from inro.text.analyse import Analyser

Put: TypeAlias = Callable[[Search, Analyser], Iterator[AnswerEvent]]
"""Puts the question at hand to what a search brings."""
Offer: TypeAlias = Callable[[Answer], int | None]
"""Puts an answer in the review queue; see `inro.state.reviews`."""


class Engine(Protocol):
    """As far as a question needs a search engine."""

    def analyser(self) -> Analyser: ...


class Beside(Protocol):
    """Another library at this one's processes; `inro.library.Library` is one."""

    @property
    def engine(self) -> Engine: ...
    def evidence(self, question: str, *, dense: bool = True) -> Evidence: ...
    def add_readings(
        self, name: str, readings: Iterator[tuple[str, Reading]], *, embed: bool = True
    ) -> Iterator[Progress]: ...


def with_shelves(
    events: Iterator[AnswerEvent], library: Path, put: Put, beside: Callable[[Path], Beside], han: HanFolding
) -> Iterator[AnswerEvent]:
    """`or_from_shelves` with what this user attached, and the review queue of the library."""
    return or_from_shelves(events, Shelves().list(), put, beside, Reviews(library).offer, han)


def or_from_shelves(
    events: Iterator[AnswerEvent],
    shelves: Sequence[Shelf],
    put: Put,
    beside: Callable[[Path], Beside],
    offer: Offer,
    han: HanFolding = "none",
) -> Iterator[AnswerEvent]:
    """The library's own answer; or, when it refuses, the first answer of a shelf; or the refusal."""
    refusal: Answer | None = None
    for event in events:
        if isinstance(event, AnswerDone) and event.answer.refused:
            refusal = event.answer
        else:
            yield event
    if refusal is None:
        return
    steps = list(refusal.steps)
    for shelf in shelves:
        steps.append(f"not in your library: looked on the shelf {shelf.name}")
        yield AnswerStep(steps[-1])
        try:
            with opened(shelf, beside, han) as (search, analyser):
                for event in put(search, analyser):
                    match event:
                        case AnswerDone(answer):
                            if not answer.refused:
                                found = from_shelf(answer, shelf.name, steps)
                                queued = _offered(found, offer)
                                yield AnswerDone(replace(found, steps=(*found.steps, *queued)))
                                return
                        case AnswerDraft(answer):
                            yield AnswerDraft(from_shelf(answer, shelf.name, steps))
                        case AnswerStep(text):
                            yield AnswerStep(f"{shelf.name}: {text}")
                        case _:
                            yield event
            steps.append(f"{shelf.name}: nothing there answers it")
        except InroError as e:
            steps.append(f"the shelf {shelf.name} cannot be used: {e.message}")
        yield AnswerStep(steps[-1])
    yield AnswerDone(replace(refusal, steps=tuple(steps)))


def from_shelf(answer: Answer, shelf: str, steps: Sequence[str] = ()) -> Answer:
    """The answer marked as the shelf's, in its text, sources and steps."""
    from inro.answer.citations import marked

    return replace(
        answer,
        answer="\n".join(marked(sentence.text, sentence.citations, shelf) for sentence in answer.sentences),
        sources=tuple(replace(source, shelf=shelf) for source in answer.sources),
        steps=(*steps, *(f"{shelf}: {step}" for step in answer.steps)),
        shelf=shelf,
    )


@contextmanager
def opened(
    shelf: Shelf, beside: Callable[[Path], Beside], han: HanFolding = "none"
) -> Iterator[tuple[Search, Analyser]]:
    """What to search a shelf with.

    Raises:
        InroError: it cannot be read.
    """
    if shelf.kind == "library":
        other = beside(Path(shelf.path))
        yield other.evidence, other.engine.analyser()
        return
    with tempfile.TemporaryDirectory(prefix="inro-shelf-") as folder, Zim(Path(shelf.path)) as zim:
        yield _Articles(zim, beside(Path(folder) / "articles.inro")), Analyser(han)


class _Articles:
    """Searches a ZIM file: its own index chooses articles, and they are searched like any library.

    So passages, evidence and refusal are made as everywhere. Articles from all over the file stand beside the found
    ones: among these alone every word of the question would be an ordinary one.
    """

    def __init__(self, zim: Zim, library: Beside) -> None:
        self._zim = zim
        self._library = library
        self._known: set[str] = set()

    def __call__(self, question: str) -> Evidence:
        found = dict(self._zim.articles(question))
        if not found and not self._known:
            return Evidence(passages=(), weigh=lambda keys: np.zeros(len(keys)))
        if not self._known:
            found |= dict(self._zim.sample())
        new = [(path, reading) for path, reading in found.items() if path not in self._known]
        if new:
            for _ in self._library.add_readings("articles", iter(new), embed=False):
                pass
            self._known.update(found)
        return self._library.evidence(question, dense=False)


def _offered(answer: Answer, offer: Offer) -> list[str]:
    try:
        number = offer(answer)
    except InroError as e:
        return [f"not put in the review queue: {e.message}"]
    return [] if number is None else [f"waits for review: inro review show {number}"]
