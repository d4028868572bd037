"""The `sources` table: the roots a library is made from.

A root is kept as the absolute path it was added by and, where it lies beside or below the library file,
relative to it, so that a folder carried to another machine with its library is found there. Looks at the
file system only to say whether a root is present.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from inro.records import SourceState
from inro.store import meta
from inro.store.rows import clean


@dataclass(frozen=True, slots=True)
class Source:
    """One root as stored."""

    id: int
    name: str
    """How it is shown: the absolute path it was added by, or the name of a virtual source."""
    raw: bytes
    """The absolute path in bytes, as the file system has it; empty for a virtual source."""
    relative: str
    """The path from the library's folder, `.` for that folder itself; empty if it lies elsewhere."""
    rules: str
    """What the walk takes in, written by the pipeline."""
    last_sync: str
    """ISO 8601 in UTC, empty if never."""
    outcome: str
    """How the last sync of this root ended, in words."""

    def root(self, library: Path) -> Path:
        """Where the root is on this machine: beside the library if it is there, else where it was."""
        if self.relative:
            beside = library.resolve().parent / self.relative
            if beside.exists():
                return beside
        return Path(os.fsdecode(self.raw))

    def present(self, library: Path) -> bool:
        """Whether the root is there now; a virtual source always is."""
        return not self.raw or self.root(library).exists()


def add(con: duckdb.DuckDBPyConnection, root: Path, library: Path, rules: str | None) -> int:
    """Remember a root and return its id; one that is already there keeps its id and gets these rules, if any."""
    absolute = root.resolve()
    raw = os.fsencode(absolute)
    row = con.execute("SELECT id FROM sources WHERE raw = ?", [raw]).fetchone()
    if row is not None:
        if rules is not None:
            con.execute("UPDATE sources SET rules = ? WHERE id = ?", [rules, row[0]])
        return int(row[0])
    new = meta.count_up(con, meta.NEXT_SOURCE) + 1
    con.execute(
        "INSERT INTO sources VALUES (?, ?, ?, ?, ?, '', '')",
        [new, clean(str(absolute)), raw, relative_to(absolute, library), rules or ""],
    )
    return new


def add_virtual(con: duckdb.DuckDBPyConnection, name: str) -> int:
    """A source that is no folder, for documents handed over by a program; its id, new or known."""
    row = con.execute("SELECT id FROM sources WHERE path = ? AND octet_length(raw) = 0", [name]).fetchone()
    if row is not None:
        return int(row[0])
    new = meta.count_up(con, meta.NEXT_SOURCE) + 1
    con.execute("INSERT INTO sources VALUES (?, ?, ''::BLOB, '', '', '', '')", [new, clean(name)])
    return new


def relocate(con: duckdb.DuckDBPyConnection, source: int, root: Path, library: Path) -> None:
    """Say that a root lives elsewhere on this machine; its documents keep their ids."""
    absolute = root.resolve()
    con.execute(
        "UPDATE sources SET path = ?, raw = ?, relative = ? WHERE id = ?",
        [clean(str(absolute)), os.fsencode(absolute), relative_to(absolute, library), source],
    )


def relative_to(root: Path, library: Path) -> str:
    """`root` from the library's folder if it is that folder or below it, else empty."""
    try:
        inside = root.relative_to(library.resolve().parent)
    except ValueError:
        return ""
    text = str(inside)
    # a name that is not valid Unicode cannot be kept as text; the absolute bytes still hold it
    return text if clean(text) == text else ""


def every(con: duckdb.DuckDBPyConnection) -> list[Source]:
    """All roots, in the order they were added."""
    found = con.execute("SELECT id, path, raw, relative, rules, last_sync, outcome FROM sources ORDER BY id").fetchall()
    return [Source(*row) for row in found]


def folders(con: duckdb.DuckDBPyConnection) -> list[Source]:
    """The roots that a sync walks: all but the virtual ones."""
    return [source for source in every(con) if source.raw]


def mark_synced(con: duckdb.DuckDBPyConnection, source: int, outcome: str) -> None:
    """Note that a sync of this root has just ended, and how."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    con.execute("UPDATE sources SET last_sync = ?, outcome = ? WHERE id = ?", [now, outcome, source])


def remove(con: duckdb.DuckDBPyConnection, source: int) -> None:
    """Forget the root itself; its documents are removed by `documents.remove`."""
    con.execute("DELETE FROM sources WHERE id = ?", [source])


def states(con: duckdb.DuckDBPyConnection, library: Path) -> tuple[SourceState, ...]:
    """Every root with what it holds and whether it is present now."""
    counts: dict[int, int] = dict(con.execute("SELECT source, count(*) FROM documents GROUP BY source").fetchall())
    return tuple(
        SourceState(
            id=source.id,
            path=clean(str(source.root(library))) if source.raw else source.name,
            present=source.present(library),
            documents=counts.get(source.id, 0),
            last_sync=source.last_sync,
        )
        for source in every(con)
    )
