"""Files inside files: an attachment or a member read by the reader of its own format.

Whatever is wrong with one of them is a sentence in the reading of the whole, never the end of it. Knows
nothing of who holds the member; depth and size are counted by `unfolding`.
"""

from __future__ import annotations

from inro.errors import Unreadable
from inro.readers.draft import Draft, clean
from inro.readers.unfolding import one_deeper
from inro.records import Reading

_LONGEST_NAME = 200


def shown_name(name: str) -> str:
    """A member's name on one line for a heading or a message; it is never used as a path."""
    return " ".join(clean(name).split())[:_LONGEST_NAME] or "unnamed"


def embed_file(draft: Draft, data: bytes, name: str, level: int, page: int | None = None) -> bool:
    """Write a file under a heading of its name; whether its text could be read."""
    label = shown_name(name)
    draft.heading(level, label, page)
    try:
        reading = _read(data, label)
    except Unreadable as e:
        draft.problems.append(e.message)
        return False
    if reading.outcome == "skipped":
        draft.problems.append(f"{label}: {reading.reason}")
        return False
    for key in ("author", "from", "doi"):
        draft.declare(key, *reading.fields.get(key, ()))
    draft.embed(reading, under=level, page=page)
    return True


def _read(data: bytes, name: str) -> Reading:
    from inro.readers.registry import read

    with one_deeper(name):
        return read(data, name)
