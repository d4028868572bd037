"""What a spreadsheet's cell shows: dates as dates, percentages as such, numbers as they were typed.

Number formats are read for what kind of value they show, not rendered to the last decimal: a search looks for
`2026-04-01` and `0.25`, not for a locale's way of writing them.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Literal
from xml.etree.ElementTree import Element

from inro.readers.xml_tree import attribute, below, child, children, local

Kind = Literal["number", "date", "time", "datetime", "percent"]

BUILT_IN: dict[int, Kind] = {
    9: "percent", 10: "percent",
    **dict.fromkeys((14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58), "date"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56), "time"),
    22: "datetime",
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|\*.', re.IGNORECASE)


def kinds(styles: Element | None) -> list[Kind]:
    """The kind of value of each cell style, in order."""
    codes = {attribute(f, "numFmtId"): attribute(f, "formatCode") for f in below(styles, "numFmt")}
    found: list[Kind] = []
    for style in children(child(styles, "cellXfs"), "xf"):
        number = attribute(style, "numFmtId", "0")
        code = codes.get(number)
        if code is not None:
            found.append(kind_of(code))
        else:
            found.append(BUILT_IN.get(int(number), "number") if number.isdecimal() else "number")
    return found


def kind_of(code: str) -> Kind:
    """What kind of value a number format shows."""
    bare = _LITERAL.sub("", code.split(";")[0]).lower()
    day = "y" in bare or "d" in bare or "g" in bare.replace("general", "") or "e" in bare.replace("general", "")
    if re.search(r"[0#?]", bare) and not re.search(r"[yd]", bare) and not re.search(r"h|s|:", bare):
        return "percent" if "%" in bare else "number"
    hour = "h" in bare or "s" in bare
    if day or ("m" in bare and not hour):
        return "datetime" if hour else "date"
    return "time" if hour else "percent" if "%" in bare else "number"


def number_text(raw: str, kind: Kind, from_1904: bool) -> str:
    """A stored number as text; as stored if it is none."""
    try:
        value = float(raw)
    except ValueError:
        return raw
    if kind in ("date", "datetime", "time"):
        shown = _moment(value, kind, from_1904)
        if shown:
            return shown
    if kind == "percent":
        return f"{value * 100:.10g}%"
    if abs(value) < 1e15:
        return f"{value:.0f}" if value == int(value) else f"{value:.15g}"
    return raw


def _moment(value: float, kind: Kind, from_1904: bool) -> str:
    """Days since the workbook's epoch as a date; empty if there is no such day."""
    seconds = round(value * 86400)
    if kind == "time" and 0 <= value < 1:
        return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}" + (f":{s:02d}" if (s := seconds % 60) else "")
    if not 0 <= value < 2958466:
        return ""
    # The 1900 system counts a 29 February 1900 that never was.
    epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30) if value >= 60 else datetime(1899, 12, 31)
    moment = epoch + timedelta(seconds=seconds)
    if kind == "date" or (seconds % 86400 == 0 and kind == "datetime"):
        return date.isoformat(moment.date())
    return moment.isoformat(" ", "seconds" if moment.second else "minutes")


def rich_text(element: Element | None) -> str:
    """The text of a shared or inline string, without the phonetic guide that Japanese input leaves in it."""
    parts: list[str] = []
    for part in element if element is not None else ():
        name = local(part)
        if name == "t":
            parts.append(part.text or "")
        elif name == "r":
            parts.extend(t.text or "" for t in children(part, "t"))
    return "".join(parts)
