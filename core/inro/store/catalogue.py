"""Questions about documents that a person asks: what is in the library, what became of a file, show me one.

Reads only. Paths and titles come back as stored; whoever prints them strips control characters.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import cast

import duckdb

from inro.errors import NotFound
from inro.records import DocumentView, FileOutcome, Ledger, Link, LinkKind, Outcome, Span
from inro.store import rows, sources, texts
from inro.store.coverage import coverage
from inro.store.documents import nfc

ALIAS_FIELDS = ("aliases", "alias", "別名")
"""Declared fields that name a document anew."""


def view(con: duckdb.DuckDBPyConnection, id_: int, library: Path, span: Span | None = None) -> DocumentView:
    """One document with its text, or a slice of it, its fields, links and who links to it.

    Raises:
        NotFound: there is no document of this id.
    """
    row = con.execute(
        "SELECT source, path, raw, title, chars, outcome, reason, tags FROM documents WHERE id = ?", [id_]
    ).fetchone()
    if row is None:
        raise NotFound(f"no document {id_} in this library", "inro search WORDS to find one")
    source, path, raw, title, chars, outcome, reason, tags = row
    fields: dict[str, list[str]] = defaultdict(list)
    for key, value in con.execute(
        "SELECT key, value FROM fields WHERE document = ? ORDER BY key, ordinal", [id_]
    ).fetchall():
        fields[key].append(value)
    headings = con.execute(
        "SELECT start, level, text FROM headings WHERE document = ? ORDER BY start", [id_]
    ).fetchall()
    links = con.execute(
        "SELECT kind, target, start, stop FROM links WHERE document = ? ORDER BY start", [id_]
    ).fetchall()
    return DocumentView(
        document=id_,
        path=path,
        absolute=_absolute(con, source, raw, library),
        title=title,
        text=texts.whole(con, id_) if span is None else texts.slices(con, [(id_, *span)])[0],
        chars=chars,
        outcome=cast("Outcome", outcome),
        reason=reason,
        fields={key: tuple(values) for key, values in fields.items()},
        tags=tuple(tags),
        headings=tuple(headings),
        links=tuple(Link(cast("LinkKind", kind), target, start, stop) for kind, target, start, stop in links),
        backlinks=_backlinks(con, id_, path, title),
    )


@dataclass(frozen=True, slots=True)
class Names:
    """What a document calls itself."""

    document: int
    path: str
    title: str
    tags: tuple[str, ...]
    headings: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]


def names(con: duckdb.DuckDBPyConnection, only: Sequence[int] | None = None) -> list[Names]:
    """What documents call themselves, all or those of these ids, by id."""
    where = "" if only is None else f"WHERE document IN ({', '.join(str(int(i)) for i in only) or 'NULL'})"
    headings: dict[int, list[str]] = defaultdict(list)
    for document, text in con.execute(
        f"SELECT document, text FROM headings {where} ORDER BY document, start"
    ).fetchall():
        headings[document].append(text)
    fields: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for document, key, value in con.execute(
        f"SELECT document, key, value FROM fields {where} ORDER BY document, key, ordinal"
    ).fetchall():
        fields[document][key].append(value)
    found = con.execute(
        f"SELECT id, path, title, tags FROM (SELECT *, id AS document FROM documents) {where} ORDER BY id"
    ).fetchall()
    return [
        Names(
            id_,
            path,
            title,
            tuple(tags),
            tuple(headings[id_]),
            {key: tuple(values) for key, values in fields[id_].items()},
        )
        for id_, path, title, tags in found
    ]


def find(con: duckdb.DuckDBPyConnection, name: str) -> list[int]:
    """Ids of the documents a name may mean, the surest first: an id, a path, the end of a path, a title, an alias."""
    if name.isascii() and name.isdigit() and len(name) < 19:
        row = con.execute("SELECT id FROM documents WHERE id = ?", [int(name)]).fetchone()
        if row is not None:
            return [int(row[0])]
    wanted = nfc(name.removeprefix("./"))
    found = con.execute(
        "SELECT id FROM ("
        " SELECT id, CASE WHEN path = $name THEN 0 WHEN ends_with(path, '/' || $name) THEN 1"
        " WHEN title = $name THEN 2 WHEN lower(path) = lower($name) THEN 3"
        " WHEN lower(title) = lower($name) THEN 4"
        " WHEN parse_filename(path, true, 'forward_slash') = $name THEN 5"
        " WHEN id IN (SELECT document FROM fields WHERE list_contains($keys, key) AND lower(value) = lower($name))"
        " THEN 6 END AS sureness FROM documents"
        ") WHERE sureness IS NOT NULL ORDER BY sureness, id",
        {"name": wanted, "keys": list(ALIAS_FIELDS)},
    ).fetchall()
    return [int(id_) for (id_,) in found]


def outcomes(
    con: duckdb.DuckDBPyConnection, outcome: Outcome | None = None, among: Container[int] | None = None
) -> list[FileOutcome]:
    """What became of each file: of all, of those of one outcome, of those among some documents."""
    found = con.execute(
        "SELECT id, path, source, outcome, reason, mend, reader, encoding, chars FROM documents "
        "WHERE $outcome IS NULL OR outcome = $outcome ORDER BY source, path, id",
        {"outcome": outcome},
    )
    files = [FileOutcome(*row) for row in rows.in_turns(found) if among is None or row[0] in among]
    covered = coverage(con)
    return [replace(file, coverage=covered[file.document]) if file.document in covered else file for file in files]


def outcome_counts(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many documents have each outcome."""
    return dict(con.execute("SELECT outcome, count(*) FROM documents GROUP BY outcome").fetchall())


def ledger(con: duckdb.DuckDBPyConnection, library: Path) -> Ledger:
    """How much of what the user owns a search looks at."""
    counts = outcome_counts(con)
    offline = sum(state.documents for state in sources.states(con, library) if not state.present)
    return Ledger(
        searched=counts.get("ok", 0) + counts.get("partial", 0),
        total=sum(counts.values()),
        unreadable=counts.get("unreadable", 0),
        skipped=counts.get("skipped", 0),
        offline=offline,
    )


def _absolute(con: duckdb.DuckDBPyConnection, source: int, raw: bytes, library: Path) -> str:
    home = next((one for one in sources.every(con) if one.id == source), None)
    if home is None or not home.raw:
        return ""
    root = home.root(library)
    name = PurePosixPath(os.fsdecode(raw))
    if name.is_absolute() or ".." in name.parts:
        # a path that leads out of its root is no file of this library, whoever wrote it there
        return ""
    return str(root / name) if root.is_dir() or root.name != name.name else str(root)


def _backlinks(con: duckdb.DuckDBPyConnection, id_: int, path: str, title: str) -> tuple[tuple[int, str], ...]:
    stem = PurePosixPath(path).stem
    others = con.execute(
        "SELECT value FROM fields WHERE document = ? AND list_contains(?, key)", [id_, list(ALIAS_FIELDS)]
    ).fetchall()
    known = {path, path.rsplit(".", 1)[0], PurePosixPath(path).name, stem, title}
    names = sorted(known.union(str(value) for (value,) in others))
    found = con.execute(
        "SELECT DISTINCT d.id, d.title FROM links l JOIN documents d ON d.id = l.document "
        "WHERE l.kind <> 'url' AND l.document <> $id "
        "AND list_contains($names, split_part(split_part(l.target, '#', 1), '|', 1)) ORDER BY d.id",
        {"names": names, "id": id_},
    ).fetchall()
    return tuple((int(document), str(shown)) for document, shown in found)
