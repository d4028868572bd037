"""Models on this machine: what there is, how it gets here, and whether it is what it should be.

`registry` reads the list, `files` knows the folder, `fetch` brings, `importing` takes in what was carried
here, `bundling` and `unbundling` carry whole models in an `archive`, `install` converts, `proof` checks results,
`opening` gives workers.
The functions here are what a command line calls; they load nothing heavy until a model is converted or proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from inro.errors import ModelDamaged, ModelMissing
from inro.models import files
from inro.models.bundling import BundleEvent, bundle
from inro.models.fetch import FetchProgress, fetch_members
from inro.models.importing import import_file
from inro.models.install import install
from inro.models.opening import open_chat, open_embedder, open_reranker
from inro.models.registry import ModelSpec, ModelState, default_for, find, load
from inro.models.unbundling import unbundle
from inro.records import Check

__all__ = [
    "BundleEvent",
    "FetchProgress",
    "ModelSpec",
    "ModelState",
    "bundle",
    "default_for",
    "fetch",
    "import_file",
    "list_models",
    "model_path",
    "open_chat",
    "open_embedder",
    "open_reranker",
    "quantise",
    "require",
    "unbundle",
    "verify",
]

require = files.require


def list_models() -> tuple[ModelState, ...]:
    """Every listed model and whether it is here; looks at names and sizes only."""
    return tuple(files.state(spec) for spec in load())


def fetch(names: Sequence[str] | None = None) -> Iterator[FetchProgress]:
    """Bring and install models, the defaults when none is named. What is here is not brought again, unless an earlier
    release converted it by another recipe.

    Raises FetchFailed, ModelDamaged, WriteFailed; NotFound for a name that is not listed, ModelMissing for one
    that the user has to bring.
    """
    chosen = [find(n) for n in names] if names else [s for s in load() if s.default]
    for spec in chosen:
        if files.installed(spec) and not files.is_outdated(spec):
            size = files.size(spec)
            yield FetchProgress(spec.name, "done", "", size, size, "already here")
            continue
        if spec.bring:
            raise files.missing(spec, spec.files[0], files.Made("", 0))
        yield from fetch_members(spec)
        yield from install(spec)


def quantise(name: str = "bge-m3") -> Iterator[FetchProgress]:
    """Make the int8 form of a model from its published file, which is fetched first if it was not imported."""
    yield from fetch([name])


def verify(names: Sequence[str] | None = None) -> Iterator[Check]:
    """Hash every file and recompute the known cosines; all installed models when none is named."""
    chosen = [find(n) for n in names] if names else [s for s in load() if files.installed(s)]
    for spec in chosen:
        whole = True
        for file in spec.files:
            name = f"{spec.name}/{file.name}"
            try:
                found = files.check(spec, file)
            except (ModelDamaged, ModelMissing) as e:
                whole = False
                yield Check(name, False, e.message, mend=e.mend)
            else:
                yield Check(name, True, f"sha256 {found.sha256}")
        if whole and spec.role == "embed":
            yield _proof(spec)


def model_path(name: str) -> Path:
    """The main file of an installed model. Raises ModelMissing, NotFound."""
    return require(name)[find(name).files[0].name]


def _proof(spec: ModelSpec) -> Check:
    from inro.models.proof import REFERENCES, deviation

    name = f"{spec.name}/proof"
    paths = require(spec.name)
    try:
        found = deviation(spec, paths["model-int8.onnx"], paths["tokenizer.json"])
    except ModelDamaged as e:
        return Check(name, False, e.message, mend=e.mend)
    if found is None:
        return Check(name, True, "no reference cosines for this model")
    allowed = REFERENCES[spec.name].tolerance
    return Check(
        name,
        found <= allowed,
        f"cosines within {found:.4f} of the reference",
        f"at most {allowed}",
        "" if found <= allowed else f"delete {files.folder(spec)} and run: inro models fetch {spec.name}",
    )
