"""Bringing an older library to this release's format: a named command, never a side effect of opening.

Each step is one numbered function that turns format n into n + 1 in one transaction. Format 1 is the first,
so there is nothing to step over yet.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import duckdb

from inro.errors import FormatTooNew, LibraryBusy, NotAnIndex
from inro.store import faults, holder, host, meta, opening, schema
from inro.store.connect import Store
from inro.store.sharing import turnstile

Step = Callable[[duckdb.DuckDBPyConnection], None]

STEPS: Mapping[int, Step] = {}
"""For each older format, the function that takes it one format further."""


def migrate(store: Store, steps: Mapping[int, Step] = STEPS, target: int = schema.FORMAT) -> tuple[int, int]:
    """Bring a library to `target` and return (format before, format after); nothing happens if it is there.

    All steps run in one transaction: after an error the file is as it was.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, WriteFailed: the file cannot be opened for writing.
        FormatTooNew: a newer release wrote it.
    """
    store.stamp()
    deadline = time.monotonic() + store.write_deadline
    try:
        with turnstile(store.path).writing(deadline):
            writer = opening.Writer(store.path, store.key)
            try:
                return _run(_open(store, writer, deadline), store, steps, target)
            except duckdb.Error as e:
                raise faults.commit_error(store.path, e) from e
            finally:
                # an open transaction is rolled back by closing
                writer.close()
    except TimeoutError as e:
        raise LibraryBusy(f"{store.path} is in use by {holder.this_process()}", "wait for it to finish") from e


def _open(store: Store, writer: opening.Writer, deadline: float) -> duckdb.DuckDBPyConnection:
    while True:
        try:
            return writer.open()
        except opening.BrokenLog:
            store.notices.append(f"a broken log was set aside as {opening.set_aside(store.path).name}")
        except opening.Locked as e:
            if time.monotonic() >= deadline:
                raise LibraryBusy(
                    f"{store.path} is in use by {holder.describe(str(e))}",
                    "wait for it to finish, or stop it",
                ) from e
            time.sleep(0.05)


def _run(con: duckdb.DuckDBPyConnection, store: Store, steps: Mapping[int, Step], target: int) -> tuple[int, int]:
    try:
        before = meta.counter(con, "format")
    except duckdb.CatalogException as e:
        raise NotAnIndex(f"not an Inro library: {store.path}", "name another file with --library") from e
    if before > target:
        raise FormatTooNew(f"{store.path} has format {before}, this release knows {target}", "install a newer release")
    if before == target:
        return before, before
    con.execute("BEGIN TRANSACTION")
    for number in range(before, target):
        if number not in steps:
            raise NotAnIndex(f"{store.path} has format {number}, which no release wrote")
        steps[number](con)
        meta.put(con, "format", str(number + 1))
    meta.count_up(con, meta.GENERATION)
    con.execute("COMMIT")
    con.execute(f"CHECKPOINT {host.LIBRARY}")
    return before, target
