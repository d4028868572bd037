"""Copying from a terminal, near or far, without claiming what cannot be known.

OSC 52 asks the terminal to set the clipboard; nothing ever answers. So a copy is *sent*, never *done*, and
the same text is kept in a file of the user's state folder. Inside tmux the request goes out twice: bare,
which tmux takes itself when `set-clipboard` is `on`, and wrapped, which it hands on when
`allow-passthrough` is on. What is too long for common terminals goes to the file alone.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inro_tui.sanitise import clean

LIMIT = 74_000
"""Longest base64 payload sent: some terminals drop a longer one, and say nothing."""

_SCREEN_PIECE = 240
"""GNU screen cuts a device control string at 256 bytes."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What became of one copy."""

    went: Literal["terminal", "file", "nowhere"]
    characters: int
    file: Path | None
    """Where the text can be read, if it could be written."""
    inside: Literal["", "tmux", "screen"] = ""


def request(text: str, environ: Mapping[str, str]) -> str | None:
    """The bytes that ask for the copy, as text; None when it is too long to be asked for."""
    payload = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(payload) > LIMIT:
        return None
    bare = f"\x1b]52;c;{payload}\x07"
    inside = _multiplexer(environ)
    if inside == "tmux":
        doubled = bare.replace("\x1b", "\x1b\x1b")
        return f"{bare}\x1bPtmux;{doubled}\x1b\\"
    if inside == "screen":
        pieces = [bare[i : i + _SCREEN_PIECE] for i in range(0, len(bare), _SCREEN_PIECE)]
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    return bare


def copy(text: str, write: Callable[[str], object] | None, folder: Path, environ: Mapping[str, str]) -> Copy:
    """Send a text to the terminal through `write` and keep it in `folder`.

    Control characters are taken out first: a pasted escape or return could act in a shell.
    """
    text = clean(text)
    asked = request(text, environ) if write is not None else None
    file = _keep(text, folder)
    if asked is not None and write is not None:
        write(asked)
        return Copy("terminal", len(text), file, _multiplexer(environ))
    return Copy("file" if file else "nowhere", len(text), file, _multiplexer(environ))


def _multiplexer(environ: Mapping[str, str]) -> Literal["", "tmux", "screen"]:
    if environ.get("TMUX"):
        return "tmux"
    # Over SSH only TERM tells of a tmux at the near end.
    if environ.get("STY"):
        return "screen"
    return "tmux" if environ.get("TERM", "").startswith("tmux") else ""


def _keep(text: str, folder: Path) -> Path | None:
    target = folder / "clipboard.txt"
    draft = folder / f".clipboard.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        draft.replace(target)
    except OSError:
        return None
    return target
