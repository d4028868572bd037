"""A new library file: made under another name in the same folder and put in place whole, or not at all.

Knows how an empty library comes to be; what is put into it afterwards is the business of whoever makes it.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from inro.errors import WriteFailed
from inro.store import faults, opening, schema
from inro.store.cipher import Key
from inro.store.extension import load_openssl


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A name for a file that will take the place of `path`; what is still there at the end is removed.

    Raises:
        WriteFailed: the folder cannot be made, or the block met an error of the file system or of DuckDB.
    """
    file = path.with_name(f".{path.name}.{os.getpid()}-{random.getrandbits(32):08x}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield file
    except OSError as e:
        raise WriteFailed(
            f"{path} cannot be made: {e.strerror}", "make room, or name a place where you may write"
        ) from e
    except duckdb.Error as e:
        raise faults.making_error(path, e) from e
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)
            opening.log_of(file).unlink(missing_ok=True)


def write_empty(file: Path, key: Key | None = None) -> None:
    """Write a library that holds nothing; with a key, an encrypted one.

    Raises:
        duckdb.Error: it cannot be written.
        LibraryError: what encryption needs is not installed.
    """
    with duckdb.connect(":memory:") as con:
        if key is not None:
            load_openssl(con)
        options = f"BLOCK_SIZE {schema.BLOCK_SIZE}, STORAGE_VERSION '{schema.STORAGE_VERSION}'"
        opening.attach(con, file, "fresh", key, read_only=False, options=options)
        schema.create(con, "fresh")
        con.execute("CHECKPOINT fresh")
        con.execute("DETACH fresh")
