"""The user's settings: one TOML file, read when asked for, every key documented here and nowhere else.

A key that is not one of these is refused with the nearest one that is: a typo must not pass in silence.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import inspect
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from inro import paths
from inro.errors import ConfigError
from inro.log import Level
from inro.records import HanFolding, Setting


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user may set. Every field has a default that works."""

    language: Literal["auto", "en", "ja"] = "auto"
    """Language of the interface; `auto` follows `$INRO_LANG`, then the locale."""
    embedder: str = "multilingual-e5-small"
    """Name of the embedding model, as in `inro models list`."""
    chat: str = "smollm2-135m-instruct"
    """Name of the answering model; empty for extractive answers only."""
    threads: int = 2
    """Threads for embedding and answering."""
    han: HanFolding = "none"
    """Which forms of a Han character are one in search: `simplified` (traditional and simplified: 檢 and 检),
    `shinjitai` (old Japanese forms and new: 檢 and 検) or `all` of these. The next sync after a change analyses the
    library again; until then it is searched as it was indexed."""
    rerank: str = "off"
    """What orders the first results of a search anew: `off`, `late` (the embedder's own token vectors) or the name of a
    reranker, as in `inro models list`."""
    rerank_ms: int = 500
    """Milliseconds a search may spend on that; what is not scored by then keeps its order below."""
    lane_ms: int = 10_000
    """Milliseconds a search waits for the meaning of its query, whose model may still be starting or be busy with a
    sync; after that the words alone answer."""
    ocr: Literal["auto", "off"] = "auto"
    """Whether text in scans and pictures is recognised. After a change: `inro sync --full`."""
    key_file: str = ""
    """File that holds the key of an encrypted library; empty to be asked for a passphrase."""
    key_source: Literal["ask", "keyring"] = "ask"
    """Where else the key of an encrypted library comes from: `ask`, or `keyring`, the system's own keyring, where
    `inro encrypt --keyring` puts it. A key file goes before both."""
    passages: int = 6
    """Passages handed to the answering model."""
    shelves: Literal["off", "when-silent"] = "off"
    """Whether attached shelves are looked into when the library itself has no answer."""
    mask_names: str = ""
    """Names, parted by commas, that are masked in notes written from a shelf's answers, as mail addresses and telephone
    numbers are."""
    log_level: Level = "info"
    """What goes into the log, whose place `inro doctor` tells: `off`, `warning` (crashes and what is damaged), `info`
    (commits, upkeep, syncs as well) or `debug`, which alone may name files and hold words of errors."""


def settings_file() -> Path:
    """Where the settings are read from; the file need not exist."""
    return paths.config_dir() / "settings.toml"


def load(file: Path | None = None) -> Settings:
    """Settings of this machine's user.

    Raises:
        ConfigError: the file is not TOML, or a key or value is not one a setting may have.
    """
    return Settings(**_said(file or settings_file()))


def described(file: Path | None = None) -> tuple[Setting, ...]:
    """Every setting with its value, who says so, and what it means, in the order of the class.

    Raises:
        ConfigError: as for `load`.
    """
    file = file or settings_file()
    said = _said(file)
    return tuple(
        Setting(
            name=field.name,
            toml=_toml(said.get(field.name, field.default)),
            origin=str(file) if field.name in said else "default",
            default=_toml(field.default),
            meaning=_meanings()[field.name],
        )
        for field in dataclasses.fields(Settings)
    )


def _said(file: Path) -> dict[str, Any]:
    """What the file says, checked; nothing if there is none."""
    try:
        with file.open("rb") as stream:
            table = tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} cannot be read: {error}", "mend or remove that file") from error
    return {key: _checked(file, key, value) for key, value in table.items()}


def _meanings() -> dict[str, str]:
    """The sentences under the fields of `Settings`, each on one line: they are written once, there."""
    (made,) = ast.parse(inspect.getsource(Settings)).body
    assert isinstance(made, ast.ClassDef)
    return {
        field.target.id: " ".join(str(under.value.value).split())
        for field, under in zip(made.body, made.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(under, ast.Expr)
        and isinstance(under.value, ast.Constant)
    }


def _checked(file: Path, key: str, value: object) -> Any:
    fields = {field.name: field for field in dataclasses.fields(Settings)}
    if key not in fields:
        near = difflib.get_close_matches(key, fields, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the settings are {', '.join(fields)}"
        raise ConfigError(f"{file} has an unknown setting: {key}", hint)
    default = cast(object, fields[key].default)
    if type(value) is not type(default):
        raise ConfigError(
            f"{file}: {key} must be a {type(default).__name__}: {value!r}", f"e.g. {key} = {_toml(default)}"
        )
    kind = get_type_hints(Settings)[key]
    if get_origin(kind) is Literal and value not in get_args(kind):
        raise ConfigError(f"{file}: {key} cannot be {value!r}", f"use {' or '.join(map(_toml, get_args(kind)))}")
    if isinstance(value, int) and value < 1:
        raise ConfigError(f"{file}: {key} must be at least 1: {value}", f"e.g. {key} = {_toml(default)}")
    return value


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
