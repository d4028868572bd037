"""DuckDB without a file: made beforehand, so that the library itself is open for the statements alone.

Making an instance of DuckDB takes ten times as long as opening a library in it, and an instance that is made for a
file holds its lock meanwhile. So readers of one process share an instance that outlives their readings, and a library
is attached to it by the first of them and detached by the last: in between no file is open and nothing is locked.
The instance reaches no file but the one it was made for.

Which settings an instance has, and what errors mean, is for `opening`.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import duckdb

from inro.store.holder import is_lock_error

LIBRARY = "library"
"""What the file is called inside an instance."""

IDLE = 4
"""How many instances with no reader are kept: whoever asks of many libraries goes back and forth among few."""

Config = Mapping[str, str | bool | int | float | list[str]]


def quoted(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def make(config: Config) -> duckdb.DuckDBPyConnection:
    """An instance that holds nothing and has opened nothing (10 ms)."""
    return duckdb.connect(":memory:", config=dict(config))


class Host:
    """An instance for the readers of one file. They may come and go from any thread."""

    def __init__(self, path: Path, config: Config) -> None:
        self._file = quoted(str(path))
        self._instance = make(config)
        # its log, if another program left one, is replayed from beside it
        self._instance.execute(f"SET allowed_paths = [{self._file}, {quoted(str(path) + '.wal')}]")
        # by statement, not in the configuration, where DuckDB refuses it beside a temp_directory
        self._instance.execute("SET enable_external_access = false")
        self._guard = threading.Lock()
        self._readers = 0
        self._inode = -1
        self._retired = False

    def enter(self, inode: int) -> duckdb.DuckDBPyConnection | None:
        """A connection for one reader, the file attached; None if other readers still have a former file of its name.

        Raises:
            duckdb.Error: the file cannot be opened.
        """
        with self._guard:
            if self._retired or (self._readers and inode != self._inode):
                self._retired = True
                return None
            if not self._readers:
                self._instance.execute(f"ATTACH {self._file} AS {LIBRARY} (READ_ONLY)")
                self._inode = inode
            self._readers += 1
            return self._instance.cursor()

    def leave(self, con: duckdb.DuckDBPyConnection) -> None:
        """End a reader; the last one closes the file."""
        con.close()
        with self._guard:
            self._readers -= 1
            if not self._readers:
                if not self._retired:
                    try:
                        self._instance.execute(f"DETACH {LIBRARY}")
                    except duckdb.Error:
                        self._retired = True
                if self._retired:
                    self._instance.close()

    def retire(self) -> None:
        """No reader is to come any more: after damage an instance may be of no use."""
        with self._guard:
            if not self._retired:
                self._retired = True
                if not self._readers:
                    self._instance.close()

    @property
    def is_idle(self) -> bool:
        return not self._readers


_hosts: OrderedDict[Path, Host] = OrderedDict()
_guard = threading.Lock()
_of_the_parent: list[object] = []


def reader(path: Path, config: Config, inode: int) -> tuple[Host, duckdb.DuckDBPyConnection]:
    """A connection that reads the file and the host to which it is to be handed back.

    `inode` is what the name stands for at this moment.

    Raises:
        duckdb.Error: the file cannot be opened; its host is gone, unless another process has the file.
    """
    key = Path(os.path.abspath(path))  # noqa: PTH100 a link is another name, which DuckDB opens by itself
    while True:
        with _guard:
            host = _hosts.get(key)
            if host is None:
                host = _hosts[key] = Host(key, config)
            _hosts.move_to_end(key)
            _let_go_of_idle()
        try:
            con = host.enter(inode)
        except duckdb.Error as e:
            if not is_lock_error(str(e)):
                drop(host)
            raise
        if con is not None:
            return host, con
        drop(host)


def drop(host: Host) -> None:
    """Let no reader come to this host any more."""
    with _guard:
        for key in [key for key, kept in _hosts.items() if kept is host]:
            del _hosts[key]
    host.retire()


def _let_go_of_idle() -> None:
    idle = [key for key, host in _hosts.items() if host.is_idle]
    for key in idle[: max(0, len(idle) - IDLE)]:
        _hosts.pop(key).retire()


def _forget_after_fork() -> None:
    # the threads of an instance are not in the child, so closing it there would wait for ever
    global _guard
    _of_the_parent.extend(_hosts.values())
    _hosts.clear()
    _guard = threading.Lock()


with suppress(AttributeError):
    os.register_at_fork(after_in_child=_forget_after_fork)
