"""The records of a PowerPoint 97-2003 presentation, and which of them are the current ones ([MS-PPT]).

The stream is a tree of records, each with a header of eight bytes. A file that was saved repeatedly holds earlier
slides too: the last edit's directory, over those before it, says where each object is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from inro.errors import Unreadable
from inro.readers.ole import Compound

USER_EDIT, DIRECTORY = 0x0FF5, 0x1772
_LOCKED_TOKEN = 0xF3D1C4DF
_MOST_EDITS = 10_000
_MOST_OBJECTS = 1 << 20
_DEEPEST = 40
_LOCKED_EDIT = 32
"""Bytes of an edit's record when it names a key."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: `start` and `end` bound what it holds, in bytes of the stream."""

    kind: int
    instance: int
    holds_records: bool
    start: int
    end: int


class Presentation:
    """The records of one file.

    Raises:
        Unreadable: it is protected by a password, of PowerPoint 95 or earlier, or no presentation.
    """

    def __init__(self, file: Compound, name: str) -> None:
        stream = file.read("PowerPoint Document")
        current = file.read("Current User") or b""
        if stream is None:
            locked = file.read("EncryptedPackage") is not None
            old = file.read("PP40") is not None
            raise Unreadable(
                f"protected by a password: {name}"
                if locked
                else f"of PowerPoint 95 or earlier, which is not read: {name}"
                if old
                else f"no presentation in it: {name}",
                "save a copy without password"
                if locked
                else "open it and save it as PPTX"
                if old
                else "give it the suffix of its format",
            )
        self.stream = stream
        token, edit = struct.unpack_from("<II", current, 12) if len(current) >= 20 else (0, len(stream))
        if token == _LOCKED_TOKEN:
            raise Unreadable(f"protected by a password: {name}", "save a copy without password")
        self.document = 0
        """The number of the document's own object."""
        self._places: dict[int, int] = {}
        self.whole = self._follow(edit, name)
        """Whether the last edit's directory was found; without it there is only the order of the file."""

    def object(self, number: int) -> Record | None:
        """The current record of an object; None if there is none."""
        place = self._places.get(number)
        return None if place is None else self.record(place)

    def record(self, at: int) -> Record | None:
        """The record that begins at a place of the stream, cut off at its end; None if none can."""
        if at < 0 or at + 8 > len(self.stream):
            return None
        version, kind, size = struct.unpack_from("<HHI", self.stream, at)
        return Record(kind, version >> 4, version & 0xF == 0xF, at + 8, min(at + 8 + size, len(self.stream)))

    def inside(self, parent: Record | None) -> Iterator[Record]:
        """The records of a container in order; of the whole stream without one."""
        at, end = (parent.start, parent.end) if parent is not None else (0, len(self.stream))
        while (one := self.record(at)) is not None and at + 8 <= end:
            yield one
            at = one.end

    def below(self, parent: Record, *kinds: int) -> Iterator[Record]:
        """The records of some kinds anywhere in a container, in order; what one of them holds is not searched."""
        stack = [self.inside(parent)]
        while stack:
            one = next(stack[-1], None)
            if one is None:
                stack.pop()
            elif one.kind in kinds:
                yield one
            elif one.holds_records and len(stack) < _DEEPEST:
                stack.append(self.inside(one))

    def bytes(self, record: Record) -> bytes:
        """What a record holds."""
        return self.stream[record.start : record.end]

    def number(self, record: Record, at: int) -> int:
        """An unsigned number of four bytes in a record; 0 beyond its end."""
        at += record.start
        return int(struct.unpack_from("<I", self.stream, at)[0]) if at + 4 <= record.end else 0

    def _follow(self, at: int, name: str) -> bool:
        """Collect the directories from the last edit back to the first; whether there was one."""
        seen: set[int] = set()
        while at not in seen and len(seen) < _MOST_EDITS:
            seen.add(at)
            edit = self.record(at)
            if edit is None or edit.kind != USER_EDIT or edit.end - edit.start < 20:
                break
            if edit.end - edit.start >= _LOCKED_EDIT and self.number(edit, 28):
                raise Unreadable(f"protected by a password: {name}", "save a copy without password")
            self.document = self.document or self.number(edit, 16)
            directory = self.record(self.number(edit, 12))
            if directory is not None and directory.kind == DIRECTORY:
                self._list(directory)
            at = self.number(edit, 8)
            if at == 0:
                break
        return bool(self._places)

    def _list(self, directory: Record) -> None:
        at = directory.start
        while at + 4 <= directory.end:
            head = struct.unpack_from("<I", self.stream, at)[0]
            first, count = head & 0xFFFFF, head >> 20
            at += 4
            for i in range(min(count, (directory.end - at) // 4)):
                if len(self._places) < _MOST_OBJECTS:
                    # What a later edit says of an object goes before an earlier one's.
                    self._places.setdefault(first + i, struct.unpack_from("<I", self.stream, at + 4 * i)[0])
            at += 4 * count
