"""What every reader is: a name, a version, the suffixes it claims and a pure function of bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from inro.records import Reading


@dataclass(frozen=True, slots=True)
class Reader:
    """One format's reader."""

    name: str
    """Short and stable: it is stored with each document."""
    version: int
    """Raised whenever the same bytes would give another reading, so that a sync can read them again."""
    suffixes: frozenset[str]
    """Lower case, with the dot."""
    read: Callable[[bytes, str, str | None], Reading]
    """`(data, name, encoding override)` to a reading; raises `Unreadable`."""
    isolated: bool = False
    """Whether a sync reads this format in a child process with limits: its parser is native code, or a small file
    can make it use much time or memory."""

    @property
    def id(self) -> str:
        """`name/version`, as stored."""
        return f"{self.name}/{self.version}"


def stem_of(name: str) -> str:
    """The file name without folders and last suffix: the title of last resort."""
    return PurePosixPath(name.replace("\\", "/")).stem or name
