"""Who holds the file: from DuckDB's lock error to a sentence that names the process.

Knows no database: it is handed the text of an error.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LOCKED = "Could not set lock on file"
"""How DuckDB's message begins when another process holds the file."""

_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")


def is_lock_error(message: str) -> bool:
    """Whether a DuckDB error message says that another process holds the file."""
    return LOCKED in message


def describe(message: str) -> str:
    """The holder a lock error names, as `PROGRAM ARGUMENTS (PID N)`; `another process` if it names none.

    The command line comes from /proc where there is one, since the message has the program's path only.
    """
    found = _HOLDER.search(message)
    if found is None:
        return "another process"
    pid = int(found["pid"])
    return f"{_command(pid) or found['program']} (PID {pid})"


def this_process() -> str:
    """This process in the same form, for a wait that ended inside one process."""
    pid = os.getpid()
    return f"{_command(pid) or 'this process'} (PID {pid})"


def _command(pid: int) -> str:
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ""
    words = [word.decode("utf-8", "replace") for word in raw.split(b"\0") if word]
    if not words:
        return ""
    line = " ".join([Path(words[0]).name, *words[1:]])
    # a command line is another program's text: no control characters, no endless line
    clean = "".join(character if character.isprintable() else " " for character in line)
    return clean if len(clean) <= 120 else clean[:119] + "…"
