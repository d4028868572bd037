"""Pack the models that are here into one archive, for a machine without a network.

Rule: only a model whose every file was hashed and is right goes in, and what stays behind is named. The archive is
made beside its place and gets its name when it is whole.
It does not know how an archive is taken in; see `unbundling`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from inro import in_place
from inro.errors import ModelDamaged, ModelMissing, UsageError, WriteFailed
from inro.models import archive, files
from inro.models.archive import PackedFile, PackedModel, Place
from inro.models.fetch import FetchProgress
from inro.models.registry import ModelFile, ModelSpec, find, load
from inro.records import Bundle

BundleEvent: TypeAlias = FetchProgress | Bundle

NAME = "inro-models.tar"
"""Of an archive that goes into a folder."""
NOT_HERE = "not here"
"""Why most listed models are left out."""
TAKEN = "name another file, or add --replace"


def bundle(names: Sequence[str], out: str | Path, *, replace: bool = False) -> Iterator[BundleEvent]:
    """Write an archive of the named models, or of all that are here; the last event is what was made.

    Args:
        out: the archive, or a folder to put it in.
        replace: whether a file of that name gives way.

    Raises:
        UsageError: there is a file of that name. NotFound: a name is not listed.
        ModelMissing, ModelDamaged: a named model is not here or not what it should be, or none is here.
        WriteFailed: the archive cannot be written; nothing is left of it.
    """
    place = Path(out)
    if place.is_dir():
        place /= NAME
    if not replace:
        in_place.refuse_taken(place, TAKEN)
    wanted = {find(name).name for name in names}
    left_out: dict[str, str] = {}
    models: list[PackedModel] = []
    for spec in load():
        if names and spec.name not in wanted:
            left_out[spec.name] = "not asked for" if files.installed(spec) else NOT_HERE
            continue
        try:
            models.append((yield from _checked(spec)))
        except (ModelMissing, ModelDamaged) as e:
            if names:
                raise
            there = any(files.path(spec, file).exists() for file in spec.files)
            left_out[spec.name] = str(e) if there else NOT_HERE
    if not models:
        raise ModelMissing(f"no model is whole in {files.staging().parent}", "inro models fetch")
    digest = yield from _write(models, place, replace)
    yield Bundle(str(place), archive.length(models), digest, tuple(model.name for model in models), left_out)


def identity(spec: ModelSpec) -> str:
    """What two releases' entries of a model must share, that its files may go from one to the other; 64 hex digits."""
    weights = [[member.sha256 for member in source.members] for source in spec.sources[:1]]
    parts = [
        spec.name,
        weights,
        files.RECIPES[spec.conversion],
        spec.repository,
        [[f.name, f.sha256] for f in spec.files],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode("ascii")).hexdigest()


def _checked(spec: ModelSpec) -> Generator[FetchProgress, None, PackedModel]:
    if files.is_outdated(spec):
        raise ModelDamaged(f"{spec.name} was made by an earlier release", f"inro models fetch {spec.name}")
    packed = []
    for file in spec.files:
        if files.path(spec, file).is_file():
            yield FetchProgress(spec.name, "check", file.name, 0, 0)
        found = files.check(spec, file)
        packed.append(PackedFile(file.name, found.sha256, found.bytes))
    return PackedModel(spec.name, identity(spec), spec.licence, tuple(packed), files.origin(spec))


def _write(models: Sequence[PackedModel], place: Path, replace: bool) -> Generator[FetchProgress, None, str]:
    """Write the archive; returns its sha256."""
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    digest = hashlib.sha256()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as out:

            def put(content: bytes) -> None:
                digest.update(content)
                out.write(content)

            put(archive.beginning(models))
            for at in archive.places(models):
                put(archive.header(at.name, at.file.bytes))
                yield from _put_file(at, put)
                put(bytes(archive.padding(at.file.bytes)))
            put(archive.END)
        if not in_place.put_in_place(part, place, replace=replace):
            raise UsageError(f"there is already a file at {place}", TAKEN)
    except OSError as e:
        raise WriteFailed(f"cannot write {place}: {e.strerror or e}", "make room, or name another place") from e
    finally:
        with suppress(OSError):
            part.unlink()
    return digest.hexdigest()


def _put_file(at: Place, put: Callable[[bytes], None]) -> Iterator[FetchProgress]:
    source = files.path(find(at.model.name), ModelFile(at.file.name))
    digest, done = hashlib.sha256(), 0
    with source.open("rb") as stream:
        for piece in archive.pieces(stream, at.file.bytes):
            digest.update(piece)
            put(piece)
            done += len(piece)
            yield FetchProgress(at.model.name, "write", at.file.name, done, at.file.bytes)
    if digest.hexdigest() != at.file.sha256:
        raise ModelDamaged(f"{source} changed while it was read", "run it again")
