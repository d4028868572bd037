"""What happens after a crash: one restart with safe settings, and a note for the next time.

Rule: each exchange is tried at most twice. The second try always has a fresh child with safe settings; if
it works where the ordinary ones crashed, this machine remembers. A second crash is the caller's to
handle. Errors the child reports in words are not crashes and pass through untouched.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from inro import log
from inro.errors import WorkerCrashed
from inro.workers.machine import Machine
from inro.workers.process import Child

T = TypeVar("T")


class Supervisor:
    """Owns at most one child, started when first needed."""

    def __init__(self, start: Callable[[bool], Child], *, key: str, machine: Machine | None = None) -> None:
        """
        Args:
            start: gives a child that is loaded and ready, with safe settings when its argument is true;
                it may raise WorkerCrashed, which counts as a crash of the exchange at hand.
            key: names what may need safe settings: runtime, its version, and the model. A new version is
                tried anew.
        """
        self._start = start
        self._key = key
        self._machine = machine if machine is not None else Machine()
        self._safe = self._machine.needs_safe(key)
        self._child: Child | None = None
        self._guard = threading.Lock()
        self._closings = 0
        """How often `close` was called: a child that died of that is not a crash to be mended."""
        self.starting: Child | None = None
        """Set by `start` to the child it waits for, so that `close` need not wait for a model to load."""
        self.crashes: list[str] = []
        """The message of every crash so far, for a diagnosis."""

    @property
    def safe(self) -> bool:
        """Whether the next child starts, or the present one runs, with safe settings."""
        return self._safe

    def child(self) -> Child:
        """The child, started if there is none. Raises WorkerCrashed."""
        with self._guard:
            if self._child is None or not self._child.alive:
                self._drop()
                try:
                    self._child = self._start(self._safe)
                finally:
                    self.starting = None
            return self._child

    def run(self, exchange: Callable[[Child], T]) -> T:
        """The result of `exchange(child)`, tried again once after a crash."""
        closings = self._closings
        for attempt in (1, 2):
            try:
                result = exchange(self.child())
            except WorkerCrashed as e:
                self._after_crash(e, attempt, closings)
            else:
                self._worked(attempt)
                return result
        raise AssertionError("unreachable: the second crash is raised")

    def stream(self, exchange: Callable[[Child], Iterator[T]]) -> Iterator[T]:
        """What `exchange(child)` yields; after a crash `exchange` is called again and must go on where it was."""
        closings = self._closings
        for attempt in (1, 2):
            try:
                for item in exchange(self.child()):
                    self._worked(attempt)
                    yield item
            except WorkerCrashed as e:
                self._after_crash(e, attempt, closings)
            else:
                self._worked(attempt)
                return

    def cancel(self) -> None:
        """Stop the exchange under way, from any thread."""
        child = self._child
        if child is not None:
            child.cancel()

    def close(self) -> None:
        """End the child, from any thread; its exchange raises WorkerCrashed. A later one starts a new child."""
        self._closings += 1
        for child in (self.starting, self._child):
            if child is not None:
                child.close()
        with self._guard:
            self._drop()

    def _after_crash(self, crash: WorkerCrashed, attempt: int, closings: int) -> None:
        with self._guard:
            self._drop()
        if closings != self._closings:
            raise crash
        self.crashes.append(crash.message)
        if attempt == 2:
            raise WorkerCrashed(crash.message, crash.mend or f"inro doctor; crashes are in {log.file()}") from crash
        log.info("restart with safe settings", model=self._key)
        self._safe = True

    def _worked(self, attempt: int) -> None:
        if attempt == 2:
            log.warning("only safe settings work here, which is remembered", model=self._key)
            self._machine.remember_safe(self._key)

    def _drop(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None
