"""One connection to the file, opened the safe way.

A reader can write nothing and reach no other file. The file is attached to an instance of DuckDB that is there
already (`host`); only a user's own SQL gets an instance of its own, in which nothing can be loaded and no setting
changed. A writer never makes a write-ahead log: with both thresholds at zero DuckDB writes the new blocks beside the
old ones, syncs, and then swaps one header, so a crash leaves either the old state or the new one and the file is whole
whenever no commit runs. An encrypted file is attached with its key to an instance that lives as long as its
connection; only writing it needs OpenSSL, from the wheel of DuckDB's `httpfs` extension. A log left by another program
is replayed by DuckDB; one that cannot be replayed is set aside under a name that is told.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from inro.errors import LibraryError, NotAnIndex
from inro.store import faults, host
from inro.store.cipher import Key, is_encrypted
from inro.store.extension import load_fts, load_openssl
from inro.store.holder import is_lock_error

THREADS = 2

_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "threads": str(THREADS),
    # never spill into a folder beside the library: opening for reading writes nothing anywhere
    "temp_directory": "",
    # a lookup of some hundred rows by number reads those; beyond this many DuckDB reads all from the first to the last
    "dynamic_or_filter_threshold": "1000",
}
SOURCE = "source"
"""What a library is called in the connection that writes another one from it."""

_READ = {**_CLOSED, "memory_limit": faults.MEMORY_LIMIT}
_WRITE = {
    **_CLOSED,
    "checkpoint_threshold": "0b",
    "auto_checkpoint_skip_wal_threshold": "0",
    # each commit would merge its few rows with those of all commits before and write them again: 50 MB for a note
    "max_vacuum_tasks": "0",
}


class Locked(Exception):
    """Another process holds the file; the text is DuckDB's. Never leaves the store."""


class Stuck(Exception):
    """DuckDB does not come back from a query: it goes round in a damaged block, or in one long step. Never leaves the
    store."""


_stuck: dict[Path, object] = {}
"""Connections of such queries: closing one, which losing its last reference does, would wait for ever."""


class Reader:
    """A connection that reads, and how to end it."""

    def __init__(self, con: duckdb.DuckDBPyConnection, path: Path, shared: host.Host | None = None) -> None:
        self.con = con
        self._path = path
        self._shared = shared
        self.is_own = shared is None
        """Whether nobody else has the instance."""

    def close(self, *, damaged: bool = False) -> None:
        """Close the file; `damaged` if DuckDB met something in it after which an instance may be of no use."""
        if self._shared is None:
            self.con.close()
            return
        if damaged:
            host.drop(self._shared)
        self._shared.leave(self.con)

    def abandon(self) -> None:
        """Leave a connection of its own as it is, with the file open, as long as the process lives."""
        if not _stuck:
            # an instance that is at work cannot be ended: the process then ends without ending it
            atexit.register(_end_at_once)
        _stuck[self._path] = self.con


def _end_at_once() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(NotAnIndex.exit_code)


def open_reader(path: Path, *, inode: int, fts: bool, key: Key | None = None) -> Reader:
    """A read-only connection, shut in, that prefers built-in functions to the file's own macros.

    `inode` says which file the name stands for. `fts` loads the full-text extension first, for a user's own SQL;
    `hand_over` follows then.

    Raises:
        Locked: another process holds the file for writing.
        LibraryMissing, NotAnIndex, LibraryError: the file is not there, not DuckDB's, or cannot be read.
        KeyNeeded, WrongKey: it is encrypted.
    """
    reader = _open_reader(path, inode, fts, key)
    try:
        safe_search_path(reader.con)
        if reader.is_own:
            if fts:
                load_fts(reader.con)
            # by statement, not in the configuration, where DuckDB refuses it beside a temp_directory
            reader.con.execute("SET enable_external_access = false")
    except duckdb.Error as e:
        # another reader of the same instance has met damage
        reader.close(damaged=True)
        raise faults.query_error(path, e) from e
    except BaseException:
        reader.close(damaged=True)
        raise
    return reader


def _open_reader(path: Path, inode: int, fts: bool, key: Key | None) -> Reader:
    try:
        if key is not None and is_encrypted(path):
            return Reader(_attach(path, _READ, key, read_only=True), path)
        if path in _stuck:
            # DuckDB would give the same instance again
            raise faults.does_not_end(path)
        if fts:
            return Reader(duckdb.connect(str(path), read_only=True, config=_READ), path)
        shared, con = host.reader(path, _READ, inode)
    except duckdb.Error as e:
        raise _refusal(path, e, read_only=True) from e
    return Reader(con, path, shared)


def hand_over(con: duckdb.DuckDBPyConnection) -> None:
    """Make a checked connection fit for a user's own SQL: macros of the index found, every setting locked.

    Readers of one process share a database instance and so this lock: no other may be open.
    """
    own_search_path(con)
    con.execute("SET lock_configuration = true")


def give_back(con: duckdb.DuckDBPyConnection) -> None:
    """Let a reader's instance give back to the system what it needed while arrays were read.

    DuckDB does so whenever it is told its limit, and not by itself: 90 MB after a library of 100,000 chunks.
    """
    con.execute(f"SET memory_limit = '{faults.MEMORY_LIMIT}'")


class Writer:
    """An instance that may write one file, made before the file is locked."""

    def __init__(self, path: Path, key: Key | None = None) -> None:
        """Make the instance; nothing is opened yet.

        Raises:
            LibraryError: the file is encrypted and what writes such files is not installed.
        """
        self._path = path
        self._key = key
        self._can_encrypt = False
        self.waited = False
        """Whether another process held the file when it was to be opened."""
        # what does not fit into memory lies beside the library, but of an encrypted one nothing is put on a disk
        self.con = host.make({**_WRITE, "temp_directory": "" if key else f"{path}.tmp"})
        try:
            self._key_now()
        except BaseException:
            self.con.close()
            raise

    def open(self) -> duckdb.DuckDBPyConnection:
        """The connection, with the file open, in which built-in functions win over macros of the file.

        Raises:
            Locked: another process holds the file.
            LibraryMissing, NotAnIndex, WriteFailed: the file is not there, not DuckDB's, or must not be written.
            KeyNeeded, WrongKey: it is encrypted.
        """
        try:
            attach(self.con, self._path, host.LIBRARY, self._key_now(), read_only=False)
        except duckdb.Error as e:
            refused = _refusal(self._path, e, read_only=False)
            self.waited |= isinstance(refused, Locked)
            raise refused from e
        safe_search_path(self.con)
        return self.con

    def let_go(self) -> None:
        """Close the file and keep the instance, which takes longer to end.

        Raises:
            duckdb.Error: the file is not open, or something is still under way in it.
        """
        self.con.execute("SET search_path = 'memory.main'")
        self.con.execute(f"DETACH {host.LIBRARY}")

    def _key_now(self) -> Key | None:
        """The key, if the file at this moment is one that needs it."""
        if self._key is None or not is_encrypted(self._path):
            return None
        if not self._can_encrypt:
            load_openssl(self.con)
            self._can_encrypt = True
        return self._key

    def close(self) -> None:
        """Close the file, if it is open, and end the instance."""
        with suppress(duckdb.Error):
            self.let_go()
        self.con.close()


def merge_rows(con: duckdb.DuckDBPyConnection) -> None:
    """Let this writer's checkpoint merge what earlier commits wrote apart."""
    con.execute("SET max_vacuum_tasks = 100")


_BUILT_IN = "system.main,"


def safe_search_path(con: duckdb.DuckDBPyConnection) -> None:
    """Let built-in functions win over macros of the file that are named like them."""
    _set_search_path(con, _BUILT_IN)


def own_search_path(con: duckdb.DuckDBPyConnection) -> None:
    """Let names mean what the file says, as DuckDB has it by itself."""
    _set_search_path(con, "")


@contextmanager
def own_names(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let names mean what the file says for the length of a block; after an error the connection is of no use."""
    row = con.execute("SELECT current_setting('search_path')").fetchone()
    assert row is not None
    former = str(row[0])
    con.execute(f"SET search_path = {host.quoted(former.removeprefix(_BUILT_IN))}")
    yield
    con.execute(f"SET search_path = {host.quoted(former)}")


def _set_search_path(con: duckdb.DuckDBPyConnection, before: str) -> None:
    # from here no function of the file's own can answer
    con.execute("SET search_path = 'system.main'")
    row = con.execute("SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL").fetchone()
    assert row is not None
    database = str(row[0]).replace('"', '""')
    path = host.quoted(f'{before}"{database}".main')
    con.execute(f"SET search_path = {path}")


def _refusal(path: Path, error: duckdb.Error, *, read_only: bool) -> Exception:
    """What it is that a file cannot be opened."""
    message = str(error)
    if is_lock_error(message):
        return Locked(message)
    if "replaying WAL" in message or "WAL was created" in message:
        return BrokenLog(message)
    return faults.opening_error(path, error, read_only=read_only)


def _attach(path: Path, config: host.Config, key: Key, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    con = host.make(config)
    try:
        attach(con, path, host.LIBRARY, key, read_only=read_only)
    except BaseException:
        con.close()
        raise
    return con


def attach(
    con: duckdb.DuckDBPyConnection,
    path: Path,
    name: str,
    key: Key | None,
    *,
    read_only: bool,
    options: str = "",
) -> None:
    """Attach a file to a connection that may reach outside itself; without a key, as a plain one.

    Raises:
        duckdb.Error: it cannot be opened; the text never holds the key.
    """
    chosen = ", ".join(
        part for part in ("READ_ONLY" if read_only else "", key.attach_option() if key else "", options) if part
    )
    try:
        con.execute(f"ATTACH {host.quoted(str(path))} AS {name}" + (f" ({chosen})" if chosen else ""))
    except duckdb.Error as e:
        if key is not None and key.hidden_in(str(e)):
            raise duckdb.IOException(f"{path} cannot be opened") from None
        raise


def attach_source(con: duckdb.DuckDBPyConnection, path: Path, key: Key | None) -> None:
    """Let a writing connection see a library that this process reads as `source`, and nothing else from then on.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    # what writing titles needs, while it may still be loaded
    load_fts(con)
    attach(con, path, SOURCE, key, read_only=True)
    con.execute("SET enable_external_access = false")


class BrokenLog(Exception):
    """A write-ahead log beside the file cannot be replayed. Never leaves the store."""


def log_of(path: Path) -> Path:
    """Where DuckDB would keep a write-ahead log for this file."""
    return path.with_name(path.name + ".wal")


def set_aside(path: Path) -> Path:
    """Move the log of `path` out of the way and say where to; the file's last whole state opens then.

    Raises:
        LibraryError: the folder does not allow it.
    """
    log = log_of(path)
    for n in range(1, 1000):
        aside = path.with_name(f"{path.name}.wal.broken-{n}")
        if not aside.exists():
            break
    try:
        log.replace(aside)
    except OSError as e:
        raise LibraryError(
            f"a broken log lies beside {path.name} and cannot be set aside: {e.strerror}", f"move {log} away"
        ) from e
    return aside
