"""TOML as lines a person can read and a search can find, like those of JSON: `project.name: inro`.

Comments stand before the values of the table they are in. What is no TOML after all is read as plain source, and the
reading says so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from inro.errors import Unreadable
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.json_text import Json, lines
from inro.readers.reader import Reader
from inro.readers.yaml_text import as_source, declare_front, write_blocks
from inro.records import Reading

_LARGEST = 16 * 1024 * 1024
_TOKEN = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|\n')
_TABLE = re.compile(r"[ \t]*\[{1,2}([^\n#]*?)\]{1,2}[ \t]*(?:#.*)?")
_KEY = re.compile(r"[ \t]*([\w.-]+)[ \t]*=")
_CLOSE = {'"""': re.compile(r'(?:\\.|[^\\])*?"""', re.DOTALL), "'''": re.compile(r".*?'''", re.DOTALL)}


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a TOML file. Raises `Unreadable` if it is not text, or too large."""
    decoded = decode(data, name, override=encoding)
    if len(decoded.text) > _LARGEST:
        raise Unreadable(f"TOML larger than {_LARGEST // 1048576} MB: {name}", "split it or exclude it")
    try:
        table = tomllib.loads(decoded.text)
        written = list(lines(_json(table)))
    except tomllib.TOMLDecodeError as e:
        return as_source(data, name, encoding, f"not valid TOML ({str(e)[:200]})")
    except (RecursionError, Unreadable):
        return as_source(data, name, encoding, "TOML nested too deeply")
    draft = Draft()
    front = [(key, value if isinstance(value, list) else [value]) for key, value in table.items()]
    declare_front(draft, [(key, [_text(v) for v in values]) for key, values in front])
    write_blocks(draft, _grouped(written, list(comments(decoded.text))))
    title = draft.declared("title") or name.replace("\\", "/").rsplit("/", 1)[-1]
    return draft.reading(READER.id, title, decoded.encoding, decoded.confidence, decoded.outcome, decoded.reason)


def comments(text: str) -> Iterator[tuple[str, str]]:
    """(table, comment) of a valid file in order; one that ends a line is named by the key that the line sets."""
    table, start = "", 0
    at = 0
    while (match := _TOKEN.search(text, at)) is not None:
        token, at = match[0], match.end()
        if token in _CLOSE:
            closed = _CLOSE[token].match(text, at)
            at = closed.end() if closed is not None else len(text)
        elif token[0] == "#" or token == "\n":
            line = text[start : match.start()]
            header = _TABLE.fullmatch(line)
            table = _path(header[1]) if header is not None else table
            if token[0] == "#" and token.strip("#-=* \t"):
                key = _KEY.match(line)
                yield table, f"# {key[1]}: {token[1:].strip()}" if key is not None else token
            if token == "\n":
                start = at


def _path(header: str) -> str:
    """The path of a table as `lines` writes it."""
    try:
        inner: Any = tomllib.loads(f"[{header}]")
    except tomllib.TOMLDecodeError:
        return ""
    keys = []
    while isinstance(inner, dict) and inner:
        key, inner = next(iter(inner.items()))
        keys.append(key)
    return ".".join(keys)


def _grouped(written: list[str], notes: list[tuple[str, str]]) -> Iterator[list[str]]:
    """The lines in groups by their first key, each table's comments before its first value."""
    group: list[str] = []
    first = ""
    waiting: dict[str, list[str]] = {}
    for table, note in notes:
        waiting.setdefault(table, []).append(note)
    for line in written:
        path = line.split(": ", 1)[0]
        begin = path.partition(".")[0] if "." in path else ""
        if begin != first and group:
            yield group
            group = []
        first = begin
        parts = path.split(".")
        for depth in range(len(parts)):
            group.extend(waiting.pop(".".join(parts[:depth]), ()))
        group.append(line)
    yield [*group, *(note for rest in waiting.values() for note in rest)]


def _json(value: Any) -> Json:
    if isinstance(value, dict):
        return {key: _json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json(inner) for inner in value]
    if isinstance(value, date | time):
        return value.isoformat()
    shown: Json = value
    return shown


def _text(value: Any) -> str | None:
    """A value that is no container as it is written."""
    if isinstance(value, dict | list):
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)


READER = Reader("toml", 1, frozenset({".toml"}), read)
