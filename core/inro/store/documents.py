"""Documents as rows: written whole from a reading, removed whole, found by id or by name.

A document's id is given once; a changed file keeps it, a renamed file keeps it. Its path is relative to its
source's root, in NFC for people and in the file system's own bytes for opening. Knows nothing of chunks
beyond removing them with their document.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from inro.records import Outcome, Reading
from inro.store import rows, texts, titles
from inro.store.schema import TABLES

_OWNED = ("texts", "headings", "fields", "links", "labels", "steps")
"""Tables whose rows belong to one document and go with it, titles apart, which are in an index besides."""


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document about to be stored."""

    id: int
    source: int
    path: str
    """Relative to the source's root, with `/`."""
    raw: bytes
    """The same as the file system spells it."""
    hash: str
    """Of the content, in hexadecimal; empty if it could not be read."""
    size: int
    """Bytes; -1 for a file the walk left out unseen."""
    mtime_ns: int
    reading: Reading
    mend: str = ""
    """What the user can do about an outcome that is not `ok`."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What a later sync compares a file with."""

    document: int
    raw: bytes
    size: int
    mtime_ns: int
    hash: str
    indexed_ns: int
    title: str
    outcome: str
    reason: str
    reader: str
    encoding: str


def insert(con: duckdb.DuckDBPyConnection, documents: Sequence[NewDocument]) -> None:
    """Append documents with their texts, headings, fields and links; their ids must not be in the table."""
    now = time.time_ns()
    readings = [document.reading for document in documents]
    rows.insert(
        con,
        "documents",
        {
            "id": [d.id for d in documents],
            "source": [d.source for d in documents],
            "path": [nfc(d.path) for d in documents],
            "raw": [d.raw for d in documents],
            "title": [r.title for r in readings],
            "hash": [d.hash for d in documents],
            "size": [d.size for d in documents],
            "mtime_ns": [d.mtime_ns for d in documents],
            "indexed_ns": [now] * len(documents),
            "reader": [r.reader for r in readings],
            "encoding": [r.encoding for r in readings],
            "outcome": [r.outcome for r in readings],
            "reason": [r.reason for r in readings],
            "mend": [d.mend for d in documents],
            "chars": [len(r.text) for r in readings],
            "tags": [list(r.tags) for r in readings],
        },
    )
    texts.insert(con, ((d.id, rows.clean(d.reading.text)) for d in documents))
    _insert_headings(con, documents)
    _insert_fields(con, documents)
    _insert_links(con, documents)


def remove(con: duckdb.DuckDBPyConnection, ids: Sequence[int], *, title_too: bool = True) -> None:
    """Remove documents with everything of theirs but their chunks, which `chunks.remove_of` takes.

    What they are found by as titles stays without `title_too`: for documents that are put in again in this commit.
    """
    for table in _OWNED:
        rows.where_ids(con, ids, f"DELETE FROM {table} WHERE document IN ($ids)")
    if title_too:
        titles.put(con, {}, remove=ids)
    rows.where_ids(con, ids, "DELETE FROM documents WHERE id IN ($ids)")


def rename(con: duckdb.DuckDBPyConnection, id_: int, path: str, raw: bytes, title: str, mtime_ns: int) -> None:
    """Give a document its new path and title; id, text, chunks and vectors stay."""
    con.execute(
        "UPDATE documents SET path = ?, raw = ?, title = ?, mtime_ns = ?, indexed_ns = ? WHERE id = ?",
        [rows.clean(nfc(path)), raw, rows.clean(title), mtime_ns, time.time_ns(), id_],
    )


def touch(con: duckdb.DuckDBPyConnection, files: Sequence[tuple[int, int, int]]) -> None:
    """Note the (document, size, mtime_ns) of files whose content is unchanged."""
    if files:
        kinds = {name: TABLES["documents"][name] for name in ("id", "size", "mtime_ns")}
        con.execute(
            f"UPDATE documents SET size = f.size, mtime_ns = f.mtime_ns, indexed_ns = {time.time_ns()} "
            f"FROM (SELECT {rows.unpack(kinds)}) f WHERE documents.id = f.id",
            [rows.pack(column, kind) for column, kind in zip(zip(*files, strict=True), kinds.values(), strict=True)],
        )


def listed(con: duckdb.DuckDBPyConnection, source: int, unseen: int) -> dict[bytes, tuple[int, int]]:
    """Size and time in nanoseconds of every file of a source by its raw path, but for those of the size `unseen`."""
    found = con.execute("SELECT raw, size, mtime_ns FROM documents WHERE source = ? AND size <> ?", [source, unseen])
    return {raw: (size, mtime_ns) for raw, size, mtime_ns in rows.in_turns(found)}


def known(con: duckdb.DuckDBPyConnection, source: int) -> list[KnownFile]:
    """Every document of a source as a sync compares it."""
    found = con.execute(
        "SELECT id, raw, size, mtime_ns, hash, indexed_ns, title, outcome, reason, reader, encoding "
        "FROM documents WHERE source = ? ORDER BY id",
        [source],
    )
    return [KnownFile(*row) for row in rows.in_turns(found)]


def declared(
    con: duckdb.DuckDBPyConnection, ids: Sequence[int]
) -> dict[int, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]]:
    """What documents declare about themselves: (tags, fields) by document."""
    tags = rows.where_ids(con, ids, "SELECT id, tags FROM documents WHERE id IN ($ids)")
    found = rows.where_ids(
        con,
        ids,
        "SELECT document, key, list(value ORDER BY ordinal) FROM fields "
        "WHERE document IN ($ids) GROUP BY document, key",
    )
    fields: dict[int, dict[str, tuple[str, ...]]] = {}
    for document, key, values in found:
        fields.setdefault(int(document), {})[str(key)] = tuple(values)
    return {int(id_): (tuple(own), fields.get(int(id_), {})) for id_, own in tags}


def set_outcome(con: duckdb.DuckDBPyConnection, id_: int, outcome: Outcome, reason: str, mend: str) -> None:
    """Note what became of a document whose stored text stays as it is."""
    con.execute(
        "UPDATE documents SET outcome = ?, reason = ?, mend = ? WHERE id = ?",
        [outcome, rows.clean(reason), rows.clean(mend), id_],
    )


def ids_of_source(con: duckdb.DuckDBPyConnection, source: int) -> list[int]:
    """The ids of all documents of a source."""
    found = con.execute("SELECT id FROM documents WHERE source = ? ORDER BY id", [source]).fetchall()
    return [int(id_) for (id_,) in found]


def nfc(path: str) -> str:
    """The path as it is matched and shown."""
    return unicodedata.normalize("NFC", path)


def _insert_headings(con: duckdb.DuckDBPyConnection, documents: Sequence[NewDocument]) -> None:
    found = [
        (d.id, b.start, b.level, _one_line(d.reading.text[b.start : b.end]))
        for d in documents
        for b in d.reading.blocks
        if b.kind == "heading"
    ]
    rows.insert(
        con,
        "headings",
        {
            "document": [row[0] for row in found],
            "start": [row[1] for row in found],
            "level": [row[2] for row in found],
            "text": [row[3] for row in found],
        },
    )


def _one_line(heading: str) -> str:
    # a block is the heading as written: its marks and underline are no part of its words
    words = heading.strip().split("\n", 1)[0].strip()
    return words.strip("#").strip() if words.startswith("#") else words


def _insert_fields(con: duckdb.DuckDBPyConnection, documents: Sequence[NewDocument]) -> None:
    found = [
        (d.id, key, ordinal, value)
        for d in documents
        for key, values in d.reading.fields.items()
        for ordinal, value in enumerate(values)
    ]
    rows.insert(
        con,
        "fields",
        {
            "document": [row[0] for row in found],
            "key": [row[1] for row in found],
            "ordinal": [row[2] for row in found],
            "value": [row[3] for row in found],
        },
    )


def _insert_links(con: duckdb.DuckDBPyConnection, documents: Sequence[NewDocument]) -> None:
    found = [(d.id, link) for d in documents for link in d.reading.links]
    rows.insert(
        con,
        "links",
        {
            "document": [id_ for id_, _ in found],
            "kind": [link.kind for _, link in found],
            "target": [link.target for _, link in found],
            "start": [link.start for _, link in found],
            "stop": [link.end for _, link in found],
        },
    )
