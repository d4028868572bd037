"""YAML frontmatter: the block between `---` lines that heads a note, as declared fields.

Values stay as written (`2026-04-01`, `007` and `yes` are text, not a date, a number and a truth). The YAML is
read as a stream of events with limits on size, depth and count; anchors and tags build nothing. Nested maps
become dotted keys. A `[[Note]]` written without quotation marks, which YAML takes for nested lists, is a link
again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from inro.readers.headers import add_field

_LARGEST = 64 * 1024
_DEEPEST = 12
_MOST_EVENTS = 20000
_LONGEST_KEY = 120
_FENCE = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What stands at the top of a note."""

    end: int
    """Offset in the text at which the body begins; 0 if there is no frontmatter."""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problem: str = ""
    """Why the block could not be read; it is then ordinary text."""


class _Refused(ValueError):
    """The block is YAML, but not such as a note declares."""


def read_frontmatter(text: str) -> Frontmatter:
    """The frontmatter of a note's text (line ends `\\n`)."""
    opening = _FENCE.match(text)
    if opening is None:
        return Frontmatter(0)
    closing = _CLOSE.search(text, opening.end())
    if closing is None:
        return Frontmatter(0)
    end = min(closing.end() + 1, len(text))
    inner = text[opening.end() : closing.start()]
    if not inner.strip():
        return Frontmatter(end)
    if len(inner) > _LARGEST:
        return Frontmatter(end, {}, f"frontmatter is longer than {_LARGEST // 1024} KB")
    try:
        value = _document(inner)
    except yaml.MarkedYAMLError as e:
        line = e.problem_mark.line + 2 if e.problem_mark else 1
        return Frontmatter(end, {}, f"frontmatter is not valid YAML: line {line}, {e.problem or 'cannot be read'}")
    except yaml.YAMLError:
        return Frontmatter(end, {}, "frontmatter is not valid YAML: it holds characters that YAML forbids")
    except _Refused as e:
        return Frontmatter(end, {}, f"frontmatter is refused: {e}")
    if not isinstance(value, dict):
        return Frontmatter(end, {}, "frontmatter holds no `key: value` lines")
    fields: dict[str, tuple[str, ...]] = {}
    for key, item in value.items():
        _flatten(fields, key, item)
    return Frontmatter(end, fields)


_Value = str | list["_Value"] | dict[str, "_Value"]


def _document(source: str) -> _Value:
    """The first YAML document of the source, of strings, lists and maps only."""
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    events = _limited(yaml.parse(source, Loader=loader))
    for event in events:
        if isinstance(event, yaml.NodeEvent):
            return _node(event, events, 0)
    return ""


def _limited(events: Iterator[yaml.Event]) -> Iterator[yaml.Event]:
    for count, event in enumerate(events):
        if count > _MOST_EVENTS:
            raise _Refused("too many entries")
        yield event


def _node(event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> _Value:
    if depth > _DEEPEST:
        raise _Refused("nested too deeply")
    if isinstance(event, yaml.ScalarEvent):
        value: str = event.value
        return value
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[_Value] = []
        for inner in events:
            if isinstance(inner, yaml.SequenceEndEvent):
                break
            items.append(_node(inner, events, depth + 1))
        return items
    if isinstance(event, yaml.MappingStartEvent):
        pairs: dict[str, _Value] = {}
        for inner in events:
            if isinstance(inner, yaml.MappingEndEvent):
                break
            key = _node(inner, events, depth + 1)
            item = _node(next(events), events, depth + 1)
            if isinstance(key, str) and len(key) <= _LONGEST_KEY:
                pairs[key] = item
        return pairs
    if isinstance(event, yaml.AliasEvent):
        raise _Refused("it uses aliases")
    return ""


def _flatten(fields: dict[str, tuple[str, ...]], key: str, value: _Value) -> None:
    if isinstance(value, dict):
        for inner, item in value.items():
            _flatten(fields, f"{key}.{inner}", item)
    elif isinstance(value, list):
        add_field(fields, key, _texts(value))
    else:
        add_field(fields, key, _texts([value]))


def _texts(values: list[_Value]) -> list[str]:
    texts: list[str] = []
    for value in values:
        if isinstance(value, str):
            if value.strip():
                texts.append(value.strip())
        elif isinstance(value, list):
            link = _wikilink(value)
            texts.extend([link] if link else _texts(value))
        else:
            texts.extend(f"{k}: {v}" for k, item in value.items() for v in _texts([item]))
    return texts


def _wikilink(value: list[_Value]) -> str:
    """`[[Note]]` that YAML read as a list in a list; the outer list is one of the values already."""
    if len(value) == 1 and isinstance(value[0], str):
        return f"[[{value[0]}]]"
    return ""
