"""Archives: each member under its path, read by the reader of its own format.

Zip, tar and single compressed files, in memory only. Links, devices and anything else that is no file are not
looked at, and no name is used as a path. Limits of number, size, ratio and depth hold over everything nested;
past one of them what was read until then stands, and the reading says that it is not all.
"""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from typing import Protocol

from inro.errors import Unreadable
from inro.readers.container import Container
from inro.readers.draft import Draft
from inro.readers.nested import embed_file, shown_name
from inro.readers.reader import Reader, stem_of
from inro.readers.unfolding import unfolding
from inro.records import Reading

_STEP = 256 * 1024
_HIDDEN = ("__MACOSX/", ".git/")
_PACKED = (".gz", ".tgz", ".bz2", ".tbz", ".tbz2", ".xz", ".txz")
_TAR_SHORT = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}


def read_zip(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a zip archive. Raises `Unreadable` if it is damaged."""
    draft = Draft()
    with unfolding():
        container = Container(data, name)

        def members() -> Iterator[tuple[str, bytes]]:
            for member in container.names():
                if not _wanted(member):
                    continue
                try:
                    yield member, container.read(member)
                except Unreadable as e:
                    draft.problems.append(e.message)

        _write(draft, members())
    return draft.reading(ZIP.id, stem_of(name))


def read_tar(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a tar archive, packed or not, or one packed file. Raises `Unreadable` if it is damaged."""
    with unfolding() as left:
        inner, inner_name = _unpacked(data, name)
        draft = Draft()
        if inner_name.lower().endswith(".tar") or inner[257:262] == b"ustar":

            def members() -> Iterator[tuple[str, bytes]]:
                try:
                    with tarfile.open(fileobj=io.BytesIO(inner), mode="r:") as tar:
                        for member in tar:
                            left.member(name)
                            if member.isreg() and _wanted(member.name):
                                stream = tar.extractfile(member)
                                if stream is not None:
                                    left.unfolded(member.size, member.size, len(inner), member.name)
                                    yield member.name, stream.read()
                except (tarfile.TarError, EOFError, ValueError, OverflowError, OSError) as e:
                    if draft.empty:
                        raise Unreadable(f"damaged archive ({e}): {name}", "pack it again") from e
                    draft.problems.append(f"damaged archive ({e})")

            _write(draft, members())
        else:
            embed_file(draft, inner, inner_name, 1)
    return draft.reading(TAR.id, stem_of(inner_name))


def _write(draft: Draft, members: Iterator[tuple[str, bytes]]) -> None:
    try:
        for member, content in members:
            if content:
                embed_file(draft, content, member, 1)
    except Unreadable as e:
        if draft.empty:
            raise
        draft.problems.append(e.message)


def _wanted(member: str) -> bool:
    return not any(f"/{member}".find(f"/{part}") != -1 for part in _HIDDEN) and not member.endswith(".DS_Store")


class _Unpacker(Protocol):
    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...

    @property
    def eof(self) -> bool: ...


def _unpacked(data: bytes, name: str) -> tuple[bytes, str]:
    """The content of a packed file and the name it has unpacked; the file itself if it is not packed."""
    suffix = next((s for s in _PACKED if name.lower().endswith(s)), "")
    inner_name = name[: len(name) - len(suffix)] + _TAR_SHORT.get(suffix, "") if suffix else name
    if data[:2] == b"\x1f\x8b":
        return _gunzipped(data, name), inner_name
    unpacker: _Unpacker
    if data[:3] == b"BZh":
        unpacker = bz2.BZ2Decompressor()
    elif data[:6] == b"\xfd7zXZ\x00":
        unpacker = lzma.LZMADecompressor(memlimit=256 * 1024 * 1024)
    else:
        if suffix:
            raise Unreadable(f"not packed as its suffix says: {shown_name(name)}", "pack it again")
        return data, name
    parts: list[bytes] = []
    size = 0
    fed = data
    try:
        with unfolding() as left:
            while not unpacker.eof:
                piece = unpacker.decompress(fed, _STEP)
                fed = b""
                size += len(piece)
                left.unfolded(len(piece), size, len(data), name)
                parts.append(piece)
                if not piece and not unpacker.eof:
                    raise EOFError("it ends too early")
    except (OSError, ValueError, EOFError, lzma.LZMAError) as e:
        raise Unreadable(f"damaged archive ({e}): {name}", "pack it again") from e
    return b"".join(parts), inner_name


def _gunzipped(data: bytes, name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    rest = data
    try:
        with unfolding() as left:
            while rest[:2] == b"\x1f\x8b":
                unpacker = zlib.decompressobj(wbits=31)
                fed = rest
                while not unpacker.eof:
                    piece = unpacker.decompress(fed, _STEP)
                    fed = unpacker.unconsumed_tail
                    size += len(piece)
                    left.unfolded(len(piece), size, len(data), name)
                    parts.append(piece)
                    if not piece and not fed and not unpacker.eof:
                        raise EOFError("it ends too early")
                rest = unpacker.unused_data
    except (zlib.error, EOFError) as e:
        raise Unreadable(f"damaged archive ({e}): {name}", "pack it again") from e
    return b"".join(parts)


ZIP = Reader("zip", 1, frozenset({".zip"}), read_zip, isolated=True)
TAR = Reader("tar", 1, frozenset({".tar", *_PACKED}), read_tar, isolated=True)
