"""`Store`: the file, opened for one operation at a time.

Nobody holds the file. A reader opens, asks and closes; a writer prepares everything beforehand, opens,
writes in one transaction, commits and closes. A busy file is tried again with growing, jittered pauses, and
past the deadline the error names who holds it. Opening never creates, migrates or writes.

Knows when and how the file may be open; what is in the tables is for the other modules of this room.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb

from inro import in_place, log
from inro.errors import LibraryBusy, UsageError
from inro.store import cipher, faults, fresh, holder, host, meta, opening, schema, waiting
from inro.store.cipher import Key
from inro.store.sharing import turnstile

READ_DEADLINE = 10.0
"""Seconds a reader waits for a busy file: longer than any commit's window."""

WRITE_DEADLINE = 60.0
"""Seconds a writer waits; it has work to lose."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.01
"""Seconds between two tries; one costs a third of a millisecond, a commit takes some tens."""

_BREATH = 0.04
"""Seconds between two commits of a program that is not alone: who waits for the first comes before the second."""

_VETTING = 0.5
"""Seconds a writer waits to look at the file while it does not hold it."""

Connection = duckdb.DuckDBPyConnection
T = TypeVar("T")


class _Replaced(Exception):
    """Between looking and opening another file got the name."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the file system says of the file. Equal stamps mean that nothing was committed in between."""

    mtime_ns: int
    size: int
    inode: int


class Store:
    """One library file.

    It holds no resource: an object may be kept for a whole run, shared by threads and thrown away unclosed.
    """

    def __init__(
        self,
        path: Path,
        *,
        key: Key | None = None,
        read_deadline: float = READ_DEADLINE,
        write_deadline: float = WRITE_DEADLINE,
    ) -> None:
        self.path = Path(path)
        self.key = key
        """Opens the file if it is encrypted; not needed, and not looked at, if it is not."""
        self.read_deadline = read_deadline
        self.write_deadline = write_deadline
        self.notices: list[str] = []
        """What was found and set right while opening, a sentence each: a broken log and its new name."""
        self._checked: Stamp | None = None
        self._free_again = float("-inf")
        """When this program may commit again, by `time.monotonic`."""
        self._vetted = -1
        """The inode of a file that holds no macros of its own, or did not when it was first looked at."""

    @classmethod
    def create(cls, path: Path, *, key: Key | None = None, exist_ok: bool = False) -> Store:
        """Make an empty library at `path`, whole or not at all; with a key, an encrypted one.

        Raises:
            UsageError: something is there already (unless `exist_ok`, which leaves it alone).
            WriteFailed: the folder cannot be written.
        """
        path = Path(path)
        if not path.exists():
            with fresh.beside(path) as file:
                fresh.write_empty(file, key)
                in_place.put_in_place(file, path)
        elif not exist_ok:
            raise UsageError(f"there is already a file at {path}", "name another file with --library")
        return cls(path, key=key)

    def encrypted(self) -> bool:
        """Whether the file is encrypted; False if there is none.

        Raises:
            LibraryBusy: another thread of this process has it open past the deadline.
        """
        deadline = time.monotonic() + self.read_deadline
        try:
            with turnstile(self.path).writing(deadline):
                return cipher.is_encrypted(self.path)
        except TimeoutError as e:
            raise self._busy(holder.this_process(), self.read_deadline) from e

    @contextmanager
    def reading(self, *, fts: bool = False, alone: bool = False) -> Iterator[Connection]:
        """A read-only connection for the length of the block; `alone` in this process if the block needs that.

        `fts` is for a user's own SQL: it loads the full-text extension (35 ms), so that `match_bm25` may be
        called, and locks all settings; the block is alone in this process then. Do not hand out the
        connection's cursors: they lose its search path.

        Raises:
            LibraryMissing, LibraryBusy, NotAnIndex, FormatTooNew, FormatTooOld: it cannot be opened.
            KeyNeeded, WrongKey: it is encrypted.
            NotAnIndex: a query of the block met damage.
            duckdb.ProgrammingError: a statement of the block is wrong.
        """
        deadline = time.monotonic() + self.read_deadline
        try:
            turns = turnstile(self.path)
            # each opening with a key is a database of its own, and closing one gives up the locks of all
            alone = alone or fts or self.key is not None
            with turns.writing(deadline) if alone else turns.reading(deadline):
                waiting.let_pass(self.path, deadline)
                reader = self._open(lambda inode: self._reader(inode, fts), deadline)
                damaged = stuck = False
                try:
                    self._check(reader.con, macros=fts)
                    if fts:
                        opening.hand_over(reader.con)
                    yield reader.con
                except opening.Stuck as e:
                    stuck = True
                    raise faults.does_not_end(self.path) from e
                except duckdb.InvalidInputException as e:
                    if faults.is_locked_setting(e):
                        raise
                    damaged = True
                    # a kind of the next, and what DuckDB says of bytes that are no text
                    raise faults.query_error(self.path, e) from e
                except duckdb.ProgrammingError:
                    # a wrong statement, not a wrong file: whoever wrote it is told in DuckDB's words
                    raise
                except duckdb.Error as e:
                    damaged = True
                    raise faults.query_error(self.path, e) from e
                finally:
                    if stuck:
                        reader.abandon()
                    else:
                        reader.close(damaged=damaged)
        except TimeoutError as e:
            raise self._busy(holder.this_process(), self.read_deadline) from e

    @contextmanager
    def writing(
        self, *, ahead: Callable[[Connection], None] | None = None, quiet: bool = False, compact: bool = False
    ) -> Iterator[Connection]:
        """A connection inside one transaction for the length of the block; prepare before, keep it short.

        `ahead` is handed the connection while the library is not open yet: what it lays out in memory (`staging`) the
        block has at hand.

        At the end the generation counter goes up by one and all of it is committed; after an exception
        nothing is. A `quiet` commit leaves the counter: for what no cache holds, such as the time of a sync. A
        `compact` one merges besides what earlier commits wrote apart, and takes as long as writing much of the file.
        No thread of this process may be reading in the meantime, so never nest it in `reading`.

        Raises:
            LibraryMissing, LibraryBusy, NotAnIndex, FormatTooNew, FormatTooOld: it cannot be opened.
            KeyNeeded, WrongKey: it is encrypted.
            WriteFailed: the medium refused; the file is as it was.
        """
        self._vet()
        deadline = time.monotonic() + self.write_deadline
        time.sleep(max(0.0, self._free_again - time.monotonic()))
        try:
            with turnstile(self.path).writing(deadline):
                writer = opening.Writer(self.path, self.key)
                con = writer.con
                asked = time.monotonic()
                try:
                    if ahead is not None:
                        ahead(con)
                    self._begin(writer, deadline)
                    opened = time.monotonic()
                    con.execute("BEGIN TRANSACTION")
                    yield con
                    if not quiet:
                        meta.count_up(con, meta.GENERATION)
                    if compact:
                        meta.put(con, meta.COMPACTED, str(meta.counter(con, meta.GENERATION)))
                        opening.merge_rows(con)
                    con.execute("COMMIT")
                    con.execute(f"CHECKPOINT {host.LIBRARY}")
                    if opening.log_of(self.path).exists():
                        # what could be replayed of another program's log is in this commit; the rest is torn
                        self._set_aside()
                    # still alone with the file: what this commit left is as sound as what it began from
                    self._checked = self.stamp()
                except duckdb.Error as e:
                    _roll_back(con)
                    raise faults.commit_error(self.path, e) from e
                except BaseException:
                    _roll_back(con)
                    raise
                finally:
                    writer.close()
                    # somebody was there before this commit, so somebody may be waiting for its end
                    self._free_again = time.monotonic() + (_BREATH if writer.waited else 0.0)
                held, waited = (time.monotonic() - opened) * 1e3, (opened - asked) * 1e3
                log.info("commit", library=self.path.name, held_ms=held, waited_ms=waited, quiet=quiet, compact=compact)
        except TimeoutError as e:
            raise self._busy(holder.this_process(), self.write_deadline) from e

    @contextmanager
    def lending(self, target: Store) -> Iterator[Connection]:
        """A connection that writes `target` and sees this library as `source`, checked and read-only.

        Both are locked for the length of the block: `target` should be a file nobody waits for.

        Raises:
            LibraryMissing, LibraryBusy, NotAnIndex, FormatTooNew, FormatTooOld: one of them cannot be opened.
            KeyNeeded, WrongKey: this library is encrypted.
            WriteFailed: the medium refused; nothing was written.
        """
        key = self.key if self.encrypted() else None
        # the lock that this reader holds is the process's, so the second opening cannot be refused
        with self.reading(alone=True) as con:
            schema.check(con, str(self.path), macros=True)
            with target.writing() as con:
                opening.attach_source(con, self.path, key)
                yield con

    def give_way(self, file: Path, generation: int) -> bool:
        """Put a finished library in the place of this one; False if something was committed since `generation`.

        Whoever is reading goes on with the file it has open; whoever comes later finds the new one.

        Raises:
            LibraryMissing, LibraryBusy, NotAnIndex, KeyNeeded, WrongKey: it cannot be opened.
            WriteFailed: the folder does not allow it; this file is as it was.
        """
        deadline = time.monotonic() + self.write_deadline
        try:
            with turnstile(self.path).writing(deadline):
                writer = opening.Writer(self.path, self.key)
                try:
                    self._begin(writer, deadline)
                    if meta.counter(writer.con, meta.GENERATION) != generation:
                        return False
                    return in_place.put_in_place(file, self.path, replace=True)
                finally:
                    writer.close()
        except OSError as e:
            if isinstance(e, TimeoutError):
                raise self._busy(holder.this_process(), self.write_deadline) from e
            raise faults.not_replaced(self.path, e) from e

    def generation(self) -> int:
        """How many commits the library has seen; opens the file."""
        with self.reading() as con:
            return meta.counter(con, meta.GENERATION)

    def stamp(self) -> Stamp:
        """A cheap mark of the file's state, without opening it (some microseconds).

        Compare it with an earlier one first; only when it changed need the generation be asked.

        Raises:
            LibraryMissing: there is no such file.
        """
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError) as e:
            raise faults.missing(self.path) from e
        return Stamp(found.st_mtime_ns, found.st_size, found.st_ino)

    def _vet(self) -> None:
        """Refuse a library with macros of its own, while others may still read it: looking for them takes 40 ms.

        Once is enough: whatever is planted later is never called, since built-in functions win.
        """
        inode = self.stamp().inode
        if self._vetted == inode:
            return
        with suppress(LibraryBusy), Store(self.path, key=self.key, read_deadline=_VETTING).reading() as con:
            schema.refuse_macros(con, str(self.path))
            self._vetted = inode

    def _check(self, con: Connection, *, macros: bool) -> None:
        stamp = self.stamp()
        if stamp == self._checked and not macros:
            return
        schema.check(con, str(self.path), macros=macros)
        self._checked = stamp

    def _reader(self, inode: int, fts: bool) -> opening.Reader:
        reader = opening.open_reader(self.path, inode=inode, fts=fts, key=self.key)
        if not self._is_still(inode):
            reader.close()
            raise _Replaced
        return reader

    def _begin(self, writer: opening.Writer, deadline: float) -> None:
        """Open the library for writing and look at it."""
        with waiting.Sign(self.path) as sign:

            def connect(inode: int) -> None:
                sign.put_up_when_due()
                writer.open()
                if not self._is_still(inode):
                    writer.let_go()
                    raise _Replaced

            self._open(connect, deadline)
        inode = self.stamp().inode
        self._check(writer.con, macros=self._vetted != inode)
        self._vetted = inode

    def _open(self, connect: Callable[[int], T], deadline: float) -> T:
        started = time.monotonic()
        pause = _FIRST_PAUSE
        while True:
            try:
                return connect(self.stamp().inode)
            except _Replaced:
                continue
            except opening.BrokenLog:
                self._set_aside()
            except opening.Locked as e:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self._busy(holder.describe(str(e)), time.monotonic() - started) from e
                time.sleep(min(left, pause * random.uniform(0.5, 1.5)))
                pause = min(pause * 2, _LONGEST_PAUSE)

    def _is_still(self, inode: int) -> bool:
        """Whether what was opened still has the name; another program may have put a new file in its place."""
        return self.stamp().inode == inode

    def _set_aside(self) -> None:
        aside = opening.set_aside(self.path)
        log.warning("log set aside", library=self.path.name, now=aside.name)
        self.notices.append(f"a broken log was set aside as {aside.name}; the library is as of its last commit")

    def _busy(self, who: str, waited: float) -> LibraryBusy:
        # not who it is: another program's command line may hold a question
        log.warning("busy", library=self.path.name, waited_s=waited)
        return LibraryBusy(
            f"{self.path} is in use by {who}; waited {waited:.0f} s", "wait for it to finish, or stop it"
        )


def _roll_back(con: Connection) -> None:
    # a commit that failed has rolled back by itself, and a broken database answers with one more error
    with suppress(duckdb.Error):
        con.execute("ROLLBACK")
