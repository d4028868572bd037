"""List and clause numbers that a Word document shows but does not hold: `第3条`, `2.1`, `(a)`.

Contracts are cited by these numbers, so they are counted as Word counts them and written into the text.
Knows numbering definitions; the caller walks the paragraphs in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from inro.readers.package import on
from inro.readers.xml_tree import attribute, child, children

_PLACE = re.compile(r"%([1-9])")
_KANJI = "〇一二三四五六七八九"
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"


@dataclass(slots=True)
class _Level:
    form: str
    shape: str
    start: int
    legal: bool


class Numbering:
    """The counters of one document."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[tuple[str, int], _Level] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        shapes = {attribute(a, "abstractNumId"): a for a in children(root, "abstractNum")}
        for number in children(root, "num"):
            num = attribute(number, "numId")
            of = child(number, "abstractNumId")
            abstract = attribute(of, "val") if of is not None else ""
            self._abstract[num] = abstract
            for level in children(shapes.get(abstract), "lvl"):
                self._define(num, level)
            for override in children(number, "lvlOverride"):
                for level in children(override, "lvl"):
                    self._define(num, level)

    def _define(self, num: str, level: Element) -> None:
        depth = _whole(attribute(level, "ilvl"), 0)
        form, shape, start = child(level, "numFmt"), child(level, "lvlText"), child(level, "start")
        self._levels[num, depth] = _Level(
            attribute(form, "val", "decimal") if form is not None else "decimal",
            attribute(shape, "val") if shape is not None else "",
            _whole(attribute(start, "val"), 1) if start is not None else 1,
            on(child(level, "isLgl")),
        )

    def next(self, num: str, depth: int) -> str:
        """The mark of the next paragraph of this list at this depth; empty if it shows none."""
        level = self._levels.get((num, depth))
        if level is None or level.form == "none":
            return ""
        if level.form == "bullet":
            return "-"
        counts = self._counts.setdefault(self._abstract.get(num, num), {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [d for d in counts if d > depth]:
            del counts[deeper]

        def place(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            of = self._levels.get((num, at))
            if of is None:
                return ""
            return spell(counts.get(at, of.start), "decimal" if level.legal else of.form)

        return _PLACE.sub(place, level.shape).strip()


def spell(number: int, form: str) -> str:
    """A number in one of the forms that office programs count in; digits for those not known here."""
    if number < 1 or number > 9999:
        return str(number)
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman if form == "upperRoman" else roman.lower()
    if form in ("iroha", "irohaFullWidth"):
        return _IROHA[(number - 1) % len(_IROHA)]
    if form in ("aiueo", "aiueoFullWidth"):
        return _AIUEO[(number - 1) % len(_AIUEO)]
    if form.startswith("decimalEnclosedCircle") and number <= 20:
        return chr(0x2460 + number - 1)
    if form == "decimalFullWidth":
        return "".join(chr(ord(d) - 0x30 + 0xFF10) for d in str(number))
    if form in ("japaneseCounting", "chineseCounting", "chineseCountingThousand", "taiwaneseCountingThousand"):
        return _kanji(number)
    if form in ("ideographDigital", "japaneseDigitalTenThousand", "taiwaneseDigital"):
        return "".join(_KANJI[int(d)] for d in str(number))
    if form == "decimalZero":
        return f"{number:02d}"
    return str(number)


def _roman(number: int) -> str:
    out = ""
    for value, sign in (
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ):  # fmt: skip
        out += sign * (number // value)
        number %= value
    return out


def _kanji(number: int) -> str:
    out = ""
    for value, sign in ((1000, "千"), (100, "百"), (10, "十")):
        digit, number = divmod(number, value)
        if digit:
            out += (_KANJI[digit] if digit > 1 else "") + sign
    return out + (_KANJI[number] if number else "")


def _whole(value: str, usual: int) -> int:
    return int(value) if re.fullmatch(r"-?\d{1,6}", value) else usual
