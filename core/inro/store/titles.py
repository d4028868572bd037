"""The title lane: titles, headings, tags, authors and paths, by DuckDB's full-text index.

The text handed in is already segmented: terms joined by blanks, in the form they are to match. The index is
the extension's own, so that a user's SQL may ask it too, but its tables are plain ones: a commit writes into
them what it changes, as a whole rebuild would, and searching is one query. So neither needs the extension,
the index always fits, and no macro of a stranger's is called. Does not know how text is segmented.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from inro.store import meta, opening, rows, schema
from inro.store.extension import load_fts
from inro.store.schema import FTS_SCHEMA

K1, B = 1.2, 0.75

INDEXED = "titles_indexed"
"""Meta value: `yes` once there is a full-text index."""

_MOST_TERMS = 64


@dataclass(frozen=True, slots=True)
class Change:
    """What documents were found by and what they are to be found by, where that differs."""

    former: Mapping[int, str]
    """What the table holds of the documents."""
    new: Mapping[int, str]
    """Documents in neither stay as they are; those in `former` alone are forgotten."""
    index: str
    """The schema of an index that fits the table, so that it is enough to write into it what changes; else empty."""

    def __bool__(self) -> bool:
        return bool(self.former or self.new)


def change(con: duckdb.DuckDBPyConnection, segmented: Mapping[int, str], *, remove: Sequence[int] = ()) -> Change:
    """What it takes to have documents found by these texts, and to forget those of `remove`; nothing is written."""
    texts = {id_: rows.clean(text) for id_, text in segmented.items()}
    gone = set(remove)
    index = _fitting(con)
    held = rows.where_ids(con, [*texts, *gone], "SELECT document, text FROM titles WHERE document IN ($ids)")
    former = {int(document): str(text) for document, text in held}
    if index:
        texts = {id_: text for id_, text in texts.items() if former.get(id_) != text}
        former = {id_: text for id_, text in former.items() if id_ in texts or id_ in gone}
    return Change(former, texts, index)


def lay_out(con: duckdb.DuckDBPyConnection, it: Change) -> None:
    """Lay out the texts and words of a change in the connection's memory, where `apply` looks for them.

    They are cut as the extension's tokenizer does it; a document of none has a null.
    """
    kinds = {"document": "BIGINT", "sign": "BIGINT", "text": "VARCHAR"}
    signs = [-1] * len(it.former) + [1] * len(it.new)
    columns: tuple[list[Any], ...] = ([*it.former, *it.new], signs, [*it.former.values(), *it.new.values()])
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE changed AS SELECT {rows.unpack(kinds)}",
        [rows.pack(column, kind) for column, kind in zip(columns, kinds.values(), strict=True)],
    )
    con.execute(
        "CREATE OR REPLACE TEMP TABLE words AS SELECT document, sign, unnest(if(len(w) > 0, w, [NULL])) AS term FROM ("
        "SELECT document, sign, list_filter(string_split_regex(text, '\\s+'), lambda one: one <> '') AS w FROM changed)"
    )


def apply(con: duckdb.DuckDBPyConnection, it: Change) -> None:
    """Write a change that was laid out into the table and the index, in the open transaction.

    The library must not have changed since `change` looked at it, on a connection that calls it the same.

    Raises:
        LibraryError: there is no index that fits yet, and the extension's wheel, which makes one, is not installed.
    """
    rows.where_ids(con, list(it.former), "DELETE FROM titles WHERE document IN ($ids)")
    con.execute("INSERT INTO titles SELECT document, text FROM changed WHERE sign > 0")
    if it.index:
        _write_on(con, it)
    elif it.new:
        rebuild(con)


def put(con: duckdb.DuckDBPyConnection, segmented: Mapping[int, str], *, remove: Sequence[int] = ()) -> None:
    """Set what documents are found by, and forget those of `remove`, in the table and in the index.

    Raises:
        LibraryError: as `apply` does.
    """
    it = change(con, segmented, remove=remove)
    if it:
        lay_out(con, it)
        apply(con, it)


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
    return bool(_fitting(con))


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


def _write_on(con: duckdb.DuckDBPyConnection, it: Change) -> None:
    """Write the words that came and went into the index: lengths, occurrences, document frequencies, sums."""
    index = it.index
    if it.former:
        former = list(it.former)
        rows.where_ids(
            con,
            former,
            f"DELETE FROM {index}.terms WHERE docid IN (SELECT docid FROM {index}.docs WHERE name IN ($ids))",
        )
        rows.where_ids(con, former, f"DELETE FROM {index}.docs WHERE name IN ($ids)")
    con.execute(
        f"UPDATE {index}.dict SET df = df + w.n FROM (SELECT term, sum(sign) AS n FROM "
        "(SELECT DISTINCT document, sign, term FROM words) GROUP BY term HAVING n <> 0) w WHERE dict.term = w.term"
    )
    if it.former:
        con.execute(f"DELETE FROM {index}.dict WHERE df <= 0")
    if it.new:
        _enter(con, index)
    con.execute(
        f"UPDATE {index}.stats SET num_docs = d.n, avgdl = d.mean "
        f"FROM (SELECT count(*) AS n, sum(len) / count(len) AS mean FROM {index}.docs) d"
    )


def _enter(con: duckdb.DuckDBPyConnection, index: str) -> None:
    con.execute(
        f"INSERT INTO {index}.docs SELECT (SELECT coalesce(max(docid), -1) FROM {index}.docs) "
        "+ row_number() OVER (ORDER BY document), document, count(term) FROM words WHERE sign > 0 GROUP BY document"
    )
    con.execute(
        f"INSERT INTO {index}.dict SELECT (SELECT coalesce(max(termid), -1) FROM {index}.dict) "
        "+ row_number() OVER (ORDER BY term), term, n FROM (SELECT term, count(DISTINCT document) AS n FROM words "
        f"WHERE sign > 0 AND term IS NOT NULL AND term NOT IN (SELECT term FROM {index}.dict) GROUP BY term)"
    )
    con.execute(
        f"INSERT INTO {index}.terms SELECT d.docid, 0, t.termid FROM words w "
        f"JOIN {index}.docs d ON d.name = w.document JOIN {index}.dict t ON t.term = w.term "
        "WHERE w.sign > 0 ORDER BY d.docid"
    )


def _fitting(con: duckdb.DuckDBPyConnection) -> str:
    """The schema of an index of as many documents as the table has; empty if there is none."""
    index = _schema(con) if meta.get(con, INDEXED) == "yes" else ""
    if not index:
        return ""
    row = con.execute(f"SELECT (SELECT count(*) FROM {index}.docs) = (SELECT count(*) FROM titles)").fetchone()
    return index if row is not None and row[0] else ""


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
