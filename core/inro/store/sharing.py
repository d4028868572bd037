"""Many readers or one writer, inside one process.

DuckDB settles this between processes by a lock on the file. Within a process it shares one database
instance a path and refuses a second one of another configuration, so the threads of a process take turns
here first. A waiting writer goes before readers that come after it. Knows no database.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class Turnstile:
    """A readers-writer lock with deadlines; not re-entrant."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._readers = 0
        self._writing = False
        self._writers_waiting = 0

    @contextmanager
    def reading(self, deadline: float) -> Iterator[None]:
        """Hold a reader's turn. `deadline` is a point of `time.monotonic`.

        Raises:
            TimeoutError: no turn came before the deadline.
        """
        with self._condition:
            self._wait(lambda: not self._writing and not self._writers_waiting, deadline)
            self._readers += 1
        try:
            yield
        finally:
            with self._condition:
                self._readers -= 1
                self._condition.notify_all()

    @contextmanager
    def writing(self, deadline: float) -> Iterator[None]:
        """Hold the writer's turn, alone. `deadline` is a point of `time.monotonic`.

        Raises:
            TimeoutError: no turn came before the deadline.
        """
        with self._condition:
            self._writers_waiting += 1
            try:
                self._wait(lambda: not self._writing and not self._readers, deadline)
                self._writing = True
            finally:
                self._writers_waiting -= 1
                self._condition.notify_all()
        try:
            yield
        finally:
            with self._condition:
                self._writing = False
                self._condition.notify_all()

    def _wait(self, ready: Callable[[], bool], deadline: float) -> None:
        while not ready():
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._condition.wait(left)


_turnstiles: dict[Path, Turnstile] = {}
_guard = threading.Lock()


def turnstile(path: Path) -> Turnstile:
    """The one turnstile of this process for the file at `path`, whatever name it was reached by."""
    key = path.resolve()
    with _guard:
        return _turnstiles.setdefault(key, Turnstile())
