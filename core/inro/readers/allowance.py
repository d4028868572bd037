"""What the reading at hand may cost: until when it may work, and whether it may look at pictures.

A reader stays a function of bytes and a name; an attachment inside a mail inside an archive is read by the same
call again, and all of them share one allowance. So it travels beside the calls, per thread, and only readers
whose work has no natural end ask for it. Knows no clock but the monotonic one and enforces nothing: who grants
an allowance also guards against readers that do not keep to it.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one file's reading may cost."""

    until: float = math.inf
    """`time.monotonic()` after which a reader returns what it has, as a partial reading."""
    recognise: bool = True
    """Whether text in pictures is recognised."""
    threads: int = 2
    """Threads for that."""

    @property
    def spent(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.until


_CURRENT: ContextVar[Allowance] = ContextVar("allowance", default=Allowance())  # noqa: B039 (it is frozen)


def allowance() -> Allowance:
    """What was granted to the reading at hand; without a grant, all the time there is."""
    return _CURRENT.get()


@contextlib.contextmanager
def granted(allowance: Allowance) -> Iterator[None]:
    """Readings within the block have this allowance."""
    token = _CURRENT.set(allowance)
    try:
        yield
    finally:
        _CURRENT.reset(token)
