"""JSON Canvas boards (https://jsoncanvas.org/spec/1.0): cards, files, groups, and what is joined to what.

Cards are read from top to bottom within their group; a group is a heading. Arrows are lines that name both
ends, so that `A -> B` is found by either; files and addresses are links.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeGuard

from inro.errors import Unreadable
from inro.readers import markdown
from inro.readers.decode import decode
from inro.readers.draft import Draft
from inro.readers.reader import Reader, stem_of
from inro.records import Reading

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class _Node:
    id: str
    kind: str
    words: str
    x: float
    y: float
    width: float
    height: float
    file: str


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a board. Raises `Unreadable` if it is none."""
    try:
        value = json.loads(decode(data, name, override=encoding).text or "{}")
    except (ValueError, RecursionError) as e:
        raise Unreadable(f"damaged board: {name}", "open it and save it again") from e
    if not is_board(value) and value != {}:
        raise Unreadable(f"JSON, but no board: {name}", "give it the suffix .json")
    return read_board(value, name)


def is_board(value: object) -> TypeGuard[dict[str, object]]:
    """Whether a JSON value is a board: lists of nodes and edges, each node placed."""
    if not isinstance(value, dict) or not isinstance(value.get("nodes"), list):
        return False
    nodes = [n for n in value["nodes"] if isinstance(n, dict)]
    placed = all({"id", "type", "x", "y"} <= n.keys() for n in nodes)
    return placed and (bool(nodes) or isinstance(value.get("edges"), list))


def read_board(value: dict[str, object], name: str) -> Reading:
    """Read a board."""
    nodes = [_node(n) for n in _dicts(value.get("nodes"))]
    draft = Draft()
    groups = [n for n in nodes if n.kind == "group"]
    cards = sorted((n for n in nodes if n.kind != "group"), key=lambda n: (n.y, n.x))
    held: dict[str, list[_Node]] = {g.id: [] for g in groups}
    loose: list[_Node] = []
    for card in cards:
        inside = [g for g in groups if g.x <= card.x < g.x + g.width and g.y <= card.y < g.y + g.height]
        smallest = min(inside, key=lambda g: g.width * g.height, default=None)
        (held[smallest.id] if smallest else loose).append(card)
    for card in loose:
        _card(draft, card, 0)
    for group in sorted(groups, key=lambda g: (g.y, g.x)):
        draft.heading(1, group.words or "Group")
        for card in held[group.id]:
            _card(draft, card, 1)
    names = {n.id: _short(n) for n in nodes}
    arrows = [a for e in _dicts(value.get("edges")) if (a := _arrow(e, names))]
    draft.add("list", "\n".join(arrows))
    return draft.reading(READER.id, stem_of(name))


def _card(draft: Draft, card: _Node, under: int) -> None:
    if card.kind == "text":
        draft.embed(markdown.read_text(card.words, "card.md"), under=under)
    elif card.kind == "file":
        draft.link("embed", card.file, draft.add("paragraph", card.file))
    elif card.kind == "link":
        draft.link("url", card.file, draft.add("paragraph", card.file))


def _arrow(edge: dict[str, object], names: dict[str, str]) -> str:
    start, end = names.get(_text(edge, "fromNode"), ""), names.get(_text(edge, "toNode"), "")
    if not start or not end:
        return ""
    label = _text(edge, "label")
    both = _text(edge, "fromEnd") == "arrow"
    none = _text(edge, "toEnd") == "none"
    mark = "—" if none and not both else "<->" if both and not none else "<-" if both else "->"
    return f"- {start} {mark} {end}" + (f": {label}" if label else "")


def _short(node: _Node) -> str:
    words = node.file or node.words
    line = next((w.strip("# ") for w in words.split("\n") if w.strip("# ")), "")
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"


def _node(value: dict[str, object]) -> _Node:
    kind = _text(value, "type")
    file = _text(value, "file") + _text(value, "subpath") if kind == "file" else _text(value, "url")
    words = _text(value, "label") if kind == "group" else _text(value, "text")
    x, y, width, height = (_number(value.get(k)) for k in ("x", "y", "width", "height"))
    return _Node(_text(value, "id"), kind, words, x, y, width, height, file)


def _dicts(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: dict[str, object], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else 0.0


READER = Reader("canvas", 1, frozenset({".canvas"}), read)
