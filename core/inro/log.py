"""The log: what happened to the library, the models and their processes on this machine, in one file of limited size.

Rule: it holds nothing of what is in the library. No text, no question, no key, no answer, no name of a note; what a
diagnosis of a single file needs, its path and the words of the error, is written at the level `debug` alone, which a
user sets. Nothing is written, and no file made, before `begin`, and a log that cannot be written is never an error.

Many programs write to the file at once. Each record is one append under a lock on the folder, and whoever finds the
file too long renames it under that lock; before writing everybody looks whether the name has a new file. One file for
each program would need no lock, but whoever reads it would have to put them in order again.

Python's `logging` is imported with the first record, so that a command which has nothing to say does not pay for it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from inro import paths

if TYPE_CHECKING:
    import logging

Level: TypeAlias = Literal["debug", "info", "warning", "off"]

LARGEST = 1 << 20
"""Bytes of one file."""
FORMER = 2
"""How many earlier files are kept."""
LONGEST = 300
"""Characters of one value."""

_RANK = {"debug": 10, "info": 20, "warning": 30, "off": 100}

_state: dict[str, object] = {"level": "off", "file": None}


def file() -> Path:
    """Where the log is; it need not exist."""
    return paths.state_dir() / "inro.log"


def begin(level: Level) -> None:
    """Write from now on what is of this level or above; called again, it changes the level."""
    _state["level"] = level


def debug(event: str, **values: object) -> None:
    """A record that may name files and hold words of errors."""
    _write("debug", event, values)


def info(event: str, **values: object) -> None:
    """A record of what was done."""
    _write("info", event, values)


def warning(event: str, **values: object) -> None:
    """A record of what went wrong."""
    _write("warning", event, values)


def _write(level: Level, event: str, values: dict[str, object]) -> None:
    if _RANK[level] < _RANK[str(_state["level"])]:
        return
    said = " ".join([event, *(f"{name}={_plain(value)}" for name, value in values.items())])
    _logger().log(_RANK[level], "%s", said)


def _plain(value: object) -> str:
    """A value as one word, with nothing in it that could act on a terminal or look like another record."""
    text = f"{value:.1f}" if isinstance(value, float) else str(value)
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    clean = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return f'"{clean}"' if " " in clean or not clean else clean


def _logger() -> logging.Logger:
    """The logger, with a handler for the file there is now: the state folder may move between two records."""
    import logging

    if _state["file"] != file():
        from inro.log_file import SharedFile

        logger = logging.getLogger("inro")
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        for former in list(logger.handlers):
            logger.removeHandler(former)
            former.close()
        handler = SharedFile(file(), LARGEST, FORMER)
        handler.setFormatter(
            logging.Formatter("%(asctime)s.%(msecs)03d %(process)d %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        )
        logger.addHandler(handler)
        _state["file"] = file()
    return logging.getLogger("inro")
