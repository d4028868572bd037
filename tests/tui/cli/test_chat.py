"""`inro chat` at the standard streams: a question a line from a pipe, orders, and Ctrl-C that stops an answer."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Run

from inro_tui.cli.chat import stopped_by_hand

Typed = Callable[..., Run]
Chat = Callable[..., Run]


@pytest.fixture
def chat(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> Chat:
    """Runs the command with these lines on its standard input."""

    def run(*lines: str, options: tuple[str, ...] = ()) -> Run:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return typed("chat", *options)

    return run


def test_every_line_is_a_question(chat: Chat) -> None:
    run = chat("How fast is K-204 heated?", "", "Where was the trap \x1b[2Jcleaned?")
    assert run.code == 0
    assert "5 °C/min" in run.out
    assert "[1]" in run.out
    assert "\x1b" not in run.out + run.err


def test_answers_are_lines_of_json_with_what_was_asked(chat: Chat) -> None:
    run = chat("How fast is K-204 heated?", "And how long is it held?", options=("--json",))
    answers = [json.loads(line) for line in run.out.splitlines()]
    assert [answer["question"] for answer in answers] == ["How fast is K-204 heated?", "And how long is it held?"]
    assert any(step.startswith("read as: And how long is it held? ") for step in answers[1]["steps"])


def test_a_chat_is_listed_resumed_and_deleted(chat: Chat, typed: Typed) -> None:
    chat("How fast is K-204 heated?")
    chat("And how long is it held?", options=("--resume",))
    chat("Where was the trap cleaned?")
    listed = json.loads(typed("chat", "--list", "--json").out)
    assert [(one["title"], one["turns"]) for one in listed] == [
        ("Where was the trap cleaned?", 1),
        ("How fast is K-204 heated?", 2),
    ]
    assert typed("chat", "--delete", str(listed[0]["id"])).code == 0
    assert "trap" not in typed("chat", "--list").out
    assert chat(options=("--resume", str(listed[0]["id"]))).code == 2
    assert chat(options=("--resume", "x")).code == 2


def test_sources_are_shown_and_opened(chat: Chat) -> None:
    run = chat("How fast is K-204 heated?", "/sources", "/open 1", "/quit", "Never asked?")
    assert run.out.count("Heat K-204 at 5 °C/min to 900 °C.") >= 3
    assert "Never asked" not in run.out
    assert run.code == 0


def test_a_chat_is_exported_and_overwrites_nothing(chat: Chat, tmp_path: Path) -> None:
    file = tmp_path / "my chat.md"
    assert chat("How fast is K-204 heated?", f"/export {file}").code == 0
    note = file.read_text(encoding="utf-8")
    assert note.startswith("# How fast is K-204 heated?\n")
    assert "> Heat K-204 at 5 °C/min" in note
    assert "kiln.md" in note
    again = chat("Where was the trap cleaned?", f"/export {file}")
    assert again.code == 2
    assert "there already" in again.err
    assert file.read_text(encoding="utf-8") == note


@pytest.mark.parametrize("order", ["/open 1", "/sources", "/export x.md", "/what"])
def test_an_order_that_cannot_be_done_says_why(chat: Chat, order: str) -> None:
    run = chat(order)
    assert run.code == 2
    assert "Do: " in run.err


def test_a_new_chat_leans_on_nothing(chat: Chat) -> None:
    run = chat("How fast is K-204 heated?", "/new", "And how long is it held?", options=("--json",))
    assert not any(step.startswith("read as") for step in json.loads(run.out.splitlines()[1])["steps"])


def test_the_first_interrupt_stops_the_answer_the_next_one_the_program() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopped_by_hand() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.wait(5)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
