"""Make an installed model of staged files: convert, prove, put in place, record.

Rule: a model is in place only after it was proved; the files it was made from go away then.
It does not know where the staged files came from.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

from inro.errors import ModelDamaged, WriteFailed
from inro.models import files
from inro.models.fetch import FetchProgress, forget, staged
from inro.models.files import Made
from inro.models.registry import Conversion, ModelSpec


def install(spec: ModelSpec) -> Iterator[FetchProgress]:
    """Install a model whose members are all staged.

    Raises ModelDamaged when the result does not reproduce the reference, ModelMissing when a file it shares with
    another model is not here.
    """
    steps: dict[Conversion, tuple[Callable[[ModelSpec], str], str]] = {
        "packed-e5": (_convert_packed_e5, "4-bit weights to an int8 ONNX graph"),
        "int8": (_convert_int8, "float weights to int8"),
        "": (_place, ""),
    }
    step, note = steps[spec.conversion]
    if note:
        yield FetchProgress(spec.name, "convert", "model-int8.onnx", 0, 0, note)
    try:
        proved = step(spec)
    except OSError as e:
        raise WriteFailed(
            f"cannot make {files.folder(spec)}: {e.strerror or e}", "free some space or set INRO_MODELS"
        ) from e
    forget(spec)
    size = sum(files.path(spec, f).stat().st_size for f in spec.files)
    yield FetchProgress(spec.name, "done", "", size, size, proved)


def _convert_packed_e5(spec: ModelSpec) -> str:
    """Make the model; returns what the proof found, for a person. The same for each step."""
    import onnx

    from inro.models.convert_e5 import build_graph, build_tokenizer
    from inro.models.packed_e5 import read_packed
    from inro.models.proof import prove
    from inro.models.quantise import quantise_int8

    (source,) = spec.sources
    origin = staged(spec, source.members[0])
    work = origin.parent
    packed = read_packed(origin.read_bytes())
    plain = work / "model.onnx"
    onnx.save(build_graph(packed), str(plain))
    made = {"model-int8.onnx": work / "model-int8.onnx", "tokenizer.json": work / "tokenizer.json"}
    quantise_int8(plain, made["model-int8.onnx"])
    made["tokenizer.json"].write_text(build_tokenizer(packed), encoding="utf-8")
    deviation = prove(spec, made["model-int8.onnx"], made["tokenizer.json"])
    _finish(spec, made, {source.members[0].name: source.members[0].sha256})
    return f"cosines differ from the reference by {deviation:.3f} at most"


def _convert_int8(spec: ModelSpec) -> str:
    from inro.models.proof import prove_alike
    from inro.models.quantise import quantise_int8

    (source,) = spec.sources
    plain = staged(spec, source.members[0])
    work = plain.parent
    made = {f.name: work / f.name for f in spec.files}
    for shared in spec.shares:
        shutil.copyfile(files.require(shared.model)[shared.name], made[shared.name])
    try:
        quantise_int8(plain, made["model-int8.onnx"])
    except ValueError as e:
        raise ModelDamaged(f"{plain}: {e}", f"inro models fetch {spec.name}") from e
    least = prove_alike(spec, plain, made["model-int8.onnx"], made["tokenizer.json"])
    _finish(spec, made, {m.name: m.sha256 for m in source.members})
    return f"its vectors have a cosine of {least:.4f} or more with those of the float model"


def _place(spec: ModelSpec) -> str:
    (source,) = spec.sources
    names = {f.name for f in spec.files}
    for member in source.members:
        if member.name in names:
            move(staged(spec, member), files.folder(spec) / member.name)
    return ""


def _finish(spec: ModelSpec, made: dict[str, Path], origin: dict[str, str]) -> None:
    recorded: dict[str, Made] = {}
    for name, place in made.items():
        recorded[name] = Made(files.sha256_of(place), place.stat().st_size)
        move(place, files.folder(spec) / name)
    tools = {tool: metadata.version(tool) for tool in ("onnx", "onnxruntime")}
    files.record(spec, recorded, {**origin, **tools})


def move(source: Path, target: Path) -> None:
    """Put a file in place under its own name at once, from the same folder tree or from another disk."""
    with files.placing(target) as part:
        try:
            source.replace(part)
        except OSError:
            shutil.copyfile(source, part)
            source.unlink(missing_ok=True)
