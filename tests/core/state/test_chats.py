"""Chats are remembered by library, in a file of the user's own that a stranger's bytes cannot break."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro import paths
from inro.errors import NotFound, StateUnusable
from inro.records import Answer, AnswerSentence, SourcePassage, Speed
from inro.state.answers import from_text, to_text
from inro.state.chats import Chats
from inro.state.file import StateFile

words = st.text(max_size=20)
count = st.integers(0, 10**6)
sources = st.builds(
    SourcePassage, n=count, document=count, path=words, title=words, heading=words, page=st.none() | count,
    start=count, end=count, quote=words,
)  # fmt: skip
sentences = st.builds(
    AnswerSentence, text=words, citations=st.lists(count, max_size=3).map(tuple), supported=st.booleans(),
    problems=st.lists(words, max_size=2).map(tuple), span=st.none() | st.tuples(count, count),
)  # fmt: skip
speeds = st.builds(
    Speed, first_token_ms=st.floats(0, 1e6), tokens=count, tokens_per_second=st.none() | st.floats(0, 1e6)
)
answers = st.builds(
    Answer, question=words, answer=words, refused=st.booleans(), mode=st.sampled_from(["model", "extractive"]),
    sentences=st.lists(sentences, max_size=3).map(tuple), sources=st.lists(sources, max_size=3).map(tuple),
    steps=st.lists(words, max_size=2).map(tuple), misses=st.just(()), speed=st.none() | speeds,
)  # fmt: skip


def said(question: str, answer: str = "It is so.") -> Answer:
    return Answer(question, answer, False, "extractive", (), (), ())


@given(answers)
def test_an_answer_comes_back_as_it_was(answer: Answer) -> None:
    assert from_text(to_text(answer)) == answer


def test_an_answer_of_before_its_speed_was_kept_is_read() -> None:
    answer = said("What is the kiln?")
    assert from_text(to_text(answer).replace(', "speed": null', "")) == answer


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "{}", '{"question": 1}', "[" * 10_000])
def test_what_is_no_answer_is_none(text: str) -> None:
    assert from_text(text) is None


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert Chats(tmp_path / "a.inro").list() == ()
    with pytest.raises(NotFound):
        Chats(tmp_path / "a.inro").answers(1)
    assert not paths.state_dir().exists()


def test_a_chat_is_gone_on_with(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "a.inro")
    first = chats.keep(None, said("What  is\nthe kiln?"))
    second = chats.keep(None, said("And the glovebox?"))
    assert chats.keep(first, said("How hot?")) == first
    assert [answer.question for answer in chats.answers(first)] == ["What  is\nthe kiln?", "How hot?"]
    assert [(chat.id, chat.title, chat.turns) for chat in chats.list()] == [
        (first, "What is the kiln?", 2),
        (second, "And the glovebox?", 1),
    ]


def test_libraries_see_only_their_own(tmp_path: Path) -> None:
    chat = Chats(tmp_path / "a.inro").keep(None, said("Mine?"))
    other = Chats(tmp_path / "b.inro")
    assert other.list() == ()
    for act in (other.answers, other.delete, lambda number: other.keep(number, said("Theirs?"))):
        with pytest.raises(NotFound):
            act(chat)
    assert len(Chats(tmp_path / "a.inro").answers(chat)) == 1


def test_a_deleted_chat_leaves_no_words_behind(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "a.inro")
    chats.keep(chats.keep(None, said("Where is the zirconia?")), said("And the yttria?"))
    kept = chats.keep(None, said("Where is the kiln?"))
    chats.delete(1)
    held = StateFile().path.read_bytes()
    assert b"zirconia" not in held
    assert b"yttria" not in held
    assert [chat.id for chat in chats.list()] == [kept]


def test_only_the_owner_reads_the_file(tmp_path: Path) -> None:
    Chats(tmp_path / "a.inro").keep(None, said("Who reads this?"))
    assert stat.S_IMODE(StateFile().path.stat().st_mode) == 0o600


def test_a_damaged_row_hides_no_other(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "a.inro")
    chat = chats.keep(chats.keep(None, said("One?")), said("Two?"))
    with sqlite3.connect(StateFile().path) as con:
        con.execute("UPDATE turns SET answer = '{' WHERE n = 1")
    con.close()
    assert [answer.question for answer in chats.answers(chat)] == ["Two?"]


def test_a_file_that_is_no_state_is_named(tmp_path: Path) -> None:
    file = StateFile()
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(b"not a database, and long enough to be looked at as one" * 20)
    for act in (Chats(tmp_path / "a").list, lambda: Chats(tmp_path / "a").keep(None, said("Kept?"))):
        with pytest.raises(StateUnusable, match=file.path.name):
            act()


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    chats = Chats(tmp_path / "a.inro")
    chats.keep(None, said("Old?"))
    with sqlite3.connect(StateFile().path) as con:
        con.execute("PRAGMA user_version = 99")
    con.close()
    with pytest.raises(StateUnusable, match="newer"):
        chats.keep(None, said("New?"))
