"""The title lane: titles, headings, tags, authors and paths, by DuckDB's full-text index.

The text handed in is already segmented: terms joined by blanks, in the form they are to match. The index is
the extension's own, so that a user's SQL may ask it too, but its tables are plain ones: a commit writes into
them what it changes, as a whole rebuild would, and searching is one query. So neither needs the extension,
the index always fits, and no macro of a stranger's is called. Does not know how text is segmented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from inro.store import meta, opening, rows, schema
from inro.store.extension import load_fts
from inro.store.schema import FTS_SCHEMA

K1, B = 1.2, 0.75

INDEXED = "titles_indexed"
"""Meta value: `yes` once there is a full-text index."""

_MOST_TERMS = 64


def put(con: duckdb.DuckDBPyConnection, segmented: Mapping[int, str]) -> None:
    """Set what documents are found by, in the table and in the index; what stays as it is costs one query.

    Raises:
        LibraryError: there is no index that fits yet, and the extension's wheel, which makes one, is not installed.
    """
    if not segmented:
        return
    index = _index(con)
    if index:
        held = rows.where_ids(con, list(segmented), "SELECT document, text FROM titles WHERE document IN ($ids)")
        former = {int(document): str(text) for document, text in held}
        segmented = {id_: text for id_, text in segmented.items() if former.get(id_) != rows.clean(text)}
        if not segmented:
            return
    ids = list(segmented)
    _forget(con, index, ids)
    rows.insert(con, "titles", {"document": ids, "text": list(segmented.values())})
    if index:
        _enter(con, index, ids)
    else:
        rebuild(con)


def remove(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Forget documents, in the table and in the index."""
    if documents:
        _forget(con, _index(con), documents)


def put_all(con: duckdb.DuckDBPyConnection, segmented: Mapping[int, str]) -> None:
    """Set what all documents are found by; one that is not named is forgotten.

    Raises:
        LibraryError: the extension's wheel is not installed.
    """
    con.execute("DELETE FROM titles")
    rows.insert(con, "titles", {"document": list(segmented), "text": list(segmented.values())})
    rebuild(con)


def is_indexed(con: duckdb.DuckDBPyConnection) -> bool:
    """Whether there is an index and it is of as many documents as the table; format 1 did not always keep it so."""
    return bool(_index(con))


def rebuild(con: duckdb.DuckDBPyConnection) -> None:
    """Make the index anew from the table, in the open transaction (0.5 s for 20,000 documents).

    DuckDB refuses to commit a transaction that has put or removed documents before.

    Raises:
        LibraryError: the extension's wheel is not installed.
        NotAnIndex: the library holds macros of its own, which the extension's statements might call.
    """
    schema.refuse_macros(con)
    load_fts(con)
    # the extension looks for the table, and makes its own, where names lead first
    with opening.own_names(con):
        con.execute(
            "PRAGMA create_fts_index('titles', 'document', 'text', stemmer = 'none', stopwords = 'none', "
            "ignore = '[ ]+', strip_accents = 0, lower = 0, overwrite = 1)"
        )
    meta.put(con, INDEXED, "yes")


def search_titles(con: duckdb.DuckDBPyConnection, segmented_query: str, k: int) -> list[tuple[int, float]]:
    """The k best (document, BM25 score), best first, equal scores by id; none before the first `put`.

    The score is what the extension's `match_bm25` gives with k1 1.2 and b 0.75, with natural logarithms.
    """
    terms = sorted(set(segmented_query.split()))[:_MOST_TERMS]
    index = _schema(con) if terms else ""
    if not index:
        return []
    found = con.execute(
        f"""
        WITH asked AS (
            SELECT termid, df FROM {index}.dict WHERE list_contains($terms, term)
        ), counted AS (
            SELECT p.docid, p.termid, count(*) AS tf, any_value(a.df) AS df
            FROM {index}.terms p JOIN asked a ON a.termid = p.termid GROUP BY p.docid, p.termid
        )
        SELECT d.name, sum(
            ln(1 + (s.num_docs - c.df + 0.5) / (c.df + 0.5))
            * c.tf * ($k1 + 1) / (c.tf + $k1 * (1 - $b + $b * d.len / s.avgdl))
        ) AS score
        FROM counted c JOIN {index}.docs d ON d.docid = c.docid CROSS JOIN {index}.stats s
        GROUP BY d.name ORDER BY score DESC, d.name LIMIT $k
        """,
        {"terms": terms, "k1": K1, "b": B, "k": k},
    ).fetchall()
    return [(int(document), float(score)) for document, score in found]


def _forget(con: duckdb.DuckDBPyConnection, index: str, documents: Sequence[int]) -> None:
    held = rows.where_ids(con, documents, "SELECT document FROM titles WHERE document IN ($ids)")
    if index and held:
        _strike(con, index, documents)
    if held:
        rows.where_ids(con, documents, "DELETE FROM titles WHERE document IN ($ids)")


def _enter(con: duckdb.DuckDBPyConnection, index: str, documents: Sequence[int]) -> None:
    """Write documents of the table into the index, where they are not."""
    _cut(con, documents)
    con.execute(
        f"INSERT INTO {index}.docs SELECT (SELECT coalesce(max(docid), -1) FROM {index}.docs) "
        "+ row_number() OVER (ORDER BY document), document, count(term) FROM words GROUP BY document"
    )
    con.execute(
        f"INSERT INTO {index}.dict SELECT (SELECT coalesce(max(termid), -1) FROM {index}.dict) "
        "+ row_number() OVER (ORDER BY term), term, 0 FROM (SELECT DISTINCT term FROM words "
        f"WHERE term IS NOT NULL AND term NOT IN (SELECT term FROM {index}.dict))"
    )
    con.execute(
        f"INSERT INTO {index}.terms SELECT d.docid, 0, t.termid FROM words w "
        f"JOIN {index}.docs d ON d.name = w.document JOIN {index}.dict t ON t.term = w.term ORDER BY d.docid"
    )
    _count(con, index, "+")


def _strike(con: duckdb.DuckDBPyConnection, index: str, documents: Sequence[int]) -> None:
    """Take documents that are still in the table out of the index."""
    _cut(con, documents)
    rows.where_ids(
        con,
        documents,
        f"DELETE FROM {index}.terms WHERE docid IN (SELECT docid FROM {index}.docs WHERE name IN ($ids))",
    )
    rows.where_ids(con, documents, f"DELETE FROM {index}.docs WHERE name IN ($ids)")
    _count(con, index, "-")


def _cut(con: duckdb.DuckDBPyConnection, documents: Sequence[int]) -> None:
    """Lay out the words of documents of the table as the extension's tokenizer does; a document of none has a null."""
    rows.where_ids(
        con,
        documents,
        "CREATE OR REPLACE TEMP TABLE words AS SELECT document, unnest(if(len(w) > 0, w, [NULL])) AS term FROM ("
        "SELECT document, list_filter(string_split_regex(text, '\\s+'), lambda one: one <> '') AS w "
        "FROM titles WHERE document IN ($ids))",
    )


def _count(con: duckdb.DuckDBPyConnection, index: str, sign: str) -> None:
    """Bring the counts up to date with words that came or went."""
    con.execute(
        f"UPDATE {index}.dict SET df = df {sign} w.n FROM "
        "(SELECT term, count(DISTINCT document) AS n FROM words GROUP BY term) w WHERE dict.term = w.term"
    )
    con.execute(f"DELETE FROM {index}.dict WHERE df <= 0")
    con.execute(
        f"UPDATE {index}.stats SET num_docs = d.n, avgdl = d.mean "
        f"FROM (SELECT count(*) AS n, sum(len) / count(len) AS mean FROM {index}.docs) d"
    )


def _index(con: duckdb.DuckDBPyConnection) -> str:
    """The schema of an index that fits the table; empty if there is none."""
    schema = _schema(con) if meta.get(con, INDEXED) == "yes" else ""
    if not schema:
        return ""
    row = con.execute(f"SELECT (SELECT count(*) FROM {schema}.docs) = (SELECT count(*) FROM titles)").fetchone()
    return schema if row is not None and row[0] else ""


def _schema(con: duckdb.DuckDBPyConnection) -> str:
    # named with its database, since a reader's search path begins elsewhere; empty before there is an index
    row = con.execute(
        "SELECT any_value(database_name) FROM duckdb_tables() WHERE schema_name = ? "
        "AND table_name IN ('dict', 'terms', 'docs', 'stats') HAVING count(*) = 4",
        [FTS_SCHEMA],
    ).fetchone()
    if row is None:
        return ""
    database = str(row[0]).replace('"', '""')
    return f'"{database}".{FTS_SCHEMA}'
