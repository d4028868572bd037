"""Reading a file in a child process that may crash, hang or run out of memory without harm.

Whatever a parser does to its process, the file gets an outcome and the next one is read. The child is kept from
file to file; one that died over a file after reading others is no proof against the file, so that is tried once
more in a fresh one: an outcome never depends on what was read before. Knows no parser.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from inro.errors import ModelError, Unreadable, WorkerCrashed
from inro.index.reading_frame import unpack
from inro.records import Reading
from inro.workers.process import Child
from inro.workers.protocol import Frame

CHILD = "inro.index.read_child"
SILENCE = 60.0
"""Seconds without a sign of life after which a child counts as hung; it gives several a second."""
_SOFT = 0.8
"""Share of the time after which a reader is to return what it has."""
_EXCLUDE = "open it with another program and save it anew, or exclude it with .inroignore"


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may cost."""

    memory: int = 4 << 30
    """Bytes of address space of the child, libraries included: recognising text on a page takes about half."""
    seconds: float = 120.0
    """For any file."""
    seconds_per_megabyte: float = 300.0
    """On top, by size: a scanned page takes seconds, and a megabyte holds thirty of them at the most."""
    longest: float = 3 * 3600.0
    characters: int = 20_000_000
    """Of text, beyond which it is cut."""

    def time_for(self, size: int) -> float:
        """Seconds that a file of `size` bytes may take."""
        return min(self.seconds + self.seconds_per_megabyte * size / 1e6, self.longest)


class ReadWorker:
    """Owns at most one child, started when first needed. For one thread; `close` may come from any."""

    def __init__(
        self, *, recognise: bool = True, threads: int = 2, limits: Limits | None = None, module: str = CHILD
    ) -> None:
        """`recognise`: whether text in pictures is recognised, with so many `threads`."""
        self.limits = limits or Limits()
        self._options = {"recognise": recognise, "threads": threads}
        self._module = module
        self._child: Child | None = None
        self._files = 0
        """How many the present child has read."""

    def read(
        self, data: bytes, name: str, encoding: str | None = None, *, stopped: Callable[[], bool] = lambda: False
    ) -> Reading | None:
        """The reading of a file; None if `stopped` became true before there was one.

        Raises:
            Unreadable: the reader says so, or it crashed, hung or needed too much.
        """
        while True:
            used = self._files > 0 and self._child is not None and self._child.alive
            try:
                return self._ask(data, name, encoding, stopped)
            except _Died as e:
                self.close()
                if not used:
                    raise Unreadable(str(e), _EXCLUDE) from e
            except ModelError as e:
                raise Unreadable(f"its reader failed: {e.message.removeprefix(f'{self._module}: ')}", _EXCLUDE) from e

    def close(self) -> None:
        """End the child; a later reading starts a new one."""
        child, self._child, self._files = self._child, None, 0
        if child is not None:
            child.close()

    def __enter__(self) -> ReadWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, data: bytes, name: str, encoding: str | None, stopped: Callable[[], bool]) -> Reading | None:
        seconds = self.limits.time_for(len(data))
        request: dict[str, Any] = {**self._options, "name": name, "encoding": encoding}
        request |= {"seconds": seconds * _SOFT, "characters": self.limits.characters}
        answer: Frame | None = None
        try:
            child = self._running()
            end = time.monotonic() + seconds
            with contextlib.closing(child.stream("read", [np.frombuffer(data, np.uint8)], **request)) as stream:
                for frame in stream:
                    if frame.header:
                        answer = frame
                    elif stopped():
                        self.close()
                        return None
                    elif time.monotonic() > end:
                        self.close()
                        raise Unreadable(f"reading it took longer than {seconds:.0f} s", _EXCLUDE)
        except WorkerCrashed as e:
            raise _Died(f"its reader crashed: {_how(e)}") from e
        if answer is None:
            raise _Died("its reader gave no answer")
        self._files += 1
        return self._result(answer)

    def _result(self, answer: Frame) -> Reading:
        header = answer.header
        if header.get("memory"):
            raise _Died(f"reading it takes more than {self.limits.memory >> 20:,} MB of memory")
        if "unreadable" in header:
            raise Unreadable(str(header["unreadable"]), str(header.get("mend", "")))
        try:
            return unpack(header["reading"], answer.arrays)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as e:
            raise _Died(f"its reader gave no reading ({e})") from e

    def _running(self) -> Child:
        if self._child is None or not self._child.alive:
            self.close()
            self._child = Child(self._module, timeout=SILENCE)
            self._child.request("limit", memory=self.limits.memory)
        return self._child


class _Died(Exception):
    """The child is not to be used any more; stays in this file."""


def _how(crash: WorkerCrashed) -> str:
    """The part of a crash's message that says how: `killed by SIGSEGV`."""
    return crash.message.partition(": ")[2].partition("; it said:")[0] or crash.message
