"""Graphium notes (github.com/kumagallium/Graphium, docs/data-model): lab notes with provenance on their blocks.

The text is the note's own, each labelled block marked with its label in English and Japanese. Labels, links
and the notes this one comes from are declared fields as well, so that `material:` and `derived_from:` can be
searched by. All versions are read: block labels, inline highlights, `step` blocks. Recognised by content,
since the files are plain `.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeGuard

from inro.errors import Unreadable
from inro.readers.decode import decode
from inro.readers.draft import Draft, one_line
from inro.readers.graphium_labels import LABELS, LINKS, SHOWN, label_of, link_of
from inro.readers.reader import Reader, stem_of
from inro.records import BlockKind, Reading

_KINDS: dict[str, BlockKind] = {
    "bulletListItem": "list",
    "numberedListItem": "list",
    "checkListItem": "list",
    "codeBlock": "code",
    "quote": "quote",
}
_LINK_LISTS = ("provLinks", "knowledgeLinks", "links")
_DEEPEST = 60
_LONGEST_NAME = 80

_Object = dict[str, object]


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a note. Raises `Unreadable` if it is none."""
    try:
        value = json.loads(decode(data, name, override=encoding).text)
    except (ValueError, RecursionError) as e:
        raise Unreadable(f"damaged note: {name}", "open it in Graphium and save it again") from e
    if not is_note(value):
        raise Unreadable(f"JSON, but no Graphium note: {name}", "give it the suffix .json")
    return read_note(value, name)


def is_note(value: object) -> TypeGuard[_Object]:
    """Whether a JSON value is a note: titled pages of typed blocks, with Graphium's overlays."""
    if not isinstance(value, dict) or not isinstance(value.get("title"), str):
        return False
    pages = value.get("pages")
    if not isinstance(pages, list) or not pages:
        return False
    return all(
        isinstance(p, dict)
        and isinstance(p.get("blocks"), list)
        and ("labels" in p or any(key in p for key in _LINK_LISTS) or "version" in value)
        for p in pages
    )


def read_note(value: _Object, name: str) -> Reading:
    """Read a note that `is_note` recognised."""
    draft = Draft()
    title = _text(value, "title")
    draft.heading(1, title)
    note = _Note(draft)
    pages = _objects(value.get("pages"))
    for number, page in enumerate(pages, 1):
        note.page(page, number, titled=len(pages) > 1 or _text(page, "title") not in ("", title))
    note.lineage(value)
    for key, field in (
        ("createdAt", "created"),
        ("modifiedAt", "modified"),
        ("sourceUrl", "url"),
        ("source", "source"),
    ):
        draft.declare(field, _text(value, key))
    draft.tags.extend(t for t in _strings(value.get("contextLabels")) + _strings(value.get("tags")) if t)
    return draft.reading(READER.id, title or stem_of(name))


class _Note:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._names: dict[str, str] = {}
        self._labels: dict[str, list[str]] = {}
        self._number = 1

    def page(self, page: _Object, number: int, titled: bool) -> None:
        """Write one page: its blocks, then its links."""
        draft, self._number = self._draft, number
        if titled:
            draft.heading(2, _text(page, "title"), number)
        blocks = _objects(page.get("blocks"))
        self._learn(page, blocks)
        ocr = page.get("mediaOcr")
        for block, depth in _walk(blocks):
            self._block(block, depth)
            read = ocr.get(_text(block, "id")) if isinstance(ocr, dict) else None
            if isinstance(read, dict):
                draft.add("paragraph", _text(read, "text"), number)
        lines = [line for key in _LINK_LISTS for link in _objects(page.get(key)) if (line := self._link(link))]
        draft.add("list", "\n".join(lines), number)

    def lineage(self, note: _Object) -> None:
        """Write where the note comes from and which notes it links to."""
        draft = self._draft
        lines: list[str] = []
        for key, kind in (("derivedFromNoteId", "derived_from"), ("partOfPlanNoteId", "part_of_plan")):
            target = _text(note, key)
            if target:
                draft.declare(kind, target)
                lines.append(f"- {LINKS.get(kind, kind)}: {target}")
        for link in _objects(note.get("noteLinks")):
            target = _text(link, "targetNoteId")
            kind = link_of(_text(link, "type") or "reference")
            if target:
                draft.declare(kind, target)
                source = self._names.get(_text(link, "sourceBlockId"), "")
                lines.append(f"- {source + ' ' if source else ''}{LINKS.get(kind, kind)}: {target}")
        draft.add("list", "\n".join(lines))

    def _learn(self, page: _Object, blocks: list[_Object]) -> None:
        """Names of blocks, and the labels on them: of the block, of a file, of stretches of its text."""
        for block, _ in _walk(blocks):
            self._names[_text(block, "id")] = _short(_content(block))
            if _text(block, "type") == "step":
                self._mark(_text(block, "id"), "procedure", _content(block))
            for label, words in _inline_labels(block.get("content")):
                self._mark(_text(block, "id"), label, words)
        tables = {_text(b, "id"): list(_table_rows(b)) for b, _ in _walk(blocks) if _text(b, "type") == "table"}
        labels = page.get("labels")
        for block_id, raw in labels.items() if isinstance(labels, dict) else ():
            if not isinstance(raw, str):
                continue
            rows = tables.get(block_id, [])
            for words in _entities(rows, label_of(raw)) if len(rows) > 1 else [self._names.get(block_id, "")]:
                self._mark(block_id, label_of(raw), words, whole=True)
        for highlight in _objects(page.get("highlights")):
            self._mark(_text(highlight, "blockId"), label_of(_text(highlight, "label")), _text(highlight, "text"))
        media = page.get("mediaInlineLabels")
        for block_id, entry in media.items() if isinstance(media, dict) else ():
            if isinstance(entry, dict):
                self._mark(block_id, label_of(_text(entry, "label")), self._names.get(block_id, ""))

    def _mark(self, block_id: str, label: str, words: str, whole: bool = False) -> None:
        """Note a label on a block, or on these words of it."""
        if not label:
            return
        if label in LABELS:
            self._draft.declare(label, _short(words))
        else:
            self._draft.tags.append(label)
        self._draft.declare("label", label)
        shown = SHOWN.get(label, label)
        whole = whole or not words or _short(words) == self._names.get(block_id, "")
        mark = shown if whole else f"{shown}: {_short(words)}"
        marks = self._labels.setdefault(block_id, [])
        if mark not in marks:
            marks.append(mark)

    def _block(self, block: _Object, depth: int) -> None:
        draft, kind = self._draft, _text(block, "type")
        marks = self._labels.get(_text(block, "id"), [])
        words = _content(block)
        label = f"[{'; '.join(marks)}]" if marks else ""
        props = block.get("props")
        if kind in ("heading", "step") and words.strip():
            level = props.get("level") if isinstance(props, dict) else None
            draft.heading((level if isinstance(level, int) else 2) + 1, words, self._number)
            draft.add("paragraph", label, self._number)
            return
        if kind == "table":
            rows = [one_line(row) for row in _table_rows(block)]
            draft.add("table", "\n".join(filter(None, (label, *rows))), self._number)
            return
        if isinstance(props, dict) and not words:
            words = " ".join(filter(None, (_text(props, "caption"), _text(props, "name"), _text(props, "title"))))
        mark = "- " if _KINDS.get(kind) == "list" and words else ""
        text = "  " * depth + mark + words if words else ""
        span = draft.add(_KINDS.get(kind, "paragraph"), f"{text} {label}".rstrip() if label else text, self._number)
        if isinstance(props, dict):
            draft.link("url", _text(props, "url"), span)

    def _link(self, link: _Object) -> str:
        kind = link_of(_text(link, "type") or "reference")
        start = self._names.get(_text(link, "sourceBlockId"), "")
        end = (
            self._names.get(_text(link, "targetBlockId"), "")
            or _text(link, "targetEntityLabel")
            or _text(link, "targetNoteTitle")
        )
        note = _text(link, "targetNoteId")
        end = " ".join(filter(None, (end, f"({note})" if note else "")))
        if not start and not end:
            return ""
        self._draft.declare(kind, end or start)
        return f"- {start} — {LINKS.get(kind, kind)} → {end}".strip()


def _walk(blocks: list[_Object], depth: int = 0) -> Iterator[tuple[_Object, int]]:
    for block in blocks:
        yield block, depth
        if depth < _DEEPEST:
            yield from _walk(_objects(block.get("children")), depth + 1)


def _content(block: _Object) -> str:
    """The words of a block."""
    content = block.get("content")
    if not content and isinstance(block.get("props"), dict):
        props = block["props"]
        if _text(block, "type") == "step" and isinstance(props, dict):
            return _text(props, "title") or _text(props, "name")
    if isinstance(content, dict):
        return " / ".join(line for row in _table_rows(block) if (line := one_line(row)))
    return _inline(content)


def _inline(content: object, depth: int = 0) -> str:
    """Inline content: styled text, links and chips."""
    if isinstance(content, str):
        return content
    parts: list[str] = []
    for item in content if isinstance(content, list) and depth < _DEEPEST else ():
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, dict):
            props = item.get("props")
            inner = _text(item, "text") or _inline(item.get("content"), depth + 1)
            if not inner and isinstance(props, dict):
                inner = _text(props, "label") or _text(props, "title") or _text(props, "text")
            parts.append(inner)
    return "".join(parts)


def _inline_labels(content: object) -> Iterator[tuple[str, str]]:
    """(label, words) of stretches that carry a label as a style."""
    for item in content if isinstance(content, list) else ():
        styles = item.get("styles") if isinstance(item, dict) else None
        for key, raw in styles.items() if isinstance(styles, dict) else ():
            if "label" in str(key).lower() and isinstance(raw, str) and isinstance(item, dict):
                # The style's value is `label:entity` or the label alone.
                label = label_of(raw.split(":")[0].split("|")[0])
                if label in LABELS:
                    yield label, _text(item, "text")


def _table_rows(block: _Object) -> Iterator[list[str]]:
    content = block.get("content")
    for row in _objects(content.get("rows")) if isinstance(content, dict) else ():
        cells = row.get("cells")
        yield [
            _inline(cell.get("content") if isinstance(cell, dict) else cell)
            for cell in (cells if isinstance(cells, list) else ())
        ]


def _entities(rows: list[list[str]], label: str) -> list[str]:
    """What a labelled table names: its rows by their first cell, or, of attributes, `key=value` of its first row."""
    if label == "attribute":
        return [f"{key}={value}" for key, value in zip(rows[0], rows[1], strict=False) if key and value]
    return [row[0] for row in rows[1:] if row and row[0]]


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"


def _objects(value: object) -> list[_Object]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _text(value: _Object, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""


READER = Reader("graphium", 1, frozenset({".graphium"}), read)
