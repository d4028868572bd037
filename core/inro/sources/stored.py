"""The rules of a source as the library keeps them: JSON, which may come from a stranger or a newer release."""

from __future__ import annotations

import json
from dataclasses import asdict

from inro.records import Rules

UNSEEN = -1
"""The size that is stored of a file which the walk left out."""


def write_rules(rules: Rules) -> str:
    """Rules as a source keeps them."""
    return json.dumps(asdict(rules), ensure_ascii=False)


def read_rules(stored: str) -> Rules:
    """Rules from their stored form; what a stranger's file or a newer release put there is ignored."""
    try:
        values = json.loads(stored) if stored else {}
    except (ValueError, RecursionError):
        return Rules()
    if not isinstance(values, dict):
        return Rules()
    usual = Rules()
    return Rules(
        include=_strings(values.get("include")),
        exclude=_strings(values.get("exclude")),
        hidden=values.get("hidden") is True,
        ignore_files=values.get("ignore_files") is not False,
        max_bytes=_positive(values.get("max_bytes"), usual.max_bytes),
        encodings=tuple((pair[0], pair[1]) for pair in map(_strings, _list(values.get("encodings"))) if len(pair) == 2),
    )


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in _list(value) if isinstance(item, str))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _positive(value: object, usual: int) -> int:
    return value if isinstance(value, int) and value > 0 else usual
