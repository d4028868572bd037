"""The archive that carries models to a machine without a network: its manifest and its bytes.

Rule: a plain tar file, the manifest first, then each model's files in the manifest's order. All bytes but the files'
own follow from the manifest. So equal models make equal archives, and a reader compares instead of interpreting:
there is no place where a link, a device or a path that leads elsewhere could stand.
It does not know which models are listed or here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from inro.errors import ModelDamaged, UsageError

FORMAT = 1
MANIFEST = "inro-models.json"
BLOCK = 512
"""Bytes; headers take one, and what is stored is padded to whole ones."""
END = bytes(2 * BLOCK)
"""How a tar file ends."""
AGAIN = "carry the file here again, or make it again with: inro models bundle OUT"

_PIECE = 1 << 20
_LARGEST_MANIFEST = 1 << 20
_MOST_MODELS, _MOST_FILES, _MOST_ORIGINS = 256, 32, 32
_LARGEST_FILE = 1 << 44
_LONGEST_PATH = 100
"""Of a member, by the tar format."""
_LONGEST_TEXT = 300
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a model in an archive."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PackedModel:
    """One model in an archive."""

    name: str
    identity: str
    """Of the entry in `models.toml` that it was installed by, as `bundling.identity` has it."""
    licence: str
    files: tuple[PackedFile, ...]
    origin: Mapping[str, str]
    """What the files were made from and with."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file stands in an archive."""

    model: PackedModel
    file: PackedFile
    header: int
    """Bytes before its header."""

    @property
    def name(self) -> str:
        """As a tar program shows it."""
        return f"{self.model.name}/{self.file.name}"

    @property
    def content(self) -> int:
        """Bytes before its content."""
        return self.header + BLOCK

    @property
    def end(self) -> int:
        """Bytes before what follows it."""
        return self.content + self.file.bytes + padding(self.file.bytes)


def places(models: Sequence[PackedModel]) -> Iterator[Place]:
    """Where every file of these models stands, in order."""
    at = len(beginning(models))
    for model in models:
        for file in model.files:
            place = Place(model, file, at)
            at = place.end
            yield place


def length(models: Sequence[PackedModel]) -> int:
    """Bytes of an archive of these models."""
    return max((place.end for place in places(models)), default=len(beginning(models))) + len(END)


def beginning(models: Sequence[PackedModel]) -> bytes:
    """The manifest of these models as the first member of their archive."""
    manifest = _encode(models)
    return header(MANIFEST, len(manifest)) + manifest + bytes(padding(len(manifest)))


def pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """The next bytes of a stream, `size` of them or as many as there are, a little at a time."""
    while size and (piece := stream.read(min(size, _PIECE))):
        size -= len(piece)
        yield piece


def padding(size: int) -> int:
    """Bytes of zero after a content of that size."""
    return -size % BLOCK


def header(name: str, size: int) -> bytes:
    """The header of a plain file in POSIX's ustar format: nobody's, of no date, for all to read.

    Written here, since the bytes that `tarfile` writes differ between releases of Python.
    """
    stored = name.encode("ascii")
    if len(stored) > _LONGEST_PATH:
        raise ValueError(f"a path of {len(stored)} characters")
    # from 8 GiB on a size is binary, as GNU, BSD and Python have it
    digits = b"%011o\0" % size if size < 1 << 33 else b"\x80" + size.to_bytes(11, "big")
    front = stored.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + digits + b"00000000000\0"
    back = b"0" + bytes(100) + b"ustar\x0000" + bytes(64) + b"0000000\0" * 2 + bytes(167)
    checksum = b"%06o\0 " % sum(front + b" " * 8 + back)
    return front + checksum + back


def read_manifest(file: Path, start: bytes, size: int) -> tuple[PackedModel, ...]:
    """The models of an archive whose first bytes are `start`, `LONGEST_BEGINNING` of them if there are so many.

    Args:
        file: what it is called in an error.
        size: bytes of the whole archive.

    Raises:
        UsageError: it is another kind of file, or a newer release made it.
        ModelDamaged: the manifest is altered, or the archive has another length than the manifest tells.
    """
    told = start[124:135]
    if start[: len(MANIFEST) + 1] != MANIFEST.encode() + b"\0" or not re.fullmatch(rb"[0-7]{11}", told):
        raise UsageError(f"{file} is no archive of models", "make one with: inro models bundle OUT")
    stored = start[BLOCK : BLOCK + min(int(told, 8), _LARGEST_MANIFEST)]
    try:
        models = _decode(stored)
        sound = start[: BLOCK + len(stored) + padding(len(stored))] == beginning(models)
    except (ValueError, RecursionError):
        sound = False
    if not sound:
        raise ModelDamaged(f"{MANIFEST} in {file} is damaged or altered", AGAIN)
    if size < length(models):
        cut = next((place.name for place in places(models) if place.end > size), "its last member")
        raise ModelDamaged(f"{file} is cut short: it ends in {cut}, {length(models) - size:,} bytes early", AGAIN)
    if size > length(models):
        raise ModelDamaged(f"{file} is altered: {size - length(models):,} bytes too long", AGAIN)
    return models


LONGEST_BEGINNING = BLOCK + _LARGEST_MANIFEST + BLOCK
"""Bytes that a manifest can take with its header and padding."""


def _encode(models: Sequence[PackedModel]) -> bytes:
    listed = [
        {
            "name": model.name,
            "identity": model.identity,
            "licence": model.licence,
            "files": [{"name": f.name, "sha256": f.sha256, "bytes": f.bytes} for f in model.files],
            "origin": dict(sorted(model.origin.items())),
        }
        for model in models
    ]
    digest = hashlib.sha256(_as_json(listed)).hexdigest()
    return _as_json({"format": FORMAT, "sha256": digest, "models": listed})


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, indent=1).encode("ascii") + b"\n"


def _decode(stored: bytes) -> tuple[PackedModel, ...]:
    """What a manifest says, believed only where the models encode to the same bytes. Raises ValueError, UsageError."""
    document = json.loads(stored.decode("ascii"))
    if not isinstance(document, dict):
        raise ValueError("no object")
    version = document.get("format")
    if type(version) is int and version > FORMAT:
        raise UsageError(f"the archive has format {version}, this release reads {FORMAT}", "install a newer Inro")
    models = tuple(_model(entry) for entry in _listed(document.get("models"), _MOST_MODELS))
    if not models or any(a.name == b.name for a, b in pairwise(sorted(models, key=lambda m: m.name))):
        raise ValueError("no model, or one twice")
    return models


def _model(entry: Any) -> PackedModel:
    if not isinstance(entry, dict):
        raise ValueError("no object")
    name = _text(entry.get("name"), _NAME)
    files = tuple(_file(name, one) for one in _listed(entry.get("files"), _MOST_FILES))
    if not files or len({file.name for file in files}) < len(files):
        raise ValueError("no file, or one twice")
    origin = entry.get("origin")
    if not isinstance(origin, dict) or len(origin) > _MOST_ORIGINS:
        raise ValueError("no origin")
    return PackedModel(
        name,
        _text(entry.get("identity"), _SHA256),
        _text(entry.get("licence")),
        files,
        {_text(key): _text(value) for key, value in origin.items()},
    )


def _file(model: str, entry: Any) -> PackedFile:
    if not isinstance(entry, dict):
        raise ValueError("no object")
    size = entry.get("bytes")
    if type(size) is not int or not 0 < size < _LARGEST_FILE:
        raise ValueError("no size")
    name = _text(entry.get("name"), _NAME)
    if len(f"{model}/{name}") > _LONGEST_PATH:
        raise ValueError("a name too long")
    return PackedFile(name, _text(entry.get("sha256"), _SHA256), size)


def _text(value: Any, shape: re.Pattern[str] | None = None) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT or (shape and not shape.fullmatch(value)):
        raise ValueError("no such text")
    return value


def _listed(value: Any, most: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("no such list")
    return value
