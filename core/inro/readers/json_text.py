"""JSON and JSON Lines as lines a person can read and a search can find: `sample.mass: 1.2`.

As written, a search would meet escapes (`\\u65e5`) and brackets. Keys carry their path, so that a line found
alone says what it is; each record of an outer list is a block. A file that is a note in
JSON goes to its own reader by its content. What is no JSON after all is read as source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from inro.errors import Unreadable
from inro.readers import graphium, source
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.reader import Reader, stem_of
from inro.records import Reading

_LARGEST = 64 * 1024 * 1024
_DEEPEST = 60
_LONGEST_PATH = 120
_LINES_A_BLOCK = 60
_MOST_LINES = 2_000_000

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a JSON file. Raises `Unreadable` if it is not text or nested beyond sense."""
    decoded = decode(data, name, override=encoding)
    if len(decoded.text) > _LARGEST:
        raise Unreadable(f"JSON larger than {_LARGEST // 1048576} MB: {name}", "split it or exclude it")
    draft = Draft()
    try:
        records = list(_records(decoded.text, name))
    except ValueError:
        return source.read(data, name, encoding)
    except RecursionError as e:
        raise Unreadable(f"JSON nested too deeply: {name}", "flatten it or exclude it") from e
    if len(records) == 1:
        value = records[0]
        if graphium.is_note(value):
            return graphium.read_note(value, name)
        if isinstance(value, list) and all(isinstance(item, dict | list) for item in value):
            records = value
    written = 0
    for record in records:
        held: list[str] = []
        for line in lines(record):
            held.append(line)
            written += 1
            if len(held) >= _LINES_A_BLOCK:
                draft.add("list", "\n".join(held))
                held = []
            if written > _MOST_LINES:
                draft.problems.append(f"only the first {_MOST_LINES} values are read")
                break
        draft.add("list", "\n".join(held))
        if written > _MOST_LINES:
            break
    return draft.reading(
        READER.id, stem_of(name), decoded.encoding, decoded.confidence, decoded.outcome, decoded.reason
    )


def _records(text: str, name: str) -> Iterator[Json]:
    """The values of the file: one, or one a line."""
    if not text.strip():
        return
    try:
        yield json.loads(text)
        return
    except ValueError:
        found = [line for line in text.split("\n") if line.strip()]
        if len(found) < 2 and not name.lower().endswith((".jsonl", ".ndjson")):
            raise
    for line in found:
        yield json.loads(line)


def lines(value: Json) -> Iterator[str]:
    """`path: value` for every value that is not a container; texts over several lines keep them."""
    stack: list[tuple[str, Json, int]] = [("", value, 0)]
    while stack:
        path, item, depth = stack.pop()
        if depth > _DEEPEST:
            raise Unreadable(f"JSON nested more than {_DEEPEST} deep at {path[:60]}", "flatten it or exclude it")
        if isinstance(item, dict):
            stack.extend((joined(path, key), inner, depth + 1) for key, inner in reversed(item.items()))
        elif isinstance(item, list):
            if item and not any(isinstance(inner, dict | list) for inner in item):
                shown = ", ".join(_shown(inner) for inner in item)
                yield f"{path}: {shown}" if path else shown
                continue
            stack.extend((path, inner, depth + 1) for inner in reversed(item))
        elif (shown := _shown(item)).strip():
            yield f"{path}: {shown}" if path else shown


def joined(path: str, key: str) -> str:
    """The path of what a key holds; of a path too long to be read, the key alone."""
    joined = f"{path}.{key}" if path else key
    return joined if len(joined) <= _LONGEST_PATH else key[:_LONGEST_PATH]


def _shown(item: Json) -> str:
    if item is None:
        return ""
    if isinstance(item, bool):
        return "true" if item else "false"
    return item if isinstance(item, str) else json.dumps(item)


READER = Reader("json", 1, frozenset({".json", ".jsonl", ".ndjson", ".geojson", ".jsonld"}), read)
