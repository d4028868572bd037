"""What an OLE compound file says of itself: its summary properties ([MS-OLEPS]), as far as readers declare them.

Read here and not by olefile, which believes a count of four thousand million values that a damaged file states.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta

from inro.readers.charsets import python_codec
from inro.readers.mail_headers import bytes_text

STREAM = "\x05SummaryInformation"
_NAMES = {2: "title", 4: "author", 3: "subject", 5: "keywords", 6: "description", 12: "created", 13: "modified",
    8: "editor"}  # fmt: skip
"""Property ids, by the names under which Office Open XML packages declare the same."""
_CODE_PAGE = 1
_CODECS = {65001: "utf-8", 1200: "utf-16-le", 10000: "mac_roman", 10001: "shift_jis", 936: "gb18030"}
_NARROW, _WIDE, _TIME, _SHORT = 0x1E, 0x1F, 0x40, 0x02
_MOST = 200
_LONGEST = 8000
_TICKS = 10_000_000


def summary(data: bytes) -> dict[str, str]:
    """The properties that are texts and times by their names; what is damaged is left out."""
    if len(data) < 48:
        return {}
    begin = struct.unpack_from("<I", data, 44)[0]
    if begin + 8 > len(data):
        return {}
    count = min(struct.unpack_from("<I", data, begin + 4)[0], _MOST, (len(data) - begin - 8) // 8)
    places = dict(struct.iter_unpack("<II", data[begin + 8 : begin + 8 + 8 * count]))
    codec = _codec(data, begin + places.get(_CODE_PAGE, len(data)))
    told = {name: _value(data, begin + places[number], codec) for number, name in _NAMES.items() if number in places}
    return {name: value for name, value in told.items() if value.strip()}


def _codec(data: bytes, at: int) -> str | None:
    if at + 6 > len(data):
        return None
    kind, page = struct.unpack_from("<IH", data, at)
    return python_codec(_CODECS.get(page, f"cp{page}")) if kind == _SHORT else None


def _value(data: bytes, at: int, codec: str | None) -> str:
    if at + 8 > len(data):
        return ""
    kind, size = struct.unpack_from("<II", data, at)
    start = at + 8
    if kind == _NARROW:
        raw = data[start : start + min(size, _LONGEST)]
        if codec == "utf-16-le":
            return raw[: len(raw) // 2 * 2].decode(codec, "replace").split("\0")[0]
        return bytes_text(raw.split(b"\0")[0], codec)
    if kind == _WIDE:
        raw = data[start : start + 2 * min(size, _LONGEST)]
        return raw[: len(raw) // 2 * 2].decode("utf-16-le", "replace").split("\0")[0]
    if kind == _TIME and at + 12 <= len(data):
        seconds = struct.unpack_from("<Q", data, at + 4)[0] // _TICKS
        # A time that never was is a zero, and spans of time are kept as times of the year 1601.
        if 366 * 86400 < seconds < 400 * 366 * 86400 * 2:
            return (datetime(1601, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat(" ", "seconds")
    return ""
