"""A user's own SQL, asked of an open library. Reads only: the connection it is given can do nothing else.

Knows nothing of what is asked; which tables there are is in `schema`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

import duckdb

from inro.errors import UsageError

MOST_ROWS = 1_000_000
"""Rows of one result: all of them are taken before any is shown, so that nobody holds the file while they read."""

_HELP = "inro sql 'SHOW TABLES', or 'DESCRIBE documents'"
_DAMAGE = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException)


def ask(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """The names of the columns and the rows of a query's (last) result. A key press (Ctrl-C) stops it.

    Raises:
        UsageError: DuckDB refuses the query, and says why; it is empty; or its result has too many rows.
        duckdb.Error: the file is damaged.
    """
    # In a thread of its own: DuckDB looks for signals between steps only, and one step may take for ever.
    with ThreadPoolExecutor(1) as thread:
        work = thread.submit(_ask, con, query)
        try:
            return work.result()
        finally:
            # again until it holds: what is interrupted before its first step goes on as if nothing had been
            while not work.done():
                con.interrupt()
                wait([work], timeout=0.05)


def _ask(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    try:
        result = con.execute(query)
        # an empty query gives nothing at all, against what its type says
        description = getattr(result, "description", None)
        if not description:
            raise UsageError("an empty query", "inro sql 'SHOW TABLES'")
        rows: list[tuple[object, ...]] = result.fetchmany(MOST_ROWS + 1)
    except _DAMAGE:
        raise
    except duckdb.Error as e:
        said = str(e).splitlines()[0].rstrip(".!") if str(e) else type(e).__name__
        # a damaged length asks for as much memory as a query that is too large, in the same words
        too_much = isinstance(e, duckdb.OutOfMemoryException)
        mend = "add LIMIT; if it asks for little, inro verify" if too_much else _HELP
        raise UsageError(said, mend) from e
    if len(rows) > MOST_ROWS:
        raise UsageError(f"the result has more than {MOST_ROWS:,} rows", "add LIMIT")
    return [str(column[0]) for column in description], rows
