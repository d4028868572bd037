"""The child that reads files whose parsers are not trusted; started by `inro.index.read_worker`, never imported by it.

Rule: memory is limited before any parser is loaded, and the parser runs on a thread of its own, so that this
process keeps saying that it lives and ends at once when the parent has enough of it.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from inro.errors import Unreadable
from inro.index.reading_frame import pack
from inro.readers.allowance import Allowance, granted
from inro.readers.registry import read
from inro.records import Reading
from inro.workers.protocol import Frame
from inro.workers.serve import Handler, Reply, serve

Read: TypeAlias = Callable[[bytes, str, str | None], Reading]

BEAT = 0.2
"""Seconds between two signs of life."""
OUT_OF_MEMORY = 77
"""Exit code where the system does not limit memory and this process stops itself."""


def limit(request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
    """Allow this process so many bytes from now on."""
    limit_memory(int(request.header["memory"]))
    yield {}, ()


def handlers(read: Read = read) -> dict[str, Handler]:
    """The operations of the child: `limit`, and `read` with the function that reads."""

    def read_file(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        yield from _read_file(request, read)

    return {"limit": limit, "read": read_file}


def _read_file(request: Frame, read: Read) -> Iterator[Reply]:
    """Read one file; beats until the reading, or what stands in its way, is there."""
    header = request.header
    allowance = Allowance(
        until=time.monotonic() + float(header.get("seconds", math.inf)),
        recognise=bool(header.get("recognise")),
        threads=int(header.get("threads", 1)),
    )
    encoding = header.get("encoding")
    data, name = request.arrays[0].tobytes(), str(header["name"])
    task = _Task(lambda: read(data, name, encoding), allowance)
    yield from task.beats()
    match task.error:
        case None:
            assert task.reading is not None
            fields, arrays = pack(task.reading, int(header["characters"]))
            yield {"reading": fields}, arrays
        case Unreadable() as e:
            yield {"unreadable": e.message, "mend": e.mend}, ()
        case MemoryError():
            yield {"memory": True}, ()
        case error:
            raise error


class _Task(threading.Thread):
    """One reading on a thread of its own."""

    def __init__(self, work: Callable[[], Reading], allowance: Allowance) -> None:
        super().__init__(daemon=True, name="reader")
        self._work = work
        self._allowance = allowance
        self.reading: Reading | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with granted(self._allowance):
                self.reading = self._work()
        except BaseException as e:  # raised again on the main thread, which tells the parent
            self.error = e

    def beats(self) -> Iterator[Reply]:
        self.start()
        self.join(BEAT)
        while self.is_alive():
            yield {}, ()
            self.join(BEAT)


def limit_memory(size: int) -> None:
    """Allow this process `size` bytes: by the system's own limit where that holds, else by watching.

    macOS accepts the limit on address space and does not keep it.
    """
    import resource

    if sys.platform != "darwin":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = size if hard == resource.RLIM_INFINITY else min(size, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
            return
    threading.Thread(target=_watch_memory, args=(size,), daemon=True, name="memory").start()


def _watch_memory(size: int) -> None:
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < size:
        time.sleep(BEAT)
    os._exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    serve(handlers())
