"""Take models out of an archive that was carried here. The archive is a stranger's.

Rule: nothing is written before the manifest, the list of models, the archive's length and the free space were
compared; then each file is hashed while it is written aside, an embedder is proved, and a model gets its place with
all its files or not at all. A model that is here and sound is left as it is, so a second try goes on from the first.
It does not know how an archive is made; see `bundling`.
"""

from __future__ import annotations

import difflib
import hashlib
import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from inro.errors import ModelDamaged, ModelMissing, NotFound, PathMissing, UsageError, WriteFailed
from inro.models import archive, files
from inro.models.archive import AGAIN, PackedFile, PackedModel, Place
from inro.models.bundling import identity
from inro.models.fetch import FetchProgress, forget
from inro.models.files import Made
from inro.models.importing import BEGINNINGS
from inro.models.registry import ModelFile, ModelSpec, load

_OTHER = "bundle it again, with this release of Inro, where the model was fetched"
_ROOM = "free some space or set INRO_MODELS"


def unbundle(file: str | Path, names: Sequence[str] = ()) -> Iterator[FetchProgress]:
    """Put the models of an archive in place, the named ones or all.

    Raises:
        PathMissing, UsageError: there is no such file, or it is no archive of models.
        NotFound: a name is not in the archive, or a model not in this release's list.
        ModelDamaged: the archive is cut short or altered, or a model is not the one that is listed.
        WriteFailed: the models folder cannot be written. What was whole by then stays.
    """
    place = Path(file)
    if not place.is_file():
        raise PathMissing(f"no such file: {place}")
    with _opened(place) as stream:
        start = b"".join(_read(place, stream, 0, archive.LONGEST_BEGINNING))
        models = archive.read_manifest(place, start, place.stat().st_size)
        if b"".join(_read(place, stream, archive.length(models) - len(archive.END), len(archive.END))) != archive.END:
            raise ModelDamaged(f"{place} is altered at its end", AGAIN)
        chosen = [(_listed(place, model), model) for model in _named(place, models, names)]
        missing = []
        for spec, model in chosen:
            if (yield from _is_sound(spec)):
                size = files.size(spec)
                yield FetchProgress(spec.name, "done", "", size, size, _note(spec, model))
            else:
                missing.append((spec, model))
        _make_room(sum(file.bytes for _, model in missing for file in model.files))
        for spec, model in missing:
            own = [at for at in archive.places(models) if at.model is model]
            yield from _install(spec, own, place, stream)


def _named(place: Path, models: Sequence[PackedModel], names: Sequence[str]) -> list[PackedModel]:
    there = {model.name: model for model in models}
    for name in names:
        if name not in there:
            raise NotFound(
                f"{place} does not hold {name}; it holds {', '.join(there)}", f"inro models unbundle {place}"
            )
    return [model for model in models if not names or model.name in names]


def _listed(place: Path, model: PackedModel) -> ModelSpec:
    """The entry of a packed model, which must be of the same files."""
    known = {spec.name: spec for spec in load()}
    spec = known.get(model.name)
    if spec is None:
        near = difflib.get_close_matches(model.name, known, n=1)
        told = f"; the nearest it knows is {near[0]}" if near else ""
        raise NotFound(
            f"{place} holds the model {model.name}, which this release does not know{told}",
            f"install a newer Inro, or name the models to take: inro models unbundle {place.name} MODEL",
        )
    if sorted(file.name for file in spec.files) != sorted(file.name for file in model.files):
        raise ModelDamaged(f"{model.name} in {place} has other files than the list of models says", _OTHER)
    for file, packed in _pairs(spec, model):
        if file.sha256 and (packed.sha256, packed.bytes) != (file.sha256, file.bytes or packed.bytes):
            raise ModelDamaged(
                f"{model.name}/{file.name} in {place} has sha256 {packed.sha256} and {packed.bytes:,} bytes, not "
                f"the listed {file.sha256} and {file.bytes:,} bytes",
                _OTHER,
            )
    if model.identity != identity(spec):
        raise ModelDamaged(f"{model.name} in {place} was made for another release's list of models", _OTHER)
    return spec


def _pairs(spec: ModelSpec, model: PackedModel) -> list[tuple[ModelFile, PackedFile]]:
    packed = {file.name: file for file in model.files}
    return [(file, packed[file.name]) for file in spec.files]


def _is_sound(spec: ModelSpec) -> Generator[FetchProgress, None, bool]:
    """Whether a model is here and every file is what it should be."""
    if not files.installed(spec):
        return False
    for file in spec.files:
        yield FetchProgress(spec.name, "check", file.name, 0, 0)
        try:
            files.check(spec, file)
        except (ModelDamaged, ModelMissing):
            return False
    return True


def _make_room(needed: int) -> None:
    """Raises WriteFailed when the models folder has no room for so many bytes."""
    folder = files.staging().parent
    there = next(one for one in (folder, *folder.absolute().parents) if one.is_dir())
    free = shutil.disk_usage(there).free
    if needed > free:
        raise WriteFailed(f"{folder} has {free:,} bytes free, the models need {needed:,}", _ROOM)


def _note(spec: ModelSpec, model: PackedModel) -> str:
    recorded = files.manifest(spec)
    if all(files.expected(file, recorded).sha256 == packed.sha256 for file, packed in _pairs(spec, model)):
        return "already here"
    return f"already here, in another version; to take this one delete {files.folder(spec)} first"


def _install(spec: ModelSpec, own: Sequence[Place], source: Path, stream: BinaryIO) -> Iterator[FetchProgress]:
    """Write a model aside, prove it, and give it its place."""
    work = files.staging() / spec.name / "unbundled"
    proved = ""
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        for at in own:
            yield from _write(at, work / at.file.name, source, stream)
        if spec.role == "embed":
            yield FetchProgress(spec.name, "prove", own[0].file.name, 0, 0)
            proved = _prove(spec, work, source)
        made = {at.file.name: Made(at.file.sha256, at.file.bytes) for at in own}
        recipe = files.RECIPES[spec.conversion]
        text = files.manifest_text(spec, made, own[0].model.origin, recipe)
        (work / files.MANIFEST).write_text(text, encoding="utf-8")
        _give_place(work, files.folder(spec))
    except OSError as e:
        raise WriteFailed(f"cannot write {files.folder(spec)}: {e.strerror or e}", _ROOM) from e
    finally:
        shutil.rmtree(work, ignore_errors=True)
    forget(spec)
    size = files.size(spec)
    yield FetchProgress(spec.name, "done", "", size, size, proved)


def _write(at: Place, target: Path, source: Path, stream: BinaryIO) -> Iterator[FetchProgress]:
    """Copy one file out of the archive. Raises ModelDamaged when it is not the one that the manifest tells of."""
    if b"".join(_read(source, stream, at.header, archive.BLOCK)) != archive.header(at.name, at.file.bytes):
        raise ModelDamaged(f"{source} is altered where {at.name} begins", AGAIN)
    digest, done = hashlib.sha256(), 0
    kind = Path(at.file.name).suffix
    with target.open("xb") as out:
        for piece in _read(source, stream, at.content, at.file.bytes):
            if not done and not piece.startswith(BEGINNINGS.get(kind, b"")):
                raise ModelDamaged(f"{at.name} in {source} is not in {kind[1:].upper()} format", _OTHER)
            digest.update(piece)
            out.write(piece)
            done += len(piece)
            yield FetchProgress(at.model.name, "write", at.file.name, done, at.file.bytes)
    rest = at.end - at.content - at.file.bytes
    if digest.hexdigest() != at.file.sha256 or any(map(any, _read(source, stream, at.end - rest, rest))):
        raise ModelDamaged(f"{at.name} in {source} is altered: it has not the sha256 {at.file.sha256}", AGAIN)


@contextmanager
def _opened(place: Path) -> Iterator[BinaryIO]:
    try:
        stream = place.open("rb")
    except OSError as e:
        raise _unreadable(place, e) from e
    with stream:
        yield stream


def _read(place: Path, stream: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    try:
        stream.seek(start)
        yield from archive.pieces(stream, size)
    except OSError as e:
        raise _unreadable(place, e) from e


def _unreadable(place: Path, error: OSError) -> UsageError:
    return UsageError(f"{place} cannot be read: {error.strerror or error}", AGAIN)


def _prove(spec: ModelSpec, work: Path, source: Path) -> str:
    from inro.models.proof import REFERENCES, prove

    try:
        found = prove(spec, work / "model-int8.onnx", work / "tokenizer.json")
    except ModelDamaged as e:
        raise ModelDamaged(f"{spec.name} in {source} is not what it should be: {e.message}", _OTHER) from e
    return f"cosines differ from the reference by {found:.3f} at most" if spec.name in REFERENCES else ""


def _give_place(work: Path, folder: Path) -> None:
    """Put a whole folder where the model belongs; what is there, which is not sound, goes."""
    former = work.with_name("former")
    shutil.rmtree(former, ignore_errors=True)
    with suppress(FileNotFoundError):
        folder.replace(former)
    try:
        work.replace(folder)
    except OSError:
        with suppress(OSError):
            former.replace(folder)
        raise
