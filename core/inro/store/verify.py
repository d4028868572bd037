"""What can be wrong between the tables of a library, found by reading all of them.

Each check is one query that lists offenders, or one pass over the texts. What is inside a segment, a block or
the graph is checked by the index, which knows their form.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from inro.records import Fault
from inro.store import meta, texts
from inro.store.schema import printable

SYNC = "inro sync --full"

_MOST = 20
"""Offenders named a check; the rest are counted."""

_CHECKS: tuple[tuple[str, str, str], ...] = (
    ("sources", "source {} is there twice", "SELECT id FROM sources GROUP BY id HAVING count(*) > 1"),
    ("documents", "document {} is there twice", "SELECT id FROM documents GROUP BY id HAVING count(*) > 1"),
    (
        "documents",
        "two documents have the path of document {}",
        "SELECT min(id) FROM documents GROUP BY source, raw HAVING count(*) > 1",
    ),
    (
        "documents",
        "document {} belongs to no source",
        "SELECT id FROM documents WHERE source NOT IN (SELECT id FROM sources)",
    ),
    (
        "documents",
        "document {} has a path that leads out of its source",
        "SELECT id FROM documents WHERE path LIKE '/%' OR list_contains(string_split(path, '/'), '..')",
    ),
    (
        "documents",
        "document {} has an unknown outcome",
        "SELECT id FROM documents WHERE outcome IS NULL OR outcome NOT IN ('ok', 'partial', 'unreadable', 'skipped')",
    ),
    (
        "documents",
        "the stored text of document {} is not as long as it should be",
        "SELECT d.id FROM documents d LEFT JOIN (SELECT document, sum(length(text)) AS n FROM texts "
        "GROUP BY document) t ON t.document = d.id WHERE d.chars IS DISTINCT FROM coalesce(t.n, 0)",
    ),
    (
        "texts",
        "the text of document {} is cut in wrong parts",
        "SELECT document FROM (SELECT document, part, length(text) AS n, "
        "row_number() OVER (PARTITION BY document ORDER BY part) - 1 AS place, "
        "count(*) OVER (PARTITION BY document) AS parts FROM texts) "
        f"WHERE part <> place OR n > {texts.PART} OR n = 0 OR (place < parts - 1 AND n <> {texts.PART}) "
        "GROUP BY document",
    ),
    ("chunks", "chunk {} is there twice", "SELECT id FROM chunks GROUP BY id HAVING count(*) > 1"),
    (
        "chunks",
        "chunk {} is not inside its document's text",
        "SELECT c.id FROM chunks c LEFT JOIN documents d ON d.id = c.document "
        'WHERE d.id IS NULL OR NOT (c."start" >= 0 AND c."start" < c.stop AND c.stop <= d.chars)',
    ),
    (
        "chunks",
        "the chunks of document {} are not numbered in order",
        "SELECT document FROM chunks GROUP BY document "
        "HAVING min(ordinal) <> 0 OR max(ordinal) <> count(*) - 1 OR count(DISTINCT ordinal) <> count(*)",
    ),
    (
        "chunks",
        "chunk {} is in no lexical segment",
        "SELECT id FROM chunks WHERE segment NOT IN (SELECT segment FROM segments)",
    ),
    (
        "chunks",
        "chunk {} names a vector block that is not there",
        "SELECT id FROM chunks WHERE block IS NOT NULL AND block NOT IN (SELECT block FROM vectors)",
    ),
    (
        "tombstones",
        "chunk {} is deleted and there",
        "SELECT DISTINCT t.chunk FROM tombstones t JOIN chunks c ON c.id = t.chunk",
    ),
    (
        "tombstones",
        "the tombstone of chunk {} is for a segment or block that is not there",
        "SELECT chunk FROM tombstones "
        "WHERE NOT ((lane = 'lexical' AND unit IN (SELECT segment FROM segments)) "
        "OR (lane = 'dense' AND unit IN (SELECT block FROM vectors)))",
    ),
    *(
        (
            table,
            f"{table} has rows of document {{}}, which is not there",
            f"SELECT DISTINCT document FROM {table} WHERE document NOT IN (SELECT id FROM documents)",
        )
        for table in ("texts", "headings", "fields", "links", "labels", "steps", "titles")
    ),
    *(
        (
            table,
            f"a row of {table} is outside the text of document {{}}",
            f"SELECT DISTINCT x.document FROM {table} x JOIN documents d ON d.id = x.document "
            f'WHERE NOT (x."start" >= 0 AND x."start" <= x.stop AND x.stop <= d.chars)',
        )
        for table in ("links", "labels", "steps")
    ),
    (
        "headings",
        "a heading is outside the text of document {}",
        "SELECT DISTINCT h.document FROM headings h JOIN documents d ON d.id = h.document "
        'WHERE NOT (h."start" >= 0 AND h."start" < d.chars)',
    ),
)

_COUNTERS = (
    (meta.NEXT_SOURCE, "SELECT coalesce(max(id), 0) FROM sources"),
    (meta.NEXT_DOCUMENT, "SELECT coalesce(max(id), 0) FROM documents"),
    (
        meta.NEXT_CHUNK,
        "SELECT coalesce(max(id), 0) FROM (SELECT id FROM chunks UNION ALL SELECT chunk FROM tombstones)",
    ),
    (meta.NEXT_SEGMENT, "SELECT coalesce(max(segment), 0) FROM segments"),
    (meta.NEXT_BLOCK, "SELECT coalesce(max(block), 0) FROM vectors"),
)


def faults(con: duckdb.DuckDBPyConnection) -> Iterator[Fault]:
    """Everything wrong between the tables, a fault for each offender up to twenty a check."""
    for table, sentence, query in _CHECKS:
        found = con.execute(f"SELECT * FROM ({query}) ORDER BY 1 LIMIT {_MOST + 1}").fetchall()
        for (offender,) in found[:_MOST]:
            yield Fault(table, sentence.format(offender), SYNC)
        if len(found) > _MOST:
            yield Fault(table, f"and more of the same: {sentence.format('…')}", SYNC)
    for counter, query in _COUNTERS:
        row = con.execute(query).fetchone()
        assert row is not None
        if int(row[0]) > meta.counter(con, counter):
            yield Fault("meta", f"{counter} is behind: an id could be given a second time", "restore a copy")
    for (key,) in con.execute("SELECT key FROM meta GROUP BY key HAVING count(*) > 1 ORDER BY key").fetchall():
        yield Fault("meta", f"{printable(str(key))} is there twice", "restore a copy")
