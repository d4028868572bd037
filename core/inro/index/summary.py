"""The state of a library at a glance, from its tables alone: no model and no kernel is loaded for it."""

from __future__ import annotations

from inro.index import fingerprint
from inro.records import Drift, Status
from inro.store import catalogue, chunks, meta, schema, sources, units
from inro.store.connect import Store


def status(store: Store, *, drifted: Drift | None = None) -> Status:
    """What the library holds and what waits to be done; `drifted` is what a look at the sources found.

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
            notes=tuple(store.notices),
        )
