"""Progress events by time, not by count: a screen is told often enough, and no more.

Knows a clock and the shape of an event; not what is being done.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Literal, TypeAlias

from inro.records import Progress

Phase: TypeAlias = Literal["scan", "read", "embed", "commit"]

INTERVAL = 0.1
"""Seconds between two events of one phase; its first and its last are always sent."""


class Throttle:
    """The events of one phase."""

    def __init__(self, phase: Phase, total: int = 0) -> None:
        self._phase = phase
        self._total = total
        self._started = time.monotonic()
        self._next = self._started

    def at(self, done: int, path: str = "") -> Iterator[Progress]:
        """The event for this moment, or none if one was sent a moment ago."""
        now = time.monotonic()
        if now < self._next and (not self._total or done < self._total):
            return
        self._next = now + INTERVAL
        spent = now - self._started
        rate = done / spent if spent > 0 else 0.0
        left = (self._total - done) / rate if self._total and rate > 0 else None
        yield Progress(self._phase, done, self._total, path, rate, left)
