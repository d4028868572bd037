"""YAML as lines a person can read and a search can find, like those of JSON: `sample.mass: 1.2  # dried`.

Values stay as written; comments stand where they stood. The file is read as a stream of events, so tags build
nothing. An alias is what its anchor holds, `<<` merged, until the whole has become too large: the rest of them stay
names. What is no YAML after all, as templates are, is read as plain source, and the reading says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import yaml

from inro.errors import Unreadable
from inro.readers import source
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.json_text import joined
from inro.readers.reader import Reader
from inro.records import Reading

_LARGEST = 16 * 1024 * 1024
_DEEPEST = 60
_MOST_VALUES = 500_000
_MOST_ALIASED = 20_000
"""Values that aliases may stand for, in all."""
_LINES_A_BLOCK = 60
_MOST_FIELDS, _LONGEST_FIELD = 40, 500
_MERGE = "<<"


@dataclass(slots=True)
class _Node:
    """A value with its line from 0: a text, a list, or pairs of a key and a value."""

    line: int
    text: str | None = None
    comment: str = ""
    items: list[_Node] = field(default_factory=list)
    pairs: list[tuple[str, _Node]] | None = None
    size: int = 1
    """Values in it, those behind aliases counted each time."""


class _Refused(ValueError):
    """It is YAML, but not such as a person writes."""


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a YAML file. Raises `Unreadable` if it is not text, or too large."""
    decoded = decode(data, name, override=encoding)
    if len(decoded.text) > _LARGEST:
        raise Unreadable(f"YAML larger than {_LARGEST // 1048576} MB: {name}", "split it or exclude it")
    parser = _Parser(decoded.text)
    try:
        records = parser.documents()
    except yaml.MarkedYAMLError as e:
        line = f"line {e.problem_mark.line + 1}, " if e.problem_mark else ""
        return as_source(data, name, encoding, f"not valid YAML ({line}{e.problem or 'cannot be read'})")
    except yaml.YAMLError:
        return as_source(data, name, encoding, "not valid YAML (it holds characters that YAML forbids)")
    except _Refused as e:
        return as_source(data, name, encoding, f"YAML {e}")
    draft = Draft()
    if len(records) == 1:
        front = records[0].pairs or []
        declare_front(draft, [(key, [one.text for one in ([node] if node.text is not None else node.items)])
                              for key, node in front])  # fmt: skip
    write_blocks(draft, parser.merged(records))
    if parser.named:
        draft.problems.append(f"{parser.named:,} aliases stay names: they stand for themselves or for too much")
    title = draft.declared("title") or name.replace("\\", "/").rsplit("/", 1)[-1]
    return draft.reading(READER.id, title, decoded.encoding, decoded.confidence, decoded.outcome, decoded.reason)


def as_source(data: bytes, name: str, encoding: str | None, why: str) -> Reading:
    """The file as source, of which `why` says what it is not."""
    reading = source.read(data, name, encoding)
    reason = "; ".join(part for part in (reading.reason, f"{why}: read as plain text") if part)
    return Reading(
        reading.text, reading.title, reading.blocks, reading.reader,
        encoding=reading.encoding, confidence=reading.confidence, outcome="partial", reason=reason,
    )  # fmt: skip


def declare_front(draft: Draft, front: list[tuple[str, list[str | None]]]) -> None:
    """Declare the short texts that stand at the top level of a file, as the frontmatter of a note does."""
    for key, values in front[:_MOST_FIELDS]:
        told = [value for value in values if value is not None]
        if len(told) == len(values) and sum(map(len, told)) <= _LONGEST_FIELD:
            draft.declare(key, *told)


def write_blocks(draft: Draft, groups: Iterator[list[str]]) -> None:
    """Write lines in blocks: each group begins one, and none has too many."""
    for lines in groups:
        for at in range(0, len(lines), _LINES_A_BLOCK):
            draft.add("list", "\n".join(lines[at : at + _LINES_A_BLOCK]))


class _Parser:
    """The nodes of one text and its comments."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._text = text
        self._anchors: dict[str, _Node] = {}
        self._inside: set[int] = set()
        """Lines that belong to a text of several lines, where `#` is no comment."""
        self._count = self._aliased = 0
        self.named = 0
        """Aliases that stay names."""

    def documents(self) -> list[_Node]:
        """The documents of the text; of one that is a list of containers, its members."""
        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        events = yaml.parse(self._text, Loader=loader)
        found: list[_Node] = []
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._anchors = {}
            elif isinstance(event, yaml.NodeEvent):
                found.append(self._node(event, events, 0))
        if len(found) == 1 and found[0].items and all(one.text is None for one in found[0].items):
            return found[0].items
        return found

    def merged(self, records: list[_Node]) -> Iterator[list[str]]:
        """The lines of each record, with the comments that stand before and in it."""
        comments = [(n, s) for n, line in enumerate(self._lines) if (s := line.strip()).startswith("#")]
        comments = [(n, s) for n, s in comments if n not in self._inside and s.strip("#-=* \t")]
        ends = [*(after.line for _, after in pairwise(records)), len(self._lines)][-len(records) :] if records else []
        at = 0
        for record, end in zip(records, ends, strict=True):
            lines: list[str] = []
            # Of a comment above a record only its place tells whose it is.
            for line, text in _emitted(record, ""):
                while at < len(comments) and comments[at][0] <= line:
                    lines.append(comments[at][1])
                    at += 1
                lines.append(text)
            while at < len(comments) and (comments[at][0] < end and not self._heads(comments[at][0], end)):
                lines.append(comments[at][1])
                at += 1
            yield lines
        yield [text for _, text in comments[at:]]

    def _heads(self, line: int, end: int) -> bool:
        """Whether nothing but comments stands between a line and the record that begins at `end`."""
        return end < len(self._lines) and all(
            s.startswith("#") or s == "---" for one in self._lines[line:end] if (s := one.strip()) or not s
        )

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> _Node:
        self._count += 1
        if self._count > _MOST_VALUES:
            raise _Refused(f"of more than {_MOST_VALUES:,} values")
        if depth > _DEEPEST:
            raise _Refused(f"nested more than {_DEEPEST} deep")
        start = event.start_mark.line if event.start_mark is not None else 0
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event.anchor or "", start)
        node = _Node(start)
        if isinstance(event, yaml.ScalarEvent):
            node.text = event.value.strip()
            node.comment = self._beside(start, event.end_mark)
        elif isinstance(event, yaml.SequenceStartEvent):
            for inner in events:
                if isinstance(inner, yaml.SequenceEndEvent):
                    break
                node.items.append(self._node(inner, events, depth + 1))
            node.size += sum(one.size for one in node.items)
        elif isinstance(event, yaml.MappingStartEvent):
            node.pairs = []
            for inner in events:
                if isinstance(inner, yaml.MappingEndEvent):
                    break
                key = self._node(inner, events, depth + 1)
                value = self._node(next(events), events, depth + 1)
                merged = _bases(value) if key.text == _MERGE else None
                node.pairs.extend(merged if merged is not None else [(_key(key), value)])
            node.size += sum(one.size for _, one in node.pairs)
        anchor = getattr(event, "anchor", None)
        if anchor:
            self._anchors[anchor] = node
        return node

    def _beside(self, start: int, end: Any) -> str:
        """The comment that ends the line of a text; the lines of a longer text are noted as its own."""
        if end is None:
            return ""
        self._inside.update(range(start + 1, end.line + (1 if end.column else 0)))
        rest = self._lines[end.line][end.column :].strip() if start == end.line < len(self._lines) else ""
        return rest if rest.startswith("#") else ""

    def _alias(self, anchor: str, line: int) -> _Node:
        known = self._anchors.get(anchor)
        if known is None or self._aliased + known.size > _MOST_ALIASED:
            self.named += 1
            return _Node(line, f"*{anchor}")
        self._aliased += known.size
        return _Node(line, known.text, "", known.items, known.pairs, known.size)


def _bases(value: _Node) -> list[tuple[str, _Node]] | None:
    """The pairs that `<<` merges; None if its value is nothing to be merged."""
    bases = [value] if value.pairs is not None else value.items
    if not bases or any(one.pairs is None for one in bases):
        return None
    # What is merged stands where `<<` does, not where its anchor is.
    return [(key, _Node(value.line, n.text, "", n.items, n.pairs, n.size)) for b in bases for key, n in b.pairs or ()]


def _key(node: _Node) -> str:
    return node.text if node.text is not None else ", ".join(text for _, text in _emitted(node, ""))[:200]


def _emitted(node: _Node, path: str) -> Iterator[tuple[int, str]]:
    """(line, `path: value`) for every value that is not a container, in order; lines never go back."""
    stack = [(path, node, node.line)]
    while stack:
        path, one, least = stack.pop()
        line = max(one.line, least)
        if one.text is not None:
            comment = f"  {one.comment}" if one.comment else ""
            if one.text or path:
                yield line, f"{path}: {one.text}{comment}".rstrip() if path else f"{one.text}{comment}"
        elif one.pairs is not None:
            stack.extend((joined(path, key), inner, line) for key, inner in reversed(one.pairs))
        elif one.items and all(inner.text is not None and not inner.comment for inner in one.items):
            shown = ", ".join(inner.text for inner in one.items if inner.text)
            yield line, f"{path}: {shown}" if path else shown
        else:
            stack.extend((path, inner, line) for inner in reversed(one.items))


READER = Reader("yaml", 1, frozenset({".yaml", ".yml"}), read, isolated=True)
