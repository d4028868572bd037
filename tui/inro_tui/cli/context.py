"""What every command shares: which library, and whether to speak JSON. Both may stand before or after the command."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.kernels import Job
    from inro.library import Library
    from inro.store.cipher import Key

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

_ACTING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class Context:
    """The shared options, gathered from wherever they were typed; the nearest to the command wins."""

    library: Path | None = None
    json: bool = False
    key_file: Path | None = None

    @classmethod
    def of(cls, ctx: click.Context) -> Context:
        """The one context of this run."""
        return ctx.ensure_object(cls)

    @property
    def library_path(self) -> Path:
        """The index file that was named, else the user's own."""
        from inro.paths import default_library

        return self.library or default_library()

    @property
    def key(self) -> Key | None:
        """The key in the file that was named."""
        from inro.store.cipher import Key

        return Key.from_file(self.key_file) if self.key_file else None

    def is_encrypted(self) -> bool:
        """Whether the library is there and encrypted."""
        from inro.store.connect import Store

        return Store(self.library_path).encrypted()

    def open(self, others: Sequence[Path] = ()) -> Library:
        """The library, not opened yet; if it, or one of the others, is encrypted, the key is asked for.

        Raises:
            PathMissing, UsageError: the key file cannot be read, or no passphrase was typed.
        """
        from inro.library import Library
        from inro_tui.cli.secret import ask_key, can_ask

        library = Library(self.library_path, key=self.key)
        if library.store.key is None and can_ask():
            for path in (library.path, *others):
                if Library(path, library.settings).store.encrypted():
                    return Library(library.path, library.settings, key=ask_key(path.name))
        return library


def shared_options(function: Function) -> Function:
    """Adds `--library/-L`, `--key-file` and `--json`."""

    def set_library(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
        if value is not None:
            Context.of(ctx).library = value

    def set_key_file(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
        if value is not None:
            Context.of(ctx).key_file = value

    def set_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            Context.of(ctx).json = True

    function = click.option(
        "--json",
        is_flag=True,
        expose_value=False,
        callback=set_json,
        help="Write JSON to stdout.",
    )(function)
    function = click.option(
        "--key-file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        expose_value=False,
        callback=set_key_file,
        help="Holds the key of an encrypted library. Default: the setting key_file, else you are asked.",
    )(function)
    return click.option(
        "-L",
        "--library",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        expose_value=False,
        callback=set_library,
        help="The index file. Default: $INRO_LIBRARY, else library.inro in your data folder.",
    )(function)


def as_text(argument: str) -> str:
    """What was typed, as the library would hold it: bytes that are no UTF-8 become replacement characters."""
    return os.fsencode(argument).decode("utf-8", "replace")


def as_json(value: object, *, indent: int | None = 2, digits: int | None = 6) -> str:
    """A record, or a plain structure of records, as JSON text; floats to so many decimals, NaN as null.

    Characters outside ASCII are kept, except those that could act on a terminal: JSON escapes the C0 controls
    by itself; C1 controls, line separators, bidirectional controls and lone surrogates are escaped here.
    """
    text = json.dumps(_plain(value, digits), ensure_ascii=False, indent=indent, allow_nan=False)
    return _ACTING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def write_json(value: object, *, indent: int | None = 2, digits: int | None = 6) -> None:
    """Data for a program, on stdout; see `as_json`."""
    print(as_json(value, indent=indent, digits=digits), flush=True)


def write_lines(lines: Iterable[str]) -> None:
    """Data for a person, on stdout, as it comes."""
    for line in lines:
        print(line, flush=True)


def narrate(line: str) -> None:
    """A word about what happens, on stderr, whatever it quotes made harmless."""
    print(clean_line(line), file=sys.stderr, flush=True)


def overwrite(line: str) -> None:
    """On a terminal, the moving line on stderr; with no text, the line it leaves clean."""
    sys.stderr.write(f"\r\x1b[K{clean_line(line)}")
    sys.stderr.flush()


def announce_compiling(job: Job) -> None:
    """On a terminal, before a job that will first compile its kernels: why nothing seems to happen."""
    from inro.kernels import are_compiled

    if sys.stderr.isatty() and not are_compiled(job):
        narrate(f"preparing this machine for its first {job} (about half a minute, once)")


def _plain(value: object, digits: int | None) -> Plain:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), digits) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, digits) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return value if digits is None else round(value, digits)
    assert value is None or isinstance(value, bool | int | str), type(value)
    return value
