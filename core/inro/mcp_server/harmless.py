"""Records on their way out: as plain JSON values, with nothing in a text that could act on who reads it.

Rule: a character that could act (controls, reversed reading, the invisible tag letters in which orders are hidden) is
replaced by one that cannot, never removed, so that every offset stays right. Line feeds and tabs are text.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"\s+")
_DECIMALS = 6


def harmless(text: str) -> str:
    """The text, as long as it was, with what could act replaced."""
    return _ACTING.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """As `harmless`, every run of white space one space."""
    return _SPACES.sub(" ", harmless(text)).strip()


def plain(value: object) -> Any:
    """Records, mappings and sequences as JSON has them, every text in them harmless; NaN and infinity are None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {harmless(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, float):
        return round(value, _DECIMALS) if math.isfinite(value) else None
    assert value is None or isinstance(value, int), type(value)
    return value


def only(record: object, shape: dict[str, Any]) -> dict[str, Any]:
    """Of a record, plain, what the JSON schema of an object names."""
    return {name: plain(getattr(record, name)) for name in shape["properties"]}
