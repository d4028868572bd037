"""`inro doctor --terminal`: what this terminal does with the characters and sequences the app will send it.

Asks the terminal itself: a character is written at the left edge and the cursor's place asked for, so the answer is
the width it was drawn with, tmux and SSH in between included. What is written is wiped again.
"""

from __future__ import annotations

import os
import re
import select
import termios
import time
import tty
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from inro.records import Check
from inro_tui.wrap import cells

PATIENCE = 1.0
"""Seconds an answer may take: over a slow line, a tenth of it."""

SAMPLES = {
    "ー": "prolonged sound mark",
    "々": "iteration mark",
    "乾": "ideograph",
    "ｶ": "half-width kana",
    "か\u3099": "combining voiced mark",
    "🙂": "emoji",
    "→": "ambiguous arrow",
    "①": "ambiguous number",
    "é": "Latin with accent",
}

_CURSOR = re.compile(rb"\x1b\[(\d+);(\d+)R")
_ATTRIBUTES = re.compile(rb"\x1b\[\?([\d;]*)c")
_CLIPBOARD = "52"


def examine_terminal(environment: Mapping[str, str] = os.environ, device: str = "/dev/tty") -> Iterator[Check]:
    """Every check of the terminal at `device`."""
    try:
        handle = os.open(device, os.O_RDWR | os.O_NOCTTY)
    except OSError:
        yield Check("terminal", False, "there is none", "a terminal", "run it in a terminal, not in a pipe or a job")
        return
    try:
        with _raw(handle):
            answers = {text: _width(handle, text) for text in SAMPLES}
            attributes = _asked(handle, b"\x1b[c", _ATTRIBUTES)
    finally:
        os.close(handle)
    yield from _widths(answers)
    yield _colours(environment)
    yield _clipboard(environment, attributes)
    yield from _multiplexer(environment)


def _widths(answers: Mapping[str, int | None]) -> Iterator[Check]:
    if all(width is None for width in answers.values()):
        yield Check("cell widths", False, "the terminal tells no cursor place", "an answer to CSI 6 n", "try another")
        return
    for text, name in SAMPLES.items():
        width, expected = answers[text], cells(text)
        yield Check(
            f"{text} {name}",
            width == expected,
            "no answer" if width is None else f"{width} cells",
            f"{expected} cells",
            "set ambiguous characters to narrow" if name.startswith("ambiguous") else "use a font and terminal for CJK",
        )


def _colours(environment: Mapping[str, str]) -> Check:
    term = environment.get("TERM", "")
    if environment.get("NO_COLOR"):
        return Check("colours", True, "none wanted (NO_COLOR)")
    if environment.get("COLORTERM") in ("truecolor", "24bit"):
        return Check("colours", True, "16 million")
    many = "256" in term or term.startswith(("xterm-kitty", "alacritty", "foot", "wezterm"))
    found = "256" if many else f"16 or fewer (TERM={term or 'unset'})"
    return Check("colours", many, found, "256 or more", "export TERM=xterm-256color, if the terminal has them")


def _clipboard(environment: Mapping[str, str], attributes: re.Match[bytes] | None) -> Check:
    told = attributes is not None and _CLIPBOARD in attributes[1].decode("ascii").split(";")
    if told:
        return Check("clipboard", True, "the terminal says that it takes OSC 52")
    # few terminals say so, many do it: no answer is no fault
    inside = ", through tmux" if environment.get("TMUX") else ""
    return Check("clipboard", True, f"not told{inside}: copying tries OSC 52 and keeps a file beside")


def _multiplexer(environment: Mapping[str, str]) -> Iterator[Check]:
    if environment.get("TMUX"):
        term = environment.get("TERM", "")
        fits = term.startswith(("tmux", "screen"))
        yield Check("tmux", fits, f"TERM={term}", "tmux-256color", "set -g default-terminal tmux-256color")
        yield Check("tmux copy", True, "needs: set -s set-clipboard on")
    elif environment.get("STY"):
        yield Check("screen", False, "GNU screen passes no OSC 52 and few colours", "tmux, or none", "use tmux instead")


def _width(handle: int, text: str) -> int | None:
    """Cells the cursor moved by; None if the terminal does not tell."""
    answer = _asked(handle, b"\r" + text.encode() + b"\x1b[6n", _CURSOR)
    os.write(handle, b"\r\x1b[K")
    return None if answer is None else int(answer[2]) - 1


def _asked(handle: int, question: bytes, form: re.Pattern[bytes]) -> re.Match[bytes] | None:
    os.write(handle, question)
    data, until = b"", time.monotonic() + PATIENCE
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([handle], [], [], left)
        if not ready:
            break
        data += os.read(handle, 256)
        found = form.search(data)
        if found:
            return found
    return None


@contextmanager
def _raw(handle: int) -> Iterator[None]:
    """Keys and answers come at once and are not shown, for the length of the block."""
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        attributes = termios.tcgetattr(handle)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(handle, termios.TCSANOW, attributes)
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSAFLUSH, before)
