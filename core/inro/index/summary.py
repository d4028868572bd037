"""The state of a library at a glance, from its tables alone: no model and no kernel is loaded for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import duckdb
import numpy as np

from inro.errors import NotAnIndex, UsageError
from inro.index import dense_file, fingerprint
from inro.records import Drift, Status
from inro.store import catalogue, chunks, meta, schema, sources, units
from inro.store.connect import Store


def status(store: Store, embedder: str = "", *, drifted: Drift | None = None) -> Status:
    """What the library holds and what waits to be done; `drifted` is what a look at the sources found.

    Args:
        embedder: name of the model that is set, here or not; it is told when the vectors are another's.

    Raises:
        LibraryError: the file cannot be read.
    """
    with store.reading() as con:
        made = fingerprint.stored(con)
        outcomes = catalogue.outcome_counts(con)
        count, waiting = chunks.count(con), chunks.count_to_embed(con)
        return Status(
            library=str(store.path),
            format=schema.FORMAT,
            generation=meta.counter(con, meta.GENERATION),
            bytes=store.stamp().size,
            sources=sources.states(con, store.path),
            documents=sum(outcomes.values()),
            outcomes=outcomes,
            chunks=count,
            vectors=count - waiting,
            segments=units.count(con, units.LEXICAL),
            analyser=made.analyser,
            embedder=made.embedder_name,
            to_embed=waiting,
            drift=drifted,
            cut=count_cut(con),
            notes=(*store.notices, *_switch(made, embedder, count)),
        )


def _switch(made: fingerprint.Stored, embedder: str, chunks: int) -> Iterator[str]:
    """What is to be known while the vectors are of another embedder than the one that is set."""
    from inro.models.opening import embedder_fingerprint

    with suppress(UsageError):  # a name that is not listed has vectors nowhere
        if made.embedder and embedder and made.embedder != embedder_fingerprint(embedder):
            other = "another form of it" if made.embedder_name == embedder else embedder
            yield (
                f"the vectors are those of {made.embedder_name}, and {other} is set: search goes by words only "
                f"until a sync has made {chunks:,} anew"
            )


def count_cut(con: duckdb.DuckDBPyConnection) -> int:
    """Chunks whose end is not in their vector.

    Raises:
        NotAnIndex: a stored block names something else than chunks.
    """
    try:
        ids = [dense_file.read_cut(part) for part in units.named(con, units.DENSE, dense_file.CUT)]
    except ValueError as e:
        raise NotAnIndex(f"a vector block is damaged: {e}", "inro verify, then restore a copy") from e
    return chunks.count_there(con, np.concatenate(ids)) if ids else 0
