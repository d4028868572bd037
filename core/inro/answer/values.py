"""Numbers, quantities and dates in running text, made comparable.

`0.3 MPa` equals `300 kPa`, `三十` equals `30`, `１２` equals `12`, `1,200` equals `1200`, `令和8年` is 2026, and
`12 April 2026` is `2026-04-12`. Rule: nothing is rounded; 29.7 is not 30. Knows nothing of sentences,
citations or who claims what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from inro.answer.numerals import MULTIPLIERS, WORDS, kanji_value, plain_digits
from inro.answer.quantities import quantities
from inro.answer.units import CURRENCY_SIGNS, UNIT_PATTERN, Unit, unit_of


@dataclass(frozen=True, slots=True)
class Number:
    """A number with the unit it stands with."""

    text: str
    start: int
    end: int
    value: Fraction
    """As written, multipliers such as `million` and `万` applied."""
    unit: Unit | None
    """None for a bare number and for one with a mere counter (`3 samples`, `三本`)."""
    follows: str = ""
    """The word, or the one Han or kana character, that comes after it."""
    loose: bool = False
    """It is a number only perhaps, as the `一` of `一角` and `一種`: it states one that goes on with the same word."""

    @property
    def base(self) -> Fraction:
        """The value in the base unit of its dimension."""
        return self.value if self.unit is None else self.value * self.unit.factor + self.unit.offset


@dataclass(frozen=True, slots=True)
class Date:
    """A calendar date of which at least two parts, or the year and era, are written."""

    text: str
    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None
    either: bool = False
    """Whether month and day may be the other way round, as in `4/5/2026`."""


@dataclass(frozen=True, slots=True)
class Values:
    """All values of a text, each span in one of the two."""

    numbers: tuple[Number, ...]
    dates: tuple[Date, ...]
    text: str
    """Width-folded, for finding a unit that stands in a table's head."""

    @property
    def all(self) -> tuple[Number | Date, ...]:
        return (*self.dates, *self.numbers)


_MONTHS = {
    name: i
    for i, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}
_KANJI = "〇零一二三四五六七八九十百千"
_N = rf"(?:[0-9]+|[{_KANJI}]+|元)"
_TH = "(?:st|nd|rd|th)"

_DATES = [
    re.compile(r"(?<![\d.])(?P<y>\d{4})(?P<s>[-/.])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?![\d])"),
    re.compile(r"(?<![\d./])(?P<m>\d{1,2})(?P<s>[/.])(?P<d>\d{1,2})(?P=s)(?P<y>\d{4})(?![\d.]\d)(?P<either>)"),
    re.compile(rf"(?P<era>{'|'.join(_ERAS)})(?P<y>{_N})年(?:(?P<m>{_N})月(?:(?P<d>{_N})[日号])?)?"),
    re.compile(rf"(?<!\d)(?P<y>\d{{2,4}}|[{_KANJI}]{{4}})年\s?(?P<m>{_N})月(?:\s?(?P<d>{_N})[日号])?"),
    re.compile(rf"(?<![0-9])(?P<m>[0-9]{{1,2}}|[{_KANJI}]+)月(?P<d>[0-9]{{1,2}}|[{_KANJI}]+)[日号]"),
    re.compile(rf"\b(?P<d>\d{{1,2}}){_TH}?\s+(?:of\s+)?(?P<mon>{_MONTH})\b\.?,?(?:\s+(?P<y>\d{{4}})\b)?", re.I),
    re.compile(rf"\b(?P<mon>{_MONTH})\b\.?\s+(?P<d>\d{{1,2}}){_TH}?\b(?!\d)(?:,?\s+(?P<y>\d{{4}})\b)?", re.I),
    re.compile(rf"\b(?P<mon>{_MONTH})\b\.?,?\s+(?P<y>\d{{4}})\b", re.I),
]  # fmt: skip

_NO_MINUS = "年月日時时分秒度回号號円元人章節节条頁页第至点％%℃"
"""After these a dash stands between two numbers."""
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>(?:(?<![A-Za-z0-9_)\].{_NO_MINUS}])[-−‐+±]|\b(?:minus|negative)\b|マイナス|零下|氷点下|负|負)\s?)?(?P<cur>[{re.escape(CURRENCY_SIGNS)}]\s?)?(?P<n>{_DIGITS})"
    rf"(?:[eE](?P<e>[-−+]?\d{{1,3}})(?!\w)|\s?[×xX*·]\s?10(?:\^|\*\*)?(?P<exp>[-−+]?\d+|[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
    rf"(?P<mul>\s?(?:{MULTIPLIERS}))?(?P<rest>\d+(?:\.\d+)?千?)?",
)
_KANJI_NUMBER = re.compile(r"[〇零一二三四五六七八九十百千万億兆亿两]+(?:・[〇零一二三四五六七八九]+)?")
_NO_NUMBER = re.compile(
    r"十分[にな]|一(?:部|番|度|時|时|種|种|方|定|般|次|層|层|天到晚|律|切|起|緒|体)|万一|百科|千万に"
)
"""Words that begin with what would be a numeral with a counter."""
_WORD_NUMBER = re.compile(rf"\b(?:{'|'.join(WORDS)})(?:[- ](?:{'|'.join(WORDS)}))*\b", re.IGNORECASE)
_COUNTER = re.compile(
    r"\s?(?:つ|個|个|本|枚|人|名|回|件|台|匹|頭|頁|ページ|項|点|度|番|位|階|層|层|種|种|倍|割|歳|岁|代|世紀|世纪|次|条|条|章|節|页|口|部|"
    r"年|月|日|時|时|分|秒|週|周|天|円|元|小|公|キロ|メートル|グラム|ミリ|パーセント|リットル)"
)
_UNIT = re.compile(UNIT_PATTERN)
_DECADE = re.compile(r"[12]\d\d0s\b")
"""`1990s` are years, not seconds."""
_PADDED = re.compile(r"(0\d+)(?![\d:.])")
"""Digits that begin with a nought, as in a code: they are that code and no value."""
_FOLLOWS = re.compile(r"\s?([A-Za-z]+|[^\W\d])")
_RANGE = re.compile(r"\s?(?:[-–—−~〜～]|to|から|至|到)\s?")


@lru_cache(maxsize=4096)
def values(text: str, *, liberal: bool = False) -> Values:
    """The values of a text.

    Args:
        text: any text; spans are code point offsets into it.
        liberal: for a source: every numeral counts, also where it may be part of a word (`一般`, `three`).
            Without it, for a claim: kanji numerals count only where they surely are numbers.
    """
    plain = plain_digits(text)
    dates = tuple(_dates(plain))
    taken = bytearray(len(plain))
    for date in dates:
        taken[date.start : date.end] = b"\1" * (date.end - date.start)
    several = [Number(plain[q.start : q.end], q.start, q.end, q.value, q.unit)
               for q in quantities(plain) if not any(taken[q.start : q.end])]  # fmt: skip
    if not liberal:
        # a source that says `2 h 30 min` says `30 min` too; a claim of the whole is not one of its parts
        for number in several:
            taken[number.start : number.end] = b"\1" * (number.end - number.start)
    numbers = [*several, *_digits(plain, taken), *_words(plain, taken, liberal)]
    numbers.sort(key=lambda n: n.start)
    return Values(tuple(_spread_units(plain, numbers)), dates, plain)


def supports(claim: Number | Date, source: Values) -> bool:
    """Whether the source states the claimed value, in whatever form."""
    if isinstance(claim, Date):
        return any(_date_within(claim, d) for d in source.dates) or _date_in_parts(claim, source)
    if padded := _PADDED.match(claim.text):
        return re.search(rf"(?<!\d){padded[1]}(?!\d)", source.text) is not None
    if claim.unit is not None:
        if any(n.unit is not None and n.unit.dimension == claim.unit.dimension and n.base == claim.base
               for n in source.numbers):  # fmt: skip
            return True
        # a table writes the unit once, in its head
        bare = any(n.unit is None and n.value == claim.value and not n.loose for n in source.numbers)
        return bare and any(claim.unit.same_scale(u) for u in _units(source.text))
    if any(n.value == claim.value and (not n.loose or n.follows == claim.follows) for n in source.numbers):
        return True
    parts = {p for d in source.dates for p in (d.year, d.month, d.day) if p is not None}
    return claim.value.denominator == 1 and int(claim.value) in parts


def _date_within(claim: Date, source: Date) -> bool:
    orders = [(source.month, source.day)]
    if claim.either or source.either:
        orders.append((source.day, source.month))
    return (claim.year in (None, source.year)) and any(
        claim.month in (None, month) and claim.day in (None, day) for month, day in orders
    )


def _date_in_parts(claim: Date, source: Values) -> bool:
    """The year in one place and the day in another, as in a dated page with times of day."""
    years = {d.year for d in source.dates} | {
        int(n.value) for n in source.numbers if n.unit is None or n.text.isdigit()
    }
    if claim.year is not None and claim.year not in years:
        return False
    rest = Date("", 0, 0, None, claim.month, claim.day)
    if claim.month is None:
        return True
    return any(_date_within(rest, d) for d in source.dates)


def _dates(plain: str) -> Iterator[Date]:
    taken = bytearray(len(plain))
    for pattern in _DATES:
        for m in pattern.finditer(plain):
            if any(taken[m.start() : m.end()]):
                continue
            groups = m.groupdict()
            year = _part(groups.get("y"))
            if year is not None and (era := groups.get("era")):
                year += _ERAS[era]
            month = _MONTHS[groups["mon"].lower()] if groups.get("mon") else _part(groups.get("m"))
            day = _part(groups.get("d"))
            either = groups.get("either") is not None
            if either and month is not None and day is not None and month > 12:
                month, day = day, month
            if (month is not None and not 1 <= month <= 12) or (day is not None and not 1 <= day <= 31):
                continue
            taken[m.start() : m.end()] = b"\1" * (m.end() - m.start())
            yield Date(m.group(), m.start(), m.end(), year, month, day, either and (day or 0) <= 12)


def _part(text: str | None) -> int | None:
    if text is None:
        return None
    if text == "元":
        return 1
    if text.isascii():
        return int(text)
    value = kanji_value(text)
    return None if value is None or value.denominator != 1 else int(value)


def _digits(plain: str, taken: bytearray) -> Iterator[Number]:
    for m in _NUMBER.finditer(plain):
        if any(taken[m.start() : m.end()]):
            continue
        value = Fraction(m["n"].replace(",", ""))
        if power := m["exp"] or m["e"]:
            exponent = int(power.translate(_SUPERSCRIPTS).replace("−", "-"))
            if abs(exponent) > 400:
                continue
            value *= Fraction(10) ** exponent
        end = m.end()
        if m["mul"]:
            value *= _MULTIPLY[m["mul"].strip().lower()]
            if m["rest"]:
                lower = m["rest"].removesuffix("千")
                value += Fraction(lower) * (1000 if m["rest"].endswith("千") else 1)
        elif m["rest"]:
            end = m.start("rest")
        if m["sign"] and m["sign"][0] not in "+±":
            value = -value
        unit = None
        if m["cur"]:
            unit = unit_of(m["cur"].strip())
        elif (found := _UNIT.match(plain, end)) and not _DECADE.match(plain, m.start()):
            unit = unit_of(found["unit"])
            end = found.end()
        taken[m.start() : end] = b"\1" * (end - m.start())
        yield Number(plain[m.start() : end], m.start(), end, value, unit)


def _words(plain: str, taken: bytearray, liberal: bool) -> Iterator[Number]:
    for m in _KANJI_NUMBER.finditer(plain):
        if any(taken[m.start() : m.end()]):
            continue
        if not liberal and _NO_NUMBER.match(plain, m.start()):
            continue
        counted = plain[: m.start()].endswith("第")
        surely = counted or (len(m.group()) > 1 and any(c in "十百千万億兆亿〇零" for c in m.group()[1:]))
        counts = surely or _COUNTER.match(plain, m.end()) or _UNIT.match(plain, m.end())
        if not liberal and not counts:
            continue
        if (value := kanji_value(m.group())) is not None:
            yield _with_unit(plain, m, value, loose=not counts or m.group() == "一")
    for m in _WORD_NUMBER.finditer(plain):
        loose = m.group().lower() in ("one", "zero", "hundred")
        if any(taken[m.start() : m.end()]) or (loose and not liberal):
            continue
        if (value := _word_value(m.group())) is not None:
            yield _with_unit(plain, m, value, loose=loose)


def _with_unit(plain: str, m: re.Match[str], value: Fraction, *, loose: bool) -> Number:
    found = _UNIT.match(plain, m.end())
    end = found.end() if found else m.end()
    return Number(plain[m.start() : end], m.start(), end, value, unit_of(found["unit"]) if found else None, loose=loose)


def _word_value(text: str) -> Fraction | None:
    """`twenty-five` 25, `three hundred` 300, `two thousand five hundred` 2500."""
    total, part = 0, 0
    for word in re.split(r"[- ]", text.lower()):
        n = WORDS[word]
        if n >= 1000:
            total, part = total + max(part, 1) * n, 0
        elif n == 100:
            part = max(part, 1) * n
        else:
            part += n
    return Fraction(total + part)


def _spread_units(plain: str, numbers: list[Number]) -> Iterator[Number]:
    """In `10–20 °C` the first number has the second one's unit; each is told what follows it."""
    numbers = [replace(n, follows=m[1] if (m := _FOLLOWS.match(plain, n.end)) else "") for n in numbers]
    for i, number in enumerate(numbers):
        after = numbers[i + 1] if i + 1 < len(numbers) else None
        if (
            number.unit is None
            and after is not None
            and after.unit is not None
            and _RANGE.fullmatch(plain, number.end, after.start)
        ):
            yield replace(number, unit=after.unit)
        else:
            yield number


def _units(plain: str) -> Iterator[Unit]:
    for m in re.finditer(rf"(?<![A-Za-zµμ]){UNIT_PATTERN}", plain):
        unit = unit_of(m["unit"])
        if unit is not None:
            yield unit


_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_MULTIPLY = {
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "千": 10**3, "万": 10**4,
    "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12, "百万": 10**6, "千万": 10**7,
}  # fmt: skip
