"""The one door through which zip files are opened, whatever format they carry.

Members come out as bytes, never as files, so no name in a container is ever used as a path. Each is counted
against the limits while it unfolds, whatever size it declares. A damaged member is an error of its own:
the rest can still be read.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib

from inro.errors import Unreadable
from inro.readers.charsets import python_codec
from inro.readers.legacy import guess_legacy
from inro.readers.unfolding import unfolding

_STEP = 1024 * 1024
_UTF8_FLAG = 0x800
_ENCRYPTED_FLAG = 0x1
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    ValueError,
    OSError,
    NotImplementedError,
    RuntimeError,
    IndexError,
)
"""What the library raises for damage, encryption and methods it does not know."""


class Container:
    """A zip file's members by name.

    Raises `Unreadable` when made of bytes that are no zip file, are damaged, or are an office document
    protected by a password.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        if data.startswith(OLE_MAGIC):
            raise Unreadable(f"protected by a password, or of an older format: {name}", "save a copy without password")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            infos = self._zip.infolist()
        except _DAMAGED as e:
            raise Unreadable(f"damaged, or not what its suffix says: {name}", "open and save it again") from e
        self._members: dict[str, zipfile.ZipInfo] = {}
        for info, shown in zip(infos, _names(infos), strict=True):
            with unfolding() as left:
                left.member(name)
            if shown and not shown.endswith("/"):
                self._members.setdefault(shown, info)
        self._folded = {key.lower(): key for key in reversed(self._members)}

    def names(self) -> list[str]:
        """Names of all files inside, in order, as text for people."""
        return list(self._members)

    def find(self, path: str) -> str | None:
        """The name of the member at a path as documents write them (`/word/a.xml`, `a/../b.xml`), if there."""
        parts: list[str] = []
        for part in path.replace("\\", "/").split("/"):
            if part == "..":
                del parts[-1:]
            elif part not in ("", "."):
                parts.append(part)
        plain = "/".join(parts)
        return plain if plain in self._members else self._folded.get(plain.lower())

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            Unreadable: it is encrypted, damaged, or unfolds beyond the limits.
            KeyError: there is no such member.
        """
        info = self._members[name]
        if info.flag_bits & _ENCRYPTED_FLAG:
            raise Unreadable(f"protected by a password: {name} in {self._name}", "save a copy without password")
        parts: list[bytes] = []
        size = 0
        with unfolding() as left:
            try:
                with self._zip.open(info) as stream:
                    while piece := stream.read(_STEP):
                        parts.append(piece)
                        size += len(piece)
                        left.unfolded(len(piece), size, info.compress_size, f"{name} in {self._name}")
            except _DAMAGED as e:
                raise Unreadable(f"damaged: {name} in {self._name}", "open and save it again") from e
        return b"".join(parts)

    def maybe(self, path: str) -> bytes | None:
        """The bytes of the member at a path, None if there is none."""
        name = self.find(path)
        return None if name is None else self.read(name)


def _names(infos: list[zipfile.ZipInfo]) -> list[str]:
    """Names as text: where no flag says UTF-8, in the encoding that all of them together look like."""
    raw: dict[int, bytes] = {}
    for i, info in enumerate(infos):
        if not info.flag_bits & _UTF8_FLAG and not info.filename.isascii():
            try:
                raw[i] = info.filename.encode("cp437")
            except UnicodeEncodeError:
                continue
    joined = b"\n".join(dict.fromkeys(raw.values()))
    codec = None
    if joined:
        try:
            joined.decode("utf-8")
            codec = "utf-8"
        except UnicodeDecodeError:
            guess = guess_legacy(joined)
            codec = python_codec(guess[1]) if guess is not None else None
    names = [info.filename for info in infos]
    for i, name in raw.items():
        names[i] = name.decode(codec or "cp437", "replace")
    return names
