"""The stored text of documents, cut in parts of equal length so that any slice is one short read.

Knows text by document id and offset; what a slice means is for the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import duckdb

from inro.store import rows

PART = 1024
"""Code points in every part but the last of a document."""


def insert(con: duckdb.DuckDBPyConnection, texts: Iterable[tuple[int, str]]) -> None:
    """Store the texts of documents given as (document, text)."""
    documents: list[int] = []
    parts: list[int] = []
    pieces: list[str] = []
    for document, text in texts:
        for part, begin in enumerate(range(0, len(text), PART)):
            documents.append(document)
            parts.append(part)
            pieces.append(text[begin : begin + PART])
    rows.insert(
        con,
        "texts",
        {"document": documents, "part": parts, "text": pieces},
    )


def whole(con: duckdb.DuckDBPyConnection, document: int) -> str:
    """The whole text of one document; empty if there is none."""
    found = con.execute("SELECT text FROM texts WHERE document = ? ORDER BY part", [document]).fetchall()
    return "".join(text for (text,) in found)


def whole_many(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> dict[int, str]:
    """The whole texts of several documents; those without text are absent."""
    found = rows.where_ids(
        con,
        documents,
        "SELECT document, text FROM texts WHERE document IN ($ids) ORDER BY document, part",
    )
    gathered: dict[int, list[str]] = {}
    for document, text in found:
        gathered.setdefault(document, []).append(text)
    return {document: "".join(pieces) for document, pieces in gathered.items()}


def slices(con: duckdb.DuckDBPyConnection, spans: Sequence[tuple[int, int, int]]) -> list[str]:
    """`text[start:stop]` for each (document, start, stop), in the order asked; only the parts are read.

    Offsets outside a text give what is inside of it, as slicing does, and cost no more however far outside they are.
    """
    asked = [(document, _parts(start, stop)) for document, start, stop in spans]
    asked = [(document, parts) for document, parts in asked if parts]
    if not asked:
        return [""] * len(spans)
    low = min(parts.start for _, parts in asked)
    high = max(parts.stop for _, parts in asked)
    # A short list of literals is pruned by DuckDB's statistics, a join with a table is not. The rows are looked up
    # first, since beside a list DuckDB would read the texts of all their neighbours.
    listed = ", ".join(str(document) for document in sorted({int(document) for document, _ in asked}))
    found = con.execute(
        "SELECT document, part, text FROM texts WHERE rowid IN "
        f"(SELECT rowid FROM texts WHERE document IN ({listed}) AND part BETWEEN ? AND ?)",
        [low, high - 1],
    ).fetchall()
    pieces: dict[int, dict[int, str]] = {}
    for document, part, text in found:
        pieces.setdefault(document, {})[part] = text
    return [_cut(pieces.get(document, {}), start, stop) for document, start, stop in spans]


def remove(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Forget the texts of these documents."""
    rows.where_ids(con, documents, "DELETE FROM texts WHERE document IN ($ids)")


def _parts(start: int, stop: int) -> range:
    return range(max(start, 0) // PART, (max(stop, 1) - 1) // PART + 1)


def _cut(pieces: Mapping[int, str], start: int, stop: int) -> str:
    parts = _parts(start, stop)
    last = min(parts.stop - 1, max(pieces, default=-1))
    joined = "".join(pieces.get(part, "") for part in range(parts.start, last + 1))
    shift = parts.start * PART
    return joined[max(start, 0) - shift : max(stop - shift, 0)]
