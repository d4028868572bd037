"""Two small models, put where a machine has them, and archives of them, also forged ones."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from inro.models import archive, bundle, files, registry
from inro.models.archive import PackedFile, PackedModel, beginning, header, padding
from inro.models.bundling import identity
from inro.models.files import Made
from inro.models.registry import ModelFile, ModelSpec
from inro.records import Bundle

WEIGHTS = b"GGUF" + random.Random(1).randbytes(3000)
JUDGE = b"\x08" + random.Random(2).randbytes(1535)
TOKENIZER = b'{"a": 1}'
CONTENTS = {"listed": {"w.gguf": WEIGHTS}, "brought": {"model.onnx": JUDGE, "tokenizer.json": TOKENIZER}}


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


LISTED = ModelSpec(
    "listed",
    "chat",
    "MIT",
    (ModelFile("w.gguf", sha(WEIGHTS), len(WEIGHTS)),),
    default=True,
    context=10,
    sources=(registry.Source("hub", (registry.Member("w.gguf", "w.gguf", sha(WEIGHTS), len(WEIGHTS)),)),),
)
BROUGHT = ModelSpec(
    "brought",
    "rerank",
    "Apache-2.0",
    (ModelFile("model.onnx"), ModelFile("tokenizer.json")),
    bring=True,
    max_tokens=9,
    repository="o/r",
)
ABSENT = replace(BROUGHT, name="absent")


def put(spec: ModelSpec, contents: dict[str, bytes]) -> None:
    """As an import leaves a model."""
    for name, content in contents.items():
        place = files.folder(spec) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    files.record(spec, {n: Made(sha(c), len(c)) for n, c in contents.items()}, {"imported": "x 日本"})


def made(names: Sequence[str], out: Path, *, over: bool = False) -> Bundle:
    *_, last = bundle(names, out, replace=over)
    assert isinstance(last, Bundle)
    return last


def packed(
    spec: ModelSpec, contents: dict[str, bytes], told: dict[str, bytes] | None = None
) -> tuple[PackedModel, dict[str, bytes]]:
    """A model for `forged`, whose manifest may tell of other files than are stored."""
    listed = tuple(PackedFile(n, sha(c), len(c)) for n, c in (told or contents).items())
    return PackedModel(spec.name, identity(spec), spec.licence, listed, {}), contents


def forged(place: Path, *models: tuple[PackedModel, dict[str, bytes]]) -> Path:
    """An archive by the rules, of any models and contents."""
    content = beginning([model for model, _ in models])
    for model, contents in models:
        for name, stored in contents.items():
            content += header(f"{model.name}/{name}", len(stored)) + stored + bytes(padding(len(stored)))
    place.write_bytes(content + archive.END)
    return place


def what_is_there(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if not p.is_dir()}
