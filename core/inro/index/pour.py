"""One library poured into another: the rows by the store, then every unit with its chunks under their new ids.

Nothing is analysed and nothing embedded again, unless the two were made by other rules: words of another analyser are
made anew from stored text, vectors of another embedder are left behind and their chunks wait for a sync. A unit is
rewritten only where some of its chunks do not come along, so that nothing of a document that was left out comes along
in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.errors import NotAnIndex
from inro.index import dense, fingerprint, merge
from inro.index.dense_file import read_block, write_block
from inro.index.segment_file import rekeyed
from inro.store import meta, pouring, titles, units
from inro.store.connect import Store
from inro.store.opening import SOURCE

MIXED = "mixed"
"""Stands for the chunker of a library whose parts were divided by different rules: the next sync reads all again."""


@dataclass(slots=True)
class Report:
    """What pouring brought."""

    documents: int = 0
    duplicates: int = 0
    outdated: int = 0
    replaced: int = 0
    chunks: int = 0
    vectors: int = 0
    other_words: bool = False
    """The words of some documents were made by another analyser: they must be made anew."""
    other_vectors: list[str] = field(default_factory=list)
    """Names of embedders whose vectors were left behind."""
    other_chunks: bool = False
    """The documents were divided by different rules."""


def pour(store: Store, into: Store, *, only: Sequence[int] | None = None, vectors: bool = True) -> Report:
    """Put what `store` holds (of these of its sources, with or without vectors) into a library nobody waits for.

    Raises:
        LibraryError: one of the two cannot be used, or the first is damaged; nothing was written.
    """
    report = Report()
    with store.lending(into) as con:
        mine, theirs = fingerprint.stored(con), _stored(con)
        poured = pouring.pour_rows(con, into.path, only=only)
        report.documents, report.chunks = poured.documents, poured.chunks
        report.duplicates, report.outdated, report.replaced = poured.duplicates, poured.outdated, poured.replaced
        if not poured.documents:
            return report
        meta.count_up(con, meta.CONTENTS)
        left_out = np.array(pouring.left_out_chunks(con), np.int64)
        _pour_segments(con, left_out, poured.offsets)
        keep = vectors and theirs.embedder != "" and mine.embedder in ("", theirs.embedder)
        if keep:
            report.vectors = _pour_blocks(con, left_out, poured.offsets)
        else:
            offset = poured.offsets[meta.NEXT_BLOCK]
            con.execute("UPDATE chunks SET block = NULL WHERE block > ?", [offset])
            if vectors and theirs.embedder:
                report.other_vectors.append(theirs.embedder_name or "another model")
        if report.vectors:
            meta.put(con, fingerprint.EMBEDDER, theirs.embedder)
            meta.put(con, fingerprint.EMBEDDER_NAME, theirs.embedder_name)
        report.other_words = mine.analyser not in ("", theirs.analyser)
        report.other_chunks = mine.chunker not in ("", theirs.chunker)
        meta.put(con, fingerprint.ANALYSER, theirs.analyser)
        meta.put(con, fingerprint.CHUNKER, MIXED if report.other_chunks else theirs.chunker)
        # what either of two rules made is made anew by the next sync
        same = mine.analyser == "" or mine.titles == theirs.titles
        meta.put(con, fingerprint.TITLES, theirs.titles if same else "")
        units.clear_graph(con)
        titles.rebuild(con)
    return report


def _stored(con: duckdb.DuckDBPyConnection) -> fingerprint.Stored:
    return fingerprint.Stored(*(pouring.source_meta(con, name) for name in fingerprint.KEYS))


def _pour_segments(con: duckdb.DuckDBPyConnection, left_out: NDArray[np.int64], offsets: Mapping[str, int]) -> None:
    for unit, parts, gone in _lent(con, units.LEXICAL, left_out):
        kept = merge.merge([parts], gone) if gone.size else parts
        if kept is not None:
            moved = rekeyed(kept, offsets[meta.NEXT_CHUNK])
            units.insert(con, units.LEXICAL, unit + offsets[meta.NEXT_SEGMENT], moved)


def _pour_blocks(con: duckdb.DuckDBPyConnection, left_out: NDArray[np.int64], offsets: Mapping[str, int]) -> int:
    count = 0
    for unit, parts, gone in _lent(con, units.DENSE, left_out):
        try:
            block = read_block(dense.merge_blocks([parts], gone) if gone.size else parts)
        except ValueError as e:
            raise NotAnIndex(f"a vector block is damaged: {e}", "inro verify, then restore a copy") from e
        if block.chunk_ids.size:
            moved = write_block(replace(block, chunk_ids=block.chunk_ids + offsets[meta.NEXT_CHUNK]))
            units.insert(con, units.DENSE, unit + offsets[meta.NEXT_BLOCK], moved)
            count += int(block.chunk_ids.size)
    return count


def _lent(
    con: duckdb.DuckDBPyConnection, lane: units.Lane, left_out: NDArray[np.int64]
) -> Iterator[tuple[int, dict[str, bytes], NDArray[np.int64]]]:
    """The units of the other library, one at a time, each with the chunks it holds that do not come along."""
    table = f"{SOURCE}.main.{lane.table}"
    numbers = con.execute(f"SELECT DISTINCT {lane.column} FROM {table} ORDER BY 1").fetchall()
    for (unit,) in numbers:
        parts = dict(con.execute(f"SELECT part, data FROM {table} WHERE {lane.column} = ?", [unit]).fetchall())
        dead = con.execute(
            f"SELECT chunk FROM {SOURCE}.main.tombstones WHERE lane = ? AND unit = ?", [lane.name, unit]
        ).fetchall()
        held = con.execute(f"SELECT id FROM {SOURCE}.main.chunks WHERE {lane.column} = ?", [unit]).fetchall()
        mine = np.array([id_ for (id_,) in held], np.int64)
        gone = np.concatenate([np.array([id_ for (id_,) in dead], np.int64), mine[np.isin(mine, left_out)]])
        yield int(unit), parts, np.sort(gone)
