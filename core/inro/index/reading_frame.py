"""A reading as it travels from the process that made it: a header, the text as UTF-8, the blocks as numbers.

What arrives is checked like a stranger's file, since the process that sent it has just parsed one. Knows nothing
of processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from inro.records import Block, BlockKind, Link, LinkKind, Outcome, Reading

_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
_NO_PAGE = -1
_PLAIN = ("title", "reader", "encoding", "outcome", "reason", "mend")


def pack(reading: Reading, characters: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Header and arrays of a reading, its text cut to at most so many characters."""
    reading = _cut(reading, characters)
    header: dict[str, Any] = {name: getattr(reading, name) for name in _PLAIN}
    header |= {
        "confidence": reading.confidence,
        "fields": reading.fields,
        "tags": reading.tags,
        "links": [(link.kind, link.target, link.start, link.end) for link in reading.links],
        "labels": [block.label for block in reading.blocks if block.kind == "heading"],
    }
    blocks = [
        (_KINDS.index(b.kind), b.start, b.end, b.level, _NO_PAGE if b.page is None else b.page) for b in reading.blocks
    ]
    text = np.frombuffer(reading.text.encode("utf-8", "replace"), np.uint8)
    return header, [text, np.array(blocks, np.int64).reshape(-1, 5)]


def unpack(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> Reading:
    """The reading that was packed.

    Raises:
        ValueError: what arrived is not a reading.
    """
    text, rows = arrays
    if text.dtype != np.uint8 or rows.dtype != np.int64 or rows.ndim != 2 or rows.shape[1] != 5:
        raise ValueError("arrays of another kind")
    words = {name: _text(header.get(name)) for name in _PLAIN}
    outcome = words.pop("outcome")
    if outcome not in get_args(Outcome):
        raise ValueError(f"an outcome that there is not: {outcome!r}")
    whole = text.tobytes().decode("utf-8")
    fields = header.get("fields")
    if not isinstance(fields, dict):
        raise ValueError("fields that are none")
    return Reading(
        text=whole,
        blocks=_blocks(rows, _texts(header.get("labels")), len(whole)),
        fields={key: _texts(values) for key, values in fields.items()},
        tags=_texts(header.get("tags")),
        links=tuple(_link(link, len(whole)) for link in header.get("links", ())),
        confidence=min(max(float(header.get("confidence", 1.0)), 0.0), 1.0),
        outcome=outcome,  # type: ignore[arg-type]
        **words,
    )


def _cut(reading: Reading, characters: int) -> Reading:
    if len(reading.text) <= characters:
        return reading
    reason = f"only the first {characters:,} of {len(reading.text):,} characters are kept"
    return replace(
        reading,
        text=reading.text[:characters],
        blocks=tuple(replace(b, end=min(b.end, characters)) for b in reading.blocks if b.start < characters),
        links=tuple(link for link in reading.links if link.end <= characters),
        outcome="partial",
        reason=f"{reading.reason}; {reason}" if reading.reason else reason,
        mend=reading.mend or "split the file into smaller ones",
    )


def _blocks(rows: NDArray[np.int64], labels: tuple[str, ...], length: int) -> tuple[Block, ...]:
    starts, ends = rows[:, 1], rows[:, 2]
    if len(rows) and not (
        starts[0] >= 0 and (starts <= ends).all() and (ends[:-1] <= starts[1:]).all() and ends[-1] <= length
    ):
        raise ValueError("blocks out of order")
    left = iter(labels)
    made: list[Block] = []
    for kind, start, end, level, page in rows.tolist():
        name: BlockKind = _KINDS[kind] if 0 <= kind < len(_KINDS) else "paragraph"
        label = next(left, "") if name == "heading" else ""
        made.append(Block(name, start, end, level, page if page >= 0 else None, label))
    return tuple(made)


def _link(value: object, length: int) -> Link:
    match value:
        case [str(kind), str(target), int(start), int(end)] if 0 <= start <= end <= length:
            if kind in get_args(LinkKind):
                return Link(kind, target, start, end)  # type: ignore[arg-type]
    raise ValueError("a link that is none")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"not text: {value!r:.80}")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"not a list of texts: {value!r:.80}")
    return tuple(value)
