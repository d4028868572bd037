"""The title lane: titles, headings, tags, authors and paths, by DuckDB's full-text index.

The text handed in is already segmented: terms joined by blanks, in the form they are to match. The index is
the extension's own, made inside the commit that changed it, so that a user's SQL may ask it too; searching
does not need the extension, since its tables are plain ones and BM25 over a handful of terms is one query.
That also keeps a stranger's macro from being called. Does not know how text is segmented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from inro.store import meta, rows
from inro.store.extension import load_fts
from inro.store.schema import FTS_SCHEMA

K1, B = 1.2, 0.75

INDEXED = "titles_indexed"
"""Meta value: `yes` while the full-text index fits the table."""

_MOST_TERMS = 64


def put(con: duckdb.DuckDBPyConnection, segmented: Mapping[int, str]) -> None:
    """Set what documents are found by; the index follows with `rebuild`."""
    if not segmented:
        return
    remove(con, list(segmented))
    rows.insert(con, "titles", {"document": list(segmented), "text": list(segmented.values())})
    meta.put(con, INDEXED, "no")


def remove(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Forget documents."""
    rows.where_ids(con, documents, "DELETE FROM titles WHERE document IN ($ids)")
    meta.put(con, INDEXED, "no")


def clear(con: duckdb.DuckDBPyConnection) -> None:
    """Forget every document."""
    con.execute("DELETE FROM titles")
    meta.put(con, INDEXED, "no")


def is_indexed(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether the index fits the table."""
    return meta.get(con, INDEXED) == "yes"


def rebuild(con: duckdb.DuckDBPyConnection) -> None:
    """Make the index anew from the table, in the open transaction (0.3 s for 10,000 documents).

    Raises:
        LibraryError: the extension's wheel is not installed.
    """
    load_fts(con)
    con.execute(
        "PRAGMA create_fts_index('titles', 'document', 'text', stemmer = 'none', stopwords = 'none', "
        "ignore = '[ ]+', strip_accents = 0, lower = 0, overwrite = 1)"
    )
    meta.put(con, INDEXED, "yes")


def search_titles(con: duckdb.DuckDBPyConnection, segmented_query: str, k: int) -> list[tuple[int, float]]:
    """The k best (document, BM25 score), best first, equal scores by id; none before the first `rebuild`.

    The score is what the extension's `match_bm25` gives with k1 1.2 and b 0.75, with natural logarithms.
    """
    terms = sorted(set(segmented_query.split()))[:_MOST_TERMS]
    schema = _index_schema(con) if terms else ""
    if not schema:
        return []
    found = con.execute(
        f"""
        WITH asked AS (
            SELECT termid, df FROM {schema}.dict WHERE list_contains($terms, term)
        ), counted AS (
            SELECT p.docid, p.termid, count(*) AS tf, any_value(a.df) AS df
            FROM {schema}.terms p JOIN asked a ON a.termid = p.termid GROUP BY p.docid, p.termid
        )
        SELECT d.name, sum(
            ln(1 + (s.num_docs - c.df + 0.5) / (c.df + 0.5))
            * c.tf * ($k1 + 1) / (c.tf + $k1 * (1 - $b + $b * d.len / s.avgdl))
        ) AS score
        FROM counted c JOIN {schema}.docs d ON d.docid = c.docid CROSS JOIN {schema}.stats s
        WHERE d.name IN (SELECT document FROM titles)
        GROUP BY d.name ORDER BY score DESC, d.name LIMIT $k
        """,
        {"terms": terms, "k1": K1, "b": B, "k": k},
    ).fetchall()
    return [(int(document), float(score)) for document, score in found]


def _index_schema(con: duckdb.DuckDBPyConnection) -> str:
    # named with its database, since a reader's search path begins elsewhere; empty before the first rebuild
    row = con.execute(
        "SELECT any_value(database_name) FROM duckdb_tables() WHERE schema_name = ? "
        "AND table_name IN ('dict', 'terms', 'docs', 'stats') HAVING count(*) = 4",
        [FTS_SCHEMA],
    ).fetchone()
    if row is None:
        return ""
    database = str(row[0]).replace('"', '""')
    return f'"{database}".{FTS_SCHEMA}'
