"""What every command shares: which library, and whether to speak JSON. Both may stand before or after the command."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from inro.library import Library

_ACTING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class Context:
    """The shared options, gathered from wherever they were typed; the nearest to the command wins."""

    library: Path | None = None
    json: bool = False

    @classmethod
    def of(cls, ctx: click.Context) -> Context:
        """The one context of this run."""
        return ctx.ensure_object(cls)

    @property
    def library_path(self) -> Path:
        """The index file that was named, else the user's own."""
        from inro.paths import default_library

        return self.library or default_library()

    def open(self) -> Library:
        """The library, without touching the file yet."""
        from inro.library import Library

        return Library(self.library_path)


def shared_options(function: Function) -> Function:
    """Adds `--library/-L` and `--json`."""

    def set_library(ctx: click.Context, _param: click.Parameter, value: Path | None) -> None:
        if value is not None:
            Context.of(ctx).library = value

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
    return click.option(
        "-L",
        "--library",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        expose_value=False,
        callback=set_library,
        help="The index file. Default: $INRO_LIBRARY, else library.inro in your data folder.",
    )(function)


def as_json(value: object) -> str:
    """A record, or a plain structure of records, as JSON text.

    Characters outside ASCII are kept, except those that could act on a terminal: JSON escapes the C0 controls
    by itself; C1 controls, line separators, bidirectional controls and lone surrogates are escaped here.
    """
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2)
    return _ACTING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def write_json(value: object) -> None:
    """Data for a program, on stdout."""
    print(as_json(value))


def write_lines(lines: Iterable[str]) -> None:
    """Data for a person, on stdout, as it comes."""
    for line in lines:
        print(line, flush=True)


def narrate(line: str) -> None:
    """A word about what happens, on stderr."""
    print(line, file=sys.stderr, flush=True)


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float):
        return round(value, 6)
    return value
