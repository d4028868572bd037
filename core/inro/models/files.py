"""Model files on this machine: where they are, whether they are the right ones, how they are put in place.

Rule: a file appears under its own name only when it is whole and checked (written beside, then renamed), so what
is there is what was meant, and every hash is taken from the bytes on disk. The manifest of a model's folder records
the hash of what was made or brought here, which no list can know beforehand.
It does not know networks, formats or how models run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inro import paths
from inro.errors import ModelDamaged, ModelMissing, WriteFailed
from inro.models.registry import Conversion, ModelFile, ModelSpec, ModelState, find

MANIFEST = "manifest.json"
STAGING = ".staging"
"""Folder of half-fetched files, beside the models; whatever is in it can be thrown away."""
_PIECE = 1 << 20


RECIPES: Mapping[Conversion, str] = {"": "", "packed-e5": "packed-e5/1 int8/2", "int8": "int8/2"}
"""The recipe of each conversion; its number goes up when the vectors change."""

_UNRECORDED: Mapping[Conversion, str] = {"": "", "packed-e5": "packed-e5/1 int8/1", "int8": "int8/1"}
"""What made the files of a manifest that names no recipe."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the manifest says of one file."""

    sha256: str
    bytes: int


def folder(spec: ModelSpec) -> Path:
    """Where the model's files belong; it may not exist."""
    return paths.models_dir() / spec.name


def staging() -> Path:
    """Where half-fetched files lie; it may not exist."""
    return paths.models_dir() / STAGING


def path(spec: ModelSpec, file: ModelFile) -> Path:
    """Where one file belongs."""
    return folder(spec) / file.name


def installed(spec: ModelSpec) -> bool:
    """Whether every file is there with the size it should have; contents are `check`'s affair."""
    recorded = manifest(spec)
    return all(_has_size(path(spec, f), expected(f, recorded).bytes) for f in spec.files)


def size(spec: ModelSpec) -> int:
    """Bytes of an installed model's files."""
    return sum(path(spec, f).stat().st_size for f in spec.files)


def state(spec: ModelSpec) -> ModelState:
    """Whether the model is here, and how it gets here if not; looks at names and sizes only."""
    here = installed(spec)
    to_fetch = 0
    if spec.sources:
        source = spec.sources[0]
        to_fetch = source.archive.bytes if source.archive else sum(m.bytes for m in source.members)
    return ModelState(
        name=spec.name,
        role=spec.role,
        installed=here,
        default=spec.default,
        recommended=spec.recommended,
        bytes=size(spec) if here else to_fetch,
        path=str(folder(spec)),
        licence=spec.licence,
        note=spec.note,
        memory_gb=spec.memory_gb,
        bring=spec.bring,
        mend="" if here else missing(spec, _lacking(spec), Made("", 0)).mend,
    )


def _lacking(spec: ModelSpec) -> ModelFile:
    """The first file that is not here; the first of all when only a size is wrong."""
    return next((file for file in spec.files if not path(spec, file).is_file()), spec.files[0])


def expected(file: ModelFile, recorded: Mapping[str, Made]) -> Made:
    """Hash and size a file must have: the listed ones, else the recorded ones, else nothing known."""
    if file.sha256:
        return Made(file.sha256, file.bytes)
    return recorded.get(file.name, Made("", 0))


def require(name: str) -> dict[str, Path]:
    """The model's files by name.

    Raises ModelMissing for the first that is not there, and NotFound for a name that is not listed.
    """
    spec = find(name)
    recorded = manifest(spec)
    found: dict[str, Path] = {}
    for file in spec.files:
        place = path(spec, file)
        known = expected(file, recorded)
        if not _has_size(place, known.bytes):
            raise missing(spec, file, known)
        found[file.name] = place
    return found


def missing(spec: ModelSpec, file: ModelFile, known: Made) -> ModelMissing:
    """The error for a file that is not here: name, size, sha256 and the command that brings it."""
    facts = f"{known.bytes:,} bytes" if known.bytes else "size recorded on import"
    if known.sha256:
        facts += f", sha256 {known.sha256}"
    elif file.made and spec.sources:
        origin = spec.sources[0].archive or spec.sources[0].members[0]
        facts = f"made from {origin.name}, {origin.bytes:,} bytes, sha256 {origin.sha256}"
    if spec.bring:
        mend = f"download {file.name} from {spec.repository}, then: inro models import {file.name}"
        mend += " (or carry it from a machine that has it: inro models bundle there, inro models unbundle here)"
    else:
        mend = f"inro models fetch {spec.name} (without a network: "
        if spec.sources[0].archive:
            mend += f"inro models import {spec.sources[0].archive.name}, or "
        mend += "inro models unbundle FILE, made by inro models bundle)"
    brief = f"{spec.name} is not installed. Do: inro models {'list' if spec.bring else f'fetch {spec.name}'}"
    return ModelMissing(f"{spec.name} is not installed: {path(spec, file)} ({facts})", mend, brief)


def check(spec: ModelSpec, file: ModelFile) -> Made:
    """Hash one installed file and compare.

    Returns what was found. Raises ModelMissing, and ModelDamaged when hash or size are not the expected ones
    or none were ever recorded.
    """
    known = expected(file, manifest(spec))
    place = path(spec, file)
    if not place.is_file():
        raise missing(spec, file, known)
    found = Made(sha256_of(place), place.stat().st_size)
    mend = f"delete {place} and run: inro models {'import' if spec.bring else 'fetch'} {spec.name}"
    if not known.sha256:
        raise ModelDamaged(f"no hash was ever recorded for {place}", mend)
    if found.sha256 != known.sha256:
        raise ModelDamaged(f"{place} has sha256 {found.sha256}, not {known.sha256}", mend)
    return found


def recipe(spec: ModelSpec) -> str:
    """By which recipe the model's files here were made; this release's if none are here."""
    stored = _stored(spec)
    if not _recorded(stored):
        return RECIPES[spec.conversion]
    named = stored.get("recipe", _UNRECORDED[spec.conversion])
    return named if isinstance(named, str) else ""


def is_outdated(spec: ModelSpec) -> bool:
    """Whether the model is here as an earlier release made it: it works, and makes that release's vectors."""
    return not spec.bring and recipe(spec) != RECIPES[spec.conversion]


def manifest(spec: ModelSpec) -> dict[str, Made]:
    """What is recorded of the files made or brought here; empty when nothing readable is."""
    return _recorded(_stored(spec))


def origin(spec: ModelSpec) -> dict[str, str]:
    """What is recorded of what the files were made from and with; empty when nothing readable is."""
    found = _stored(spec).get("origin")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def record(spec: ModelSpec, made: Mapping[str, Made], origin: Mapping[str, str]) -> None:
    """Add files to the manifest; `origin` says what they were made from and with."""
    with placing(folder(spec) / MANIFEST) as temporary:
        text = manifest_text(spec, {**manifest(spec), **made}, origin, RECIPES[spec.conversion])
        temporary.write_text(text, encoding="utf-8")


def manifest_text(spec: ModelSpec, made: Mapping[str, Made], origin: Mapping[str, str], recipe: str) -> str:
    """A manifest as it is stored."""
    document = {
        "model": spec.name,
        "recipe": recipe,
        "files": {name: {"sha256": m.sha256, "bytes": m.bytes} for name, m in sorted(made.items())},
        "origin": dict(sorted(origin.items())),
    }
    return json.dumps(document, indent=2) + "\n"


def _stored(spec: ModelSpec) -> dict[str, Any]:
    try:
        stored = json.loads((folder(spec) / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _recorded(stored: Mapping[str, Any]) -> dict[str, Made]:
    try:
        return {str(name): Made(str(e["sha256"]), int(e["bytes"])) for name, e in stored["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


@contextmanager
def placing(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; renamed to it at the end, removed if the block fails."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(target)
    except OSError as e:
        raise WriteFailed(f"cannot write {target}: {e.strerror or e}", "free some space or set INRO_MODELS") from e
    finally:
        with suppress(OSError):
            temporary.unlink()


def sha256_of(file: Path) -> str:
    """The file's sha256 in lower-case hex."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def is_right(file: Path, sha256: str, size: int) -> bool:
    """Whether the file is there with that size (0: any) and hash."""
    return _has_size(file, size) and sha256_of(file) == sha256


def _has_size(file: Path, size: int) -> bool:
    try:
        found = file.stat().st_size
    except OSError:
        return False
    return found == size if size else found > 0
