"""The one door to OLE compound files: their streams as bytes, within limits, damage as `Unreadable`."""

from __future__ import annotations

import io
from collections.abc import Iterator

from inro.errors import Unreadable
from inro.readers.draft import Draft
from inro.readers.ole_summary import STREAM, summary
from inro.readers.unfolding import unfolding

_LARGEST_STREAM = 128 * 1024 * 1024


class Compound:
    """The streams of one file by their paths of names. Raises `Unreadable` if the bytes are no such file."""

    def __init__(self, data: bytes, name: str) -> None:
        import olefile

        self._name = name
        try:
            self._file = olefile.OleFileIO(io.BytesIO(data), raise_defects=olefile.DEFECT_FATAL)
            found = self._file.listdir(streams=True, storages=False)
        except (OSError, ValueError, IndexError, TypeError, AttributeError, RecursionError, MemoryError) as e:
            raise Unreadable(f"damaged, or not what its suffix says: {name}", "open and save it again") from e
        self._streams: dict[tuple[str, ...], list[str]] = {tuple(path): list(path) for path in found}

    def paths(self) -> Iterator[tuple[str, ...]]:
        """The paths of all streams."""
        return iter(self._streams)

    def read(self, *path: str) -> bytes | None:
        """A stream's bytes; None if it is not there or cannot be read."""
        actual = self._streams.get(path)
        if actual is None:
            return None
        try:
            with self._file.openstream(actual) as stream:
                data: bytes = stream.read(_LARGEST_STREAM + 1)
        except (OSError, ValueError, IndexError, TypeError):
            return None
        with unfolding() as left:
            left.unfolded(len(data), len(data), len(data), self._name)
        return data

    def declare(self, draft: Draft) -> str:
        """Put the summary properties into the draft's fields; the title, empty if there is none."""
        for name, value in summary(self.read(STREAM) or b"").items():
            draft.declare(name, value)
        return draft.declared("title")
