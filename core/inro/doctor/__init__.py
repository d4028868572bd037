"""`inro doctor`: what this machine, the models and the library are like, and what to do about what is not right.

A check never raises: what cannot be found out is a check that failed, with the reason as what was found. The
processor and what runs on it are in `machine`.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from inro import __version__, config, log, paths
from inro.doctor import machine
from inro.errors import InroError
from inro.records import Check
from inro.store.cipher import Key

PINNED = {"duckdb": "1.5.5", "duckdb-extension-fts": "1.5.5", "duckdb-extension-httpfs": "1.5.5", "hnswlib": "0.8.0"}
"""Versions the index file's layout depends on."""
LEAST_FREE = 1 << 30
"""Bytes that indexing and a model's conversion should find free."""


def examine(library: Path, key: Key | None = None) -> Iterator[Check]:
    """Every check, in the order a person would look; `key` opens an encrypted library."""
    settings = _set()
    yield _program()
    yield from machine.examine(settings)
    yield from _packages()
    yield _settings()
    yield _log(settings)
    yield _analyser(settings)
    yield _full_text()
    yield from _disks(library)
    yield from _models(settings)
    yield from _library(library, key)


def _program() -> Check:
    return Check("program", True, f"inro {__version__}, Python {platform.python_version()}, {platform.machine()}")


def _packages() -> Iterator[Check]:
    for name, expected in PINNED.items():
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            found = "not installed"
        yield Check(name, found == expected, found, expected, f"pip install {name}=={expected}")


def _settings() -> Check:
    file = config.settings_file()
    try:
        config.load()
    except InroError as error:
        return Check("settings", False, error.message, "a settings file that can be read", error.mend)
    return Check("settings", True, str(file) if file.exists() else "defaults")


def _set() -> config.Settings:
    """What is set; the defaults where that cannot be read."""
    try:
        return config.load()
    except InroError:
        return config.Settings()


def _log(settings: config.Settings) -> Check:
    file = log.file()
    if settings.log_level == "off":
        return Check("log", True, f"off; it would be {file}")
    size = f"{file.stat().st_size / 1e3:.0f} kB" if file.exists() else "nothing yet"
    return Check("log", True, f"{file}, {size}, level {settings.log_level}")


def _analyser(settings: config.Settings) -> Check:
    from inro.text.analyse import Analyser

    return Check("analyser", True, Analyser(settings.han).id)


def _full_text() -> Check:
    import duckdb

    from inro.store.extension import load_fts

    try:
        with duckdb.connect() as con:
            load_fts(con)
    except (InroError, duckdb.Error) as error:
        return Check("full text", False, str(error), "the FTS extension", "pip install duckdb-extension-fts==1.5.5")
    return Check("full text", True, "DuckDB's FTS extension loads")


def _disks(library: Path) -> Iterator[Check]:
    """Room where models go and where the library is: merging and encrypting write it anew beside itself."""
    size = library.stat().st_size if library.is_file() else 0
    yield _disk("disk", paths.data_dir(), LEAST_FREE)
    yield _disk("library disk", library.absolute().parent, max(LEAST_FREE, 2 * size))


def _disk(name: str, place: Path, needed: int) -> Check:
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    return Check(name, free >= needed, f"{free / 1e9:.1f} GB free", f"{needed / 1e9:.1f} GB", f"make room on {place}")


def _models(settings: config.Settings) -> Iterator[Check]:
    """The models that are set, hashed; of others only whether they are whole."""
    from inro.models import files, list_models
    from inro.models.registry import find

    wanted = {settings.embedder, settings.chat, settings.rerank}
    for model in list_models():
        if model.name not in wanted and not model.installed:
            continue
        found = f"{model.name}, {model.bytes / 1e6:.0f} MB" if model.installed else f"{model.name} is not here"
        expected = ""
        if model.installed and model.name in wanted:
            spec = find(model.name)
            expected = "files with the hashes that are listed"
            try:
                hashes = [files.check(spec, file).sha256[:12] for file in spec.files]
            except InroError as error:
                yield Check(model.role, False, error.message, expected, error.mend)
                continue
            found += f", sha256 {', '.join(hashes)}"
        yield Check(model.role, model.installed, found, expected or model.name, model.mend)


def _baseline(path: Path, key: Key | None) -> Iterator[Check]:
    """How alike unrelated chunks are, which relevance is judged against; nothing for a library too small to tell."""
    from inro.index import baseline
    from inro.store.connect import Store

    try:
        with Store(path, key=key).reading() as con:
            due, found = baseline.is_due(con), baseline.stored(con)
    except InroError as error:
        yield Check("likeness", False, error.message, "", error.mend)
        return
    if found is not None:
        said = (
            f"unrelated chunks have a cosine of {found.baseline.mean:.3f} ± {found.baseline.std:.3f}, one pair in a "
            f"hundred {found.ceiling:.3f} or more; measured on {found.chunks:,} chunks"
        )
        yield Check("likeness", not due, said, "measured on about as many chunks as there are", "inro sync")
    elif due:
        yield Check("likeness", False, "not measured", "the cosines of unrelated chunks", "inro sync")


def _library(path: Path, key: Key | None) -> Iterator[Check]:
    from inro.index import field_text
    from inro.library import Library
    from inro.text.analyse import Analyser

    try:
        with Library(path, key=key) as library:
            status = library.status()
    except InroError as error:
        yield Check("library", False, error.message, "a library", error.mend)
        return
    yield Check("library", True, f"{path}, generation {status.generation}, {status.bytes / 1e6:.1f} MB")
    for source in status.sources:
        yield Check(
            f"source {source.id}",
            source.present,
            source.path if source.present else f"{source.path} is not there; its text stays searchable",
            "a folder or file",
            "mount it, or leave it: nothing is lost",
        )
    yield Check(
        "vectors",
        status.to_embed == 0,
        f"{status.vectors} of {status.chunks} chunks embedded by {status.embedder or 'no model'}"
        + (f"; {status.cut} are longer than it reads: their ends are found by words only" if status.cut else ""),
        "all",
        "inro sync",
    )
    yield from _baseline(path, key)
    wanted = field_text.identity(Analyser(_set().han))
    if status.analyser:
        yield Check("words", status.analyser == wanted, f"indexed by {status.analyser}", wanted, "inro sync")
    if status.embedder:
        same = status.embedder == _set().embedder
        yield Check("embedder", same, f"vectors made by {status.embedder}", _set().embedder, "inro sync")
    yield from _wear(path, key)
    for note in status.notes:
        yield Check("note", False, note, "", "inro sync")


def _wear(path: Path, key: Key | None) -> Iterator[Check]:
    """What of the index is deleted chunks, and whether that is more than a sync leaves."""
    from inro.index import wear
    from inro.store.connect import Store

    try:
        with Store(path, key=key).reading() as con:
            lanes = wear.measure(con)
    except InroError as error:
        yield Check("upkeep", False, error.message, "", error.mend)
        return
    unit = {"lexical": "segments", "vectors": "blocks"}
    for lane in lanes:
        count = f"{lane.units} {unit[lane.lane]}, " if lane.lane in unit else f"{lane.beside:,} vectors beside it, "
        yield Check(
            lane.lane if lane.lane != "vectors" else "blocks",
            not lane.is_due and lane.share <= lane.allowed,
            f"{count}{lane.deleted:,} of {lane.rows:,} deleted ({lane.share:.0%})",
            f"nothing due, and at most {lane.allowed:.0%} in one of them",
            "inro sync, which merges and rewrites what is due",
        )
