"""The state file: one small SQLite file in the user's state folder, readable by its owner alone.

Rule: looking never makes it. Whoever remembers something makes it with the folder around it. Several programs may use
it at once; a short wait settles who writes. It knows its tables and nothing of what they mean.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from inro import paths
from inro.errors import StateUnusable

NAME = "state.sqlite"
FORMAT = 1
WAIT_SECONDS = 5.0
"""For another program that is writing."""

_TABLES = (
    """CREATE TABLE chats (
        id INTEGER PRIMARY KEY AUTOINCREMENT, library TEXT NOT NULL, title TEXT NOT NULL, began TEXT NOT NULL)""",
    """CREATE TABLE turns (
        chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE, n INTEGER NOT NULL, answer TEXT NOT NULL,
        asked TEXT NOT NULL, PRIMARY KEY (chat, n))""",
    """CREATE TABLE shelves (
        name TEXT PRIMARY KEY, path TEXT NOT NULL, kind TEXT NOT NULL, added TEXT NOT NULL)""",
    """CREATE TABLE reviews (
        id INTEGER PRIMARY KEY AUTOINCREMENT, library TEXT NOT NULL, same TEXT NOT NULL, state TEXT NOT NULL,
        made TEXT NOT NULL, note TEXT NOT NULL, answer TEXT NOT NULL, UNIQUE (library, same))""",
)


class StateFile:
    """The file at one place; every call opens and closes it."""

    def __init__(self, path: Path | None = None) -> None:
        """`path` is `state.sqlite` in the user's state folder by default."""
        self.path = path or paths.state_dir() / NAME

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to look with; None while nothing was ever remembered.

        Raises:
            StateUnusable: the file is damaged, or of a newer release.
        """
        if not self.path.exists():
            yield None
            return
        with self._open() as con:
            yield con

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection whose changes are kept together if the block ends well, and not at all if it does not.

        Raises:
            StateUnusable: the file is damaged, of a newer release, or cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.touch(mode=0o600)
        except OSError as e:
            raise StateUnusable(f"{self.path} cannot be written: {e.strerror}", "check that folder") from e
        with self._open() as con:
            con.execute("BEGIN IMMEDIATE")
            if not _format(con):
                for table in _TABLES:
                    con.execute(table)
                con.execute(f"PRAGMA user_version = {FORMAT}")
            yield con
            con.execute("COMMIT")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)) as con:
                con.execute("PRAGMA foreign_keys = ON")
                con.execute("PRAGMA trusted_schema = OFF")
                if _format(con) > FORMAT:
                    raise StateUnusable(f"{self.path} was written by a newer release", "update Inro")
                yield con
        except sqlite3.Error as e:
            raise StateUnusable(
                f"{self.path} cannot be used: {e}", "move that file away; the chats and shelves in it are lost"
            ) from e


def _format(con: sqlite3.Connection) -> int:
    """The format of the file; 0 of one just made."""
    row: tuple[int] = con.execute("PRAGMA user_version").fetchone()
    return row[0]
