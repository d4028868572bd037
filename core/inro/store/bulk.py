"""Everything about chunks and their texts in few long reads: what a program that searches again and again keeps.

Each function is one query over whole columns; which part of it to keep, and how, is for the caller.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.store import rows

NO_PAGE = -1


@dataclass(frozen=True, slots=True, eq=False)
class ChunkColumns:
    """What a result shows of every chunk but its text; parallel, by rising id."""

    ids: NDArray[np.int64]
    documents: NDArray[np.int64]
    ordinals: NDArray[np.int32]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]
    headings: tuple[str, ...]
    """In stored form, see `chunks.split_heading`; equal ones are one object."""
    pages: NDArray[np.int32]
    """`NO_PAGE` where there is none."""
    tokens: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    """The first half of each chunk's identity: equal ones have the same text."""


@dataclass(frozen=True, slots=True)
class DocumentName:
    """What a result shows of a document."""

    source: int
    path: str
    title: str
    reader: str


def chunk_columns(con: duckdb.DuckDBPyConnection) -> ChunkColumns:
    """Every chunk."""
    found = con.execute(
        "SELECT id, document, ordinal, start, stop, coalesce(page, -1) AS page, tokens, hash_high "
        "FROM chunks ORDER BY id"
    ).fetchnumpy()
    kept: dict[str, str] = {}
    headings = rows.in_turns(con.execute("SELECT heading FROM chunks ORDER BY id"))
    return ChunkColumns(
        np.asarray(found["id"], np.int64),
        np.asarray(found["document"], np.int64),
        np.asarray(found["ordinal"], np.int32),
        np.asarray(found["start"], np.int32),
        np.asarray(found["stop"], np.int32),
        tuple(kept.setdefault(heading, heading) for (heading,) in headings),
        np.asarray(found["page"], np.int32),
        np.asarray(found["tokens"], np.int32),
        np.asarray(found["hash_high"], np.uint64),
    )


def segment_numbers(con: duckdb.DuckDBPyConnection) -> list[int]:
    """The lexical segments there are, rising."""
    return [int(n) for (n,) in con.execute("SELECT DISTINCT segment FROM segments ORDER BY segment").fetchall()]


def document_names(con: duckdb.DuckDBPyConnection) -> dict[int, DocumentName]:
    """Every document, by id."""
    found = rows.in_turns(con.execute("SELECT id, source, path, title, reader FROM documents"))
    kept: dict[str, str] = {}
    return {
        id_: DocumentName(source, path, title, kept.setdefault(reader, reader))
        for id_, source, path, title, reader in found
    }


def texts_between(con: duckdb.DuckDBPyConnection, first: int, last: int) -> dict[int, str]:
    """The whole texts of the documents whose ids are from `first` to `last`, both included."""
    found = con.execute(
        "SELECT document, text FROM texts WHERE document BETWEEN ? AND ? ORDER BY document, part", [first, last]
    )
    gathered: dict[int, list[str]] = {}
    for document, text in rows.in_turns(found):
        gathered.setdefault(document, []).append(text)
    return {document: "".join(parts) for document, parts in gathered.items()}
