"""Chunks as rows: spans of a document's text, what holds them in the index, and what still waits.

A chunk's identity is the hash of its embedding input (title, heading path, text). A chunk that is still there
after its document changed keeps its id, its place in the lexical segment and its vector. Ids are never used
again; a deleted id is a tombstone until its segment and its block are merged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.records import Chunk
from inro.store import rows, texts

HEADING_BREAK = "\x1f"
"""Joins the headings of a path in the `heading` column: a character no heading holds."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk with what a result shows of it."""

    id: int
    document: int
    source: int
    path: str
    title: str
    ordinal: int
    start: int
    end: int
    heading: tuple[str, ...]
    page: int | None
    tokens: int
    text: str
    reader: str
    """What read the document, and its version: `markdown/1`."""


@dataclass(frozen=True, slots=True)
class HeldChunk:
    """What a sync needs to know of a chunk already stored."""

    id: int
    document: int
    ordinal: int
    hash: tuple[int, int]
    segment: int
    block: int | None


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk about to be stored."""

    id: int
    document: int
    chunk: Chunk
    hash: tuple[int, int]
    segment: int
    """The lexical segment that holds it; -1 if none does."""
    block: int | None
    """The vector block that holds it, if one does."""
    writing: int = 0
    """Its writing system, see `inro.text.writing`."""


def embedding_input(title: str, heading: Sequence[str], text: str) -> str:
    """What the embedder is given for a chunk: title, heading path, then the text as written, a line each."""
    # the first heading often is the title
    path = heading[1:] if heading and heading[0] == title else heading
    lead = [part for part in (title, " › ".join(path)) if part]
    return "\n".join([*lead, text])


def identity(title: str, heading: Sequence[str], text: str) -> tuple[int, int]:
    """The hash of an embedding input, as two unsigned 64-bit numbers (BLAKE2b of 16 bytes)."""
    joined = embedding_input(title, heading, text).encode("utf-8", "replace")
    digest = blake2b(joined, digest_size=16).digest()
    return int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")


def insert(con: duckdb.DuckDBPyConnection, new: Sequence[NewChunk]) -> None:
    """Append chunks."""
    rows.insert(
        con,
        "chunks",
        {
            "id": [c.id for c in new],
            "document": [c.document for c in new],
            "ordinal": [c.chunk.ordinal for c in new],
            "start": [c.chunk.start for c in new],
            "stop": [c.chunk.end for c in new],
            "heading": [_joined(c.chunk.heading) for c in new],
            "page": [c.chunk.page for c in new],
            "tokens": [c.chunk.tokens for c in new],
            "writing": [int(c.writing) for c in new],
            "hash_high": [c.hash[0] for c in new],
            "hash_low": [c.hash[1] for c in new],
            "segment": [c.segment for c in new],
            "block": [c.block for c in new],
        },
    )


def fetch(con: duckdb.DuckDBPyConnection, ids: Sequence[int] | NDArray[np.int64]) -> list[StoredChunk]:
    """The chunks of these ids with their texts, in the order asked; ids that are gone are left out."""
    listed = ", ".join(str(int(id_)) for id_ in ids)
    if not listed:
        return []
    found = con.execute(
        "SELECT c.id, c.document, d.source, d.path, d.title, c.ordinal, c.start, c.stop, c.heading, c.page, "
        f"c.tokens, d.reader FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id IN ({listed})"
    ).fetchall()
    cut = texts.slices(con, [(row[1], row[6], row[7]) for row in found])
    by_id = {
        row[0]: StoredChunk(
            id=row[0],
            document=row[1],
            source=row[2],
            path=row[3],
            title=row[4],
            ordinal=row[5],
            start=row[6],
            end=row[7],
            heading=split_heading(row[8]),
            page=row[9],
            tokens=row[10],
            text=text,
            reader=row[11],
        )
        for row, text in zip(found, cut, strict=True)
    }
    return [by_id[int(id_)] for id_ in ids if int(id_) in by_id]


def of_document(con: duckdb.DuckDBPyConnection, document: int) -> list[StoredChunk]:
    """All chunks of one document, in order."""
    found = con.execute("SELECT id FROM chunks WHERE document = ? ORDER BY ordinal", [document]).fetchall()
    return fetch(con, [id_ for (id_,) in found])


def first_of(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> dict[int, int]:
    """The id of each document's first chunk; documents without any are absent."""
    found = rows.where_ids(
        con,
        documents,
        "SELECT document, arg_min(id, ordinal) FROM chunks WHERE document IN ($ids) GROUP BY document",
    )
    return {int(document): int(first) for document, first in found}


def still_to_embed(con: duckdb.DuckDBPyConnection, ids: Sequence[int]) -> list[int]:
    """Those of the ids that are still there and still without a vector, rising."""
    found = rows.where_ids(con, ids, "SELECT id FROM chunks WHERE id IN ($ids) AND block IS NULL ORDER BY id")
    return [int(id_) for (id_,) in found]


def held_by(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> dict[int, list[HeldChunk]]:
    """The chunks these documents have now, by document, in order."""
    found = rows.where_ids(
        con,
        documents,
        "SELECT id, document, ordinal, hash_high, hash_low, segment, block FROM chunks "
        "WHERE document IN ($ids) ORDER BY document, ordinal",
    )
    held: dict[int, list[HeldChunk]] = {}
    for id_, document, ordinal, high, low, segment, block in found:
        held.setdefault(document, []).append(HeldChunk(id_, document, ordinal, (high, low), segment, block))
    return held


def remove(con: duckdb.DuckDBPyConnection, ids: Sequence[int]) -> None:
    """Remove chunks and leave a tombstone in each segment and block that still holds one."""
    for lane, unit in (("lexical", "segment"), ("dense", "block")):
        rows.where_ids(
            con,
            ids,
            f"INSERT INTO tombstones SELECT '{lane}', {unit}, id FROM chunks WHERE id IN ($ids) AND {unit} >= 0",
        )
    rows.where_ids(con, ids, "DELETE FROM chunks WHERE id IN ($ids)")


def forget(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Remove the rows of these documents' chunks without a tombstone, to be inserted anew under their ids."""
    rows.where_ids(con, documents, "DELETE FROM chunks WHERE document IN ($ids)")


def remove_of(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Remove every chunk of these documents."""
    found = rows.where_ids(con, documents, "SELECT id FROM chunks WHERE document IN ($ids)")
    remove(con, [id_ for (id_,) in found])


def owners(
    con: duckdb.DuckDBPyConnection,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Every chunk's id, its document's, and its writing system: int64[n], int64[n], uint8[n], by rising id."""
    found = con.execute("SELECT id, document, writing FROM chunks ORDER BY id").fetchnumpy()
    return (
        np.asarray(found["id"], dtype=np.int64),
        np.asarray(found["document"], dtype=np.int64),
        np.asarray(found["writing"], dtype=np.uint8),
    )


def count(con: duckdb.DuckDBPyConnection) -> int:
    """How many chunks there are."""
    row = con.execute("SELECT count(*) FROM chunks").fetchone()
    assert row is not None
    return int(row[0])


def count_to_embed(con: duckdb.DuckDBPyConnection) -> int:
    """How many chunks have no vector yet."""
    row = con.execute("SELECT count(*) FROM chunks WHERE block IS NULL").fetchone()
    assert row is not None
    return int(row[0])


def embedded(con: duckdb.DuckDBPyConnection) -> NDArray[np.int64]:
    """Every chunk that has a vector, int64[n]."""
    return np.asarray(con.execute("SELECT id FROM chunks WHERE block IS NOT NULL").fetchnumpy()["id"], dtype=np.int64)


def count_there(con: duckdb.DuckDBPyConnection, ids: Sequence[int] | NDArray[np.int64]) -> int:
    """How many of some ids are there, each counted once."""
    found = rows.where_ids(con, ids, "SELECT id FROM chunks WHERE id IN ($ids)")
    return len({id_ for (id_,) in found})


def next_ids(con: duckdb.DuckDBPyConnection, limit: int, after: int = -1, *, only_waiting: bool = False) -> list[int]:
    """The next ids beyond `after`, rising; with `only_waiting`, of chunks without a vector."""
    where = "AND block IS NULL" if only_waiting else ""
    found = con.execute(f"SELECT id FROM chunks WHERE id > ? {where} ORDER BY id LIMIT ?", [after, limit]).fetchall()
    return [int(id_) for (id_,) in found]


def with_vector(
    con: duckdb.DuckDBPyConnection, hashes: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], tuple[int, int]]:
    """For each identity that some chunk has a vector for: (that chunk's id, its block)."""
    if not hashes:
        return {}
    found = con.execute(
        "SELECT hash_high, hash_low, min(id), arg_min(block, id) FROM chunks "
        "WHERE block IS NOT NULL AND (hash_high, hash_low) IN ("
        "SELECT (unnest(CAST($high::JSON AS UBIGINT[])), unnest(CAST($low::JSON AS UBIGINT[])))"
        ") GROUP BY hash_high, hash_low",
        {"high": json.dumps([high for high, _ in hashes]), "low": json.dumps([low for _, low in hashes])},
    ).fetchall()
    return {(high, low): (id_, block) for high, low, id_, block in found}


def set_unit(con: duckdb.DuckDBPyConnection, column: str, ids: NDArray[np.int64], unit: int) -> None:
    """Note that these chunks are held by a new segment or block (`column` names which)."""
    if column not in ("segment", "block"):
        raise ValueError(f"no such column: {column}")
    rows.where_ids(con, ids, f"UPDATE chunks SET {column} = {int(unit)} WHERE id IN ($ids)")


def wait_again(con: duckdb.DuckDBPyConnection, blocks: Sequence[int]) -> None:
    """Note that the chunks of some vector blocks have no vector any more."""
    rows.where_ids(con, blocks, "UPDATE chunks SET block = NULL WHERE block IN ($ids)")


def move_unit(con: duckdb.DuckDBPyConnection, column: str, former: Sequence[int], unit: int) -> None:
    """Note that all chunks of some segments or blocks are held by one new one."""
    if column not in ("segment", "block"):
        raise ValueError(f"no such column: {column}")
    rows.where_ids(
        con,
        former,
        f"UPDATE chunks SET {column} = {int(unit)} WHERE {column} IN ($ids)",
    )


def split_heading(stored: str) -> tuple[str, ...]:
    """The heading path from its stored form."""
    return tuple(stored.split(HEADING_BREAK)) if stored else ()


def _joined(heading: Sequence[str]) -> str:
    return HEADING_BREAK.join(part.replace(HEADING_BREAK, " ") for part in heading)
