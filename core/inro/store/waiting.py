"""Writers that wait say so, and readers who come then let them pass.

DuckDB lets one process write or many read. Where readers come all the time there is hardly a moment without one, and
a writer that only tries again and again may wait for minutes. So it locks a file of the state folder while it waits,
and a reader who finds it locked holds back a little. It is a courtesy between programs of one user: nothing depends on
it, a folder that cannot be written or a lock that is not known costs patience only, and a program that dies has none.

A reader writes nothing: it looks whether there is such a file. Libraries share a fixed number of these files.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from inro import paths

PATIENCE = 0.3
"""Seconds a writer waits before it says so: where readers leave gaps it needs no courtesy."""

GIVE_WAY = 0.05
"""Seconds a reader holds back at most: as long as the readings of others take to end."""

_PAUSE = 0.002
_FILES = 64


class Sign:
    """A writer's sign that it has waited for `PATIENCE`; taken down at the end of the block."""

    def __init__(self, library: Path) -> None:
        self._file = _file(library)
        self._handle = -1
        self._patient_until = time.monotonic() + PATIENCE

    def put_up_when_due(self) -> None:
        """Show it if it is time; to be asked again and again while waiting."""
        if time.monotonic() >= self._patient_until:
            self.put_up()

    def put_up(self) -> None:
        """Show it, unless another writer's is up, which serves as well."""
        if self._handle < 0:
            with suppress(OSError):
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if self._handle >= 0:
            _lock(self._handle, alone=True)

    def __enter__(self) -> Sign:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        if self._handle >= 0:
            os.close(self._handle)


def let_pass(library: Path, deadline: float) -> None:
    """Hold back while a writer waits; `deadline` is a point of `time.monotonic`."""
    until = min(deadline, time.monotonic() + GIVE_WAY)
    while _somebody_waits(library) and time.monotonic() < until:
        time.sleep(_PAUSE)


def _somebody_waits(library: Path) -> bool:
    try:
        handle = os.open(_file(library), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _lock(handle, alone=False)
    finally:
        os.close(handle)


def _lock(handle: int, *, alone: bool) -> bool:
    """Whether the lock was to be had; True too where there are no such locks."""
    try:
        import fcntl

        fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True


def _file(library: Path) -> Path:
    digest = hashlib.blake2b(os.fsencode(library.resolve()), digest_size=4).digest()
    return paths.state_dir() / "waiting" / f"{int.from_bytes(digest, 'big') % _FILES:02d}"
