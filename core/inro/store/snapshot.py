"""The whole library in another file: byte for byte, or row by row under another key.

The bytes of a file nobody writes are a library, so a copy is a copy of bytes under a reader's lock: writers wait
for as long as the disk takes. Under another key each block is another, so the rows are written anew; ids, units,
the graph and every counter stay what they were.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from inro.store import fresh, meta, opening, titles
from inro.store.cipher import Key
from inro.store.connect import Store
from inro.store.schema import TABLES


def copy_file(store: Store, file: Path) -> Store:
    """Copy the library as of its last commit to `file`, which must not exist; the copy, with the same key.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, KeyNeeded, WrongKey: it cannot be opened.
        OSError, WriteFailed: the copy cannot be written.
    """
    log = opening.log_of(store.path)
    copy = Store(file, key=store.key)
    with store.reading(alone=True):
        shutil.copy(store.path, file)
        logged = log.exists()
        if logged:
            shutil.copy(log, opening.log_of(file))
    if logged:
        # what another program left in its log belongs to the library
        with copy.writing(quiet=True):
            pass
    return copy


def rewrite(store: Store, file: Path, key: Key | None) -> Store:
    """Write the library to `file`, which must not exist, under `key`, or in the clear without one.

    Raises:
        LibraryMissing, LibraryBusy, NotAnIndex, KeyNeeded, WrongKey: it cannot be opened.
        duckdb.Error, WriteFailed: the copy cannot be written.
    """
    fresh.write_empty(file, key)
    copy = Store(file, key=key)
    with store.lending(copy) as con:
        for table in TABLES:
            con.execute(f"DELETE FROM {table}")
            con.execute(f"INSERT INTO {table} SELECT * FROM {opening.SOURCE}.main.{table}")
        if titles.is_indexed(con):
            titles.rebuild(con)
        meta.count_up(con, meta.GENERATION)
    return copy
