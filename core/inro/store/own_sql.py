"""A user's own SQL, asked of an open library. Reads only: the connection it is given can do nothing else.

Knows nothing of what is asked; which tables there are is in `schema`.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import duckdb

from inro.errors import NotAnIndex, UsageError
from inro.store.opening import Stuck

MOST_ROWS = 1_000_000
"""Rows of one result: all of them are taken before any is shown, so that nobody holds the file while they read."""

SECONDS = 8.0
"""How long a query may take unless somebody says otherwise."""

PATIENCE = 1.0
"""Seconds in which DuckDB comes back from a query that was interrupted, unless it goes round in a damaged block."""

_HELP = "inro sql 'SHOW TABLES', or 'DESCRIBE documents'"
_DAMAGE = (duckdb.IOException, duckdb.FatalException, duckdb.InternalException)
_BROKEN_OFF = "pending query result"
"""In what DuckDB says of a query that one of its threads could not go on with."""


@dataclass(slots=True)
class _Work:
    """A query in a thread of its own, and what came of it."""

    con: duckdb.DuckDBPyConnection
    query: str
    done: threading.Event = field(default_factory=threading.Event)
    found: tuple[list[str], list[tuple[object, ...]]] = ([], [])
    error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self.found = _ask(self.con, self.query)
        except BaseException as e:
            self.error = e
        self.done.set()


def ask(
    con: duckdb.DuckDBPyConnection, query: str, seconds: float = SECONDS
) -> tuple[list[str], list[tuple[object, ...]]]:
    """The names of the columns and the rows of a query's (last) result. A key press (Ctrl-C) stops it.

    Raises:
        UsageError: DuckDB refuses the query, and says why; it is empty, takes too long, or has too many rows.
        Stuck: it neither ends nor lets itself be interrupted.
        NotAnIndex, duckdb.Error: the file is damaged.
    """
    # DuckDB looks for signals between steps only, and one step may take for ever; a thread that never ends must not
    # keep the process from ending
    work = _Work(con, query)
    threading.Thread(target=work, daemon=True, name="own SQL").start()
    try:
        in_time = work.done.wait(seconds)
    finally:
        _stop(work)
    if not in_time and isinstance(work.error, duckdb.InterruptException):
        raise UsageError(
            f"the query took longer than {seconds:g} s", "inro sql --seconds 600; if it asks for little, inro verify"
        )
    if work.error is not None:
        raise work.error
    return work.found


def _stop(work: _Work) -> None:
    until = time.monotonic() + PATIENCE
    # again until it holds: what is interrupted before its first step goes on as if nothing had been
    while not work.done.is_set():
        work.con.interrupt()
        if not work.done.wait(0.05) and time.monotonic() >= until:
            raise Stuck


def _ask(con: duckdb.DuckDBPyConnection, query: str) -> tuple[list[str], list[tuple[object, ...]]]:
    try:
        result = con.execute(query)
        # an empty query gives nothing at all, against what its type says
        description = getattr(result, "description", None)
        if not description:
            raise UsageError("an empty query", "inro sql 'SHOW TABLES'")
        rows: list[tuple[object, ...]] = result.fetchmany(MOST_ROWS + 1)
    except (*_DAMAGE, duckdb.InterruptException):
        raise
    except duckdb.Error as e:
        said = str(e).splitlines()[0].rstrip(".!") if str(e) else type(e).__name__
        if _BROKEN_OFF in said:
            raise NotAnIndex(f"the query broke off: {said}", "inro verify, then restore a copy or sync anew") from e
        # a damaged length asks for as much memory as a query that is too large, in the same words
        too_much = isinstance(e, duckdb.OutOfMemoryException)
        mend = "add LIMIT; if it asks for little, inro verify" if too_much else _HELP
        raise UsageError(said, mend) from e
    if len(rows) > MOST_ROWS:
        raise UsageError(f"the result has more than {MOST_ROWS:,} rows", "add LIMIT")
    return [str(column[0]) for column in description], rows
