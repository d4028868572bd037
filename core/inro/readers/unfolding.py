"""How much one file may unfold into: bytes, members and depth, counted over all that is nested in it.

A file of a kilobyte can hold a petabyte, in one member or in archives within archives, so the count is kept
for the outermost file and whatever is read on its behalf draws on it. Knows no format.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from inro.errors import Unreadable

MOST_BYTES = 1024 * 1024 * 1024
MOST_MEMBERS = 20_000
DEEPEST = 4
"""A message in a zip in a message is three."""
LARGEST_MEMBER = 256 * 1024 * 1024
_MOST_RATIO = 250
_RATIO_FROM = 16 * 1024 * 1024
"""Bytes below which any compression is believed; office files of repetitive tables reach a hundredfold."""


@dataclass(slots=True)
class Unfolding:
    """What is left for the file at hand."""

    bytes: int = MOST_BYTES
    members: int = MOST_MEMBERS
    depth: int = DEEPEST

    def member(self, name: str) -> None:
        """Count a member. Raises `Unreadable` when there are too many."""
        self.members -= 1
        if self.members < 0:
            raise Unreadable(f"more than {MOST_MEMBERS} members: {name}", "unpack it and add the folder instead")

    def unfolded(self, piece: int, size: int, packed: int, name: str) -> None:
        """Count `piece` more bytes of a member of which `size` have come out of `packed`.

        Raises `Unreadable` past any limit.
        """
        if size > LARGEST_MEMBER or (size > _RATIO_FROM and size > packed * _MOST_RATIO):
            raise Unreadable(f"unfolds to far more than its {packed} bytes: {name}", _EXCLUDE)
        self.bytes -= piece
        if self.bytes < 0:
            raise Unreadable(f"unfolds to more than {MOST_BYTES // 1048576} MB: {name}", _EXCLUDE)


_EXCLUDE = "exclude it, or unpack it and add the folder instead"
_CURRENT: ContextVar[Unfolding | None] = ContextVar("unfolding", default=None)


@contextmanager
def unfolding() -> Iterator[Unfolding]:
    """What is left for the file at hand; all of it if nothing is being drawn on."""
    current = _CURRENT.get()
    if current is not None:
        yield current
        return
    fresh = Unfolding()
    token = _CURRENT.set(fresh)
    try:
        yield fresh
    finally:
        _CURRENT.reset(token)


@contextmanager
def one_deeper(name: str) -> Iterator[Unfolding]:
    """What is left for what is inside a member. Raises `Unreadable` when that is too deep."""
    with unfolding() as current:
        if current.depth <= 0:
            raise Unreadable(f"nested more than {DEEPEST} deep: {name}", "unpack it and add the folder instead")
        current.depth -= 1
        try:
            yield current
        finally:
            current.depth += 1
