"""`inro doctor --terminal` believes what the terminal says, not what a table says of it."""

from __future__ import annotations

import os
import pty
import re
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from inro.records import Check
from inro_tui.cli import terminal
from inro_tui.wrap import cells

Draw = Callable[[str], int]


@contextmanager
def emulated(draw: Draw, attributes: str = "62;22") -> Iterator[str]:
    """A terminal that draws a text in so many cells and answers; its device."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)

    def answer() -> None:
        data = b""
        while True:
            try:
                data += os.read(ours, 4096)
            except OSError:
                return
            if data.endswith(b"\x1b[6n"):
                text = re.sub(r"\x1b\[\d*[A-Za-z]|\r", "", data.decode())
                os.write(ours, f"\x1b[1;{1 + draw(text)}R".encode())
                data = b""
            elif data.endswith(b"\x1b[c"):
                os.write(ours, f"\x1b[?{attributes}c".encode())
                data = b""

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield os.ttyname(theirs)
    finally:
        os.close(theirs)
        thread.join(5)
        os.close(ours)


def examined(draw: Draw, environment: dict[str, str], attributes: str = "62;22") -> dict[str, Check]:
    with emulated(draw, attributes) as device:
        return {check.name: check for check in terminal.examine_terminal(environment, device)}


def test_a_terminal_that_draws_as_the_app_does_is_fine() -> None:
    checks = examined(cells, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "62;52")
    assert len(checks) == len(terminal.SAMPLES) + 2
    assert all(check.ok for check in checks.values())
    assert "OSC 52" in checks["clipboard"].found


def test_what_is_drawn_otherwise_is_named_with_both_widths() -> None:
    checks = examined(lambda text: 2, {"TERM": "vt100"})
    arrow = checks["→ ambiguous arrow"]
    assert (arrow.ok, arrow.found, arrow.expected) == (False, "2 cells", "1 cells")
    assert arrow.mend
    assert checks["々 iteration mark"].ok
    assert not checks["colours"].ok


def test_tmux_is_asked_for_its_settings() -> None:
    checks = examined(cells, {"TERM": "xterm", "TMUX": "/tmp/tmux,1,0"})
    assert not checks["tmux"].ok
    assert "through tmux" in checks["clipboard"].found


def test_a_terminal_that_does_not_answer_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "PATIENCE", 0.01)
    ours, theirs = pty.openpty()
    try:
        checks = list(terminal.examine_terminal({"TERM": "xterm-256color"}, os.ttyname(theirs)))
    finally:
        os.close(ours)
        os.close(theirs)
    assert [check.name for check in checks if not check.ok] == ["cell widths"]


def test_without_a_terminal_there_is_one_line() -> None:
    (check,) = terminal.examine_terminal({}, "/nonexistent/tty")
    assert not check.ok
