"""Shelves answer only when the library is silent and the user said so, and never pass for the library."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from inro.errors import LibraryError, NotFound, PathMissing, UsageError
from inro.library import Library
from inro.records import Answer, AnswerDone, AnswerDraft
from inro.reference import attach
from inro.state.reviews import Reviews
from inro.state.shelves import Shelves

QUESTION = "At what temperature is silica gel of the desiccator regenerated?"


def answered(library: Library, question: str = QUESTION, shelves: bool | None = None) -> Answer:
    *_, last = library.ask(question, shelves=shelves)
    assert isinstance(last, AnswerDone)
    return last.answer


def test_a_shelf_answers_and_says_that_it_does(own: Library, theirs: Path) -> None:
    attach(own, theirs, "Lab")
    before = hashlib.sha256(theirs.read_bytes()).digest()
    *events, last = own.ask(QUESTION, shelves=True)
    assert isinstance(last, AnswerDone)
    answer = last.answer
    assert (answer.refused, answer.shelf) == (False, "Lab")
    assert "120 °C" in answer.answer
    assert "[S1]" in answer.answer
    assert "[1]" not in answer.answer
    assert {source.shelf for source in answer.sources} == {"Lab"}
    assert any("looked on the shelf Lab" in step for step in answer.steps)
    drafts = [event.answer for event in events if isinstance(event, AnswerDraft)]
    assert [draft.shelf for draft in drafts] == ["Lab"]
    assert hashlib.sha256(theirs.read_bytes()).digest() == before


def test_a_shelf_is_silent_until_it_is_switched_on(own: Library, theirs: Path) -> None:
    attach(own, theirs)
    assert answered(own).refused
    assert answered(own, shelves=False).refused
    own.settings = replace(own.settings, shelves="when-silent")
    assert answered(own).shelf == "theirs"
    assert answered(own, shelves=False).refused


def test_what_the_library_answers_no_shelf_is_asked(own: Library, theirs: Path) -> None:
    attach(own, theirs)
    answer = answered(own, "How fast is K-204 heated?", shelves=True)
    assert (answer.refused, answer.shelf) == (False, "")
    assert not any("shelf" in step for step in answer.steps)
    assert Reviews(own.path).list() == ()


def test_what_no_shelf_answers_stays_a_refusal(own: Library, theirs: Path) -> None:
    attach(own, theirs)
    answer = answered(own, "Who painted the ceiling of the chapel?", shelves=True)
    assert (answer.refused, answer.shelf) == (True, "")
    assert any("nothing there answers it" in step for step in answer.steps)


def test_a_shelf_that_broke_is_a_step_and_the_next_one_answers(own: Library, theirs: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.inro"
    broken.write_bytes(theirs.read_bytes())
    attach(own, broken)
    attach(own, theirs)
    broken.write_bytes(b"something else now" * 1000)
    answer = answered(own, shelves=True)
    assert answer.shelf == "theirs"
    assert any("the shelf broken cannot be used" in step for step in answer.steps)


def test_only_a_file_that_can_be_read_is_attached(own: Library, theirs: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.inro"
    text.write_text("no index")
    for file, error in ((text, LibraryError), (tmp_path / "nowhere", PathMissing), (tmp_path, PathMissing)):
        with pytest.raises(error):
            attach(own, file)
    attach(own, theirs)
    for name in ("theirs", "", "\x1b[2J", "x" * 61):
        with pytest.raises(UsageError):
            attach(own, theirs, name or " ")
    assert [shelf.name for shelf in Shelves().list()] == ["theirs"]
    Shelves().remove("theirs")
    with pytest.raises(NotFound):
        Shelves().remove("theirs")
    assert theirs.is_file()


def test_such_an_answer_is_queued_once_and_a_rejected_one_never_again(own: Library, theirs: Path) -> None:
    attach(own, theirs)
    first = answered(own, shelves=True)
    answered(own, QUESTION.lower(), shelves=True)
    reviews = Reviews(own.path)
    (item,) = reviews.list()
    assert item.answer == replace(first, misses=(), steps=item.answer.steps)
    assert first.steps[-1].endswith(f"inro review show {item.id}")
    reviews.decide(item.id, "rejected")
    answered(own, shelves=True)
    assert reviews.list() == ()
    assert [one.state for one in reviews.list(everything=True)] == ["rejected"]
    with pytest.raises(UsageError, match="rejected before"):
        reviews.decide(item.id, "accepted")
    with pytest.raises(NotFound):
        reviews.get(item.id + 1)
    assert Reviews(theirs).list(everything=True) == ()
