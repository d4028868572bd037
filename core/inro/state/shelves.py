"""The reference shelves that this user attached, by name."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from inro.errors import NotFound, UsageError
from inro.records import Shelf
from inro.state.file import StateFile

NAME = 60
"""Characters of a name at most."""


class Shelves:
    """What is attached. It does not know whether the files are still there."""

    def __init__(self, file: StateFile | None = None) -> None:
        self._file = file or StateFile()

    def list(self) -> tuple[Shelf, ...]:
        """In the order in which they were attached, which is the order they are asked in. Raises StateUnusable."""
        with self._file.reading() as con:
            rows = [] if con is None else con.execute("SELECT name, path, kind, added FROM shelves ORDER BY rowid")
            return tuple(Shelf(name, path, "zim" if kind == "zim" else "library", at) for name, path, kind, at in rows)

    def add(self, name: str, path: Path, kind: Literal["library", "zim"]) -> Shelf:
        """Remember a file as a shelf.

        Raises:
            UsageError: the name is blank, too long or taken.
            StateUnusable: the state file cannot be written.
        """
        name = " ".join(name.split())
        if not name or len(name) > NAME or not name.isprintable():
            raise UsageError(f"a shelf cannot be called {name!r}", f"--name, of 1 to {NAME} characters")
        shelf = Shelf(name, str(path.absolute()), kind, datetime.now(UTC).isoformat(timespec="seconds"))
        with self._file.writing() as con:
            if con.execute("SELECT 1 FROM shelves WHERE name = ?", [name]).fetchone():
                raise UsageError(f"there is a shelf called {name} already", "--name, for another name")
            con.execute("INSERT INTO shelves VALUES (?, ?, ?, ?)", [shelf.name, shelf.path, shelf.kind, shelf.added])
        return shelf

    def remove(self, name: str) -> None:
        """Forget a shelf; its file is not touched. Raises NotFound, StateUnusable."""
        if name not in (shelf.name for shelf in self.list()):
            raise NotFound(f"there is no shelf called {name}", "inro shelf list")
        with self._file.writing() as con:
            con.execute("DELETE FROM shelves WHERE name = ?", [name])
