"""One log file for many programs: appended to and renamed under a lock, readable by its owner alone."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path


class SharedFile(RotatingFileHandler):
    """Python's rotating file, safe among processes. It opens the file with its first record and never raises."""

    def __init__(self, file: Path, largest: int, former: int) -> None:
        """
        Args:
            largest: bytes after which the file is renamed to `NAME.1`, that one to `NAME.2`, and so on.
            former: how many of these are kept.
        """
        super().__init__(file, maxBytes=largest, backupCount=former, encoding="utf-8", errors="replace", delay=True)
        self._folder = file.parent

    def emit(self, record: logging.LogRecord) -> None:
        """Append one record."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with _alone_with(self._folder):
                self._follow()
                super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk is told by whatever else meets it."""

    def _follow(self) -> None:
        """Let go of a file that another program has renamed."""
        if self.stream is None:
            return
        try:
            same = os.path.samestat(Path(self.baseFilename).stat(), os.fstat(self.stream.fileno()))
        except OSError:
            same = False
        if not same:
            self.stream.close()
            self.stream = None

    def _open(self) -> TextIOWrapper:
        def for_the_owner(path: str, flags: int) -> int:
            return os.open(path, flags | os.O_CLOEXEC, 0o600)

        stream = open(self.baseFilename, self.mode, encoding=self.encoding, errors=self.errors, opener=for_the_owner)  # noqa: SIM115
        assert isinstance(stream, TextIOWrapper)
        return stream


@contextmanager
def _alone_with(folder: Path) -> Iterator[None]:
    """Alone among the programs that write here; where there are no such locks, not."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
