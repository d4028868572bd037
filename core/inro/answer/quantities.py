"""Quantities that are written in several parts: `2 h 30 min`, `1時間半`, `午後3時30分`, `百分之五`, `1/2`, `3割5分`.

Rule: a form counts only where it can hardly be anything else; what is left over is read as plain numbers. Works on
text whose width is folded, see `numerals.plain_digits`. Knows nothing of dates or of claims.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from inro.answer.numerals import kanji_value
from inro.answer.units import Unit, unit_of

CLOCK = Unit("time of day", Fraction(60))
"""Of minutes after midnight."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One such quantity."""

    start: int
    end: int
    value: Fraction
    unit: Unit | None


Parts: TypeAlias = dict[str, str | None]
Meaning: TypeAlias = tuple[Fraction, Unit | None]

_N = r"(?:\d+(?:\.\d+)?|[〇零一二三四五六七八九十百两]+)"
_HOURS = r"\s?[個个]?(?:時間|小时|小時|hours?\b|hrs?\b|h(?![A-Za-z]))"
_MINUTES = r"\s?(?:分(?:間|钟|鐘)?|minutes?\b|mins?\b)"
_SECONDS = r"\s?(?:秒(?:間|钟|鐘)?|seconds?\b|secs?\b|s\b)"
_MONTHS = r"(?:か月|ヶ月|ヵ月|カ月|ケ月|箇月|个月)"
_AND = r"\s?(?:and|と|又|,)?\s?"
_AM_PM = r"(?P<mark>[ap]\.?m)\b\.?"
_DAY_PART = r"(?P<mark>午前|午後|上午|下午|晚上|凌晨|早上|夕方)\s?"
_AFTER_NOON = frozenset({"pm", "午後", "下午", "晚上", "夕方"})
_HALF_OF = {"年": "years", "year": "years", "天": "days", "日": "days", "day": "days"}


def quantities(plain: str) -> Iterator[Quantity]:
    """The quantities in several parts, each character in one of them at most."""
    taken = bytearray(len(plain))
    for pattern, meaning in _FORMS:
        for m in pattern.finditer(plain):
            if not any(taken[m.start() : m.end()]) and (found := meaning(m.groupdict())) is not None:
                taken[m.start() : m.end()] = b"\1" * (m.end() - m.start())
                yield Quantity(m.start(), m.end(), *found)


def _number(text: str | None) -> Fraction:
    """0 for what is not there."""
    if not text:
        return Fraction(0)
    return Fraction(text) if text[0].isascii() else kanji_value(text) or Fraction(0)


def _unit(name: str) -> Unit:
    found = unit_of(name)
    assert found is not None, name
    return found


def _duration(parts: Parts) -> Meaning:
    hours, minutes, seconds = (_number(parts.get(name)) for name in ("h", "m", "s"))
    half = Fraction(1, 2) if parts.get("half") else Fraction(0)
    if parts.get("h"):
        hours += half
    else:
        minutes += half
    return 3600 * hours + 60 * minutes + seconds, _unit("s")


def _months(parts: Parts) -> Meaning:
    return 12 * _number(parts["y"]) + (6 if parts.get("half") else _number(parts.get("m"))), _unit("months")


def _half(parts: Parts) -> Meaning:
    return Fraction(1, 2), _unit(_HALF_OF.get((parts["of"] or "").lower(), "hours"))


def _clock(parts: Parts) -> Meaning | None:
    hour = _number(parts["h"])
    minute = Fraction(30) if parts.get("half") else _number(parts.get("m"))
    if hour > 24 or minute > 59:
        return None
    if mark := (parts.get("mark") or "").lower().replace(".", ""):
        hour = hour % 12 + (12 if mark in _AFTER_NOON else 0)
    return 60 * hour + minute, CLOCK


def _share(parts: Parts) -> Meaning | None:
    above, below = _number(parts["above"]), _number(parts["below"])
    if below == 100:
        return above, _unit("%")
    return (above / below, None) if below else None


def _fraction(parts: Parts) -> Meaning | None:
    # 4/12 may be a day, 12/4 must be one
    return _share(parts) if _number(parts["above"]) < _number(parts["below"]) else None


def _tenths(parts: Parts) -> Meaning:
    return 10 * _number(parts["ten"]) + _number(parts["one"]) + _number(parts["tenth"]) / 10, _unit("%")


def _form(
    pattern: str, meaning: Callable[[Parts], Meaning | None]
) -> tuple[re.Pattern[str], Callable[[Parts], Meaning | None]]:
    return re.compile(pattern, re.IGNORECASE), meaning


_FORMS = (
    _form(rf"(?P<below>{_N})分[之の](?P<above>{_N})", _share),
    _form(rf"(?P<ten>{_N})割(?P<one>{_N})分(?:(?P<tenth>{_N})厘)?", _tenths),
    _form(rf"(?P<h>{_N}){_HOURS}{_AND}(?P<m>{_N}){_MINUTES}(?:{_AND}(?P<s>{_N}){_SECONDS})?", _duration),
    _form(r"(?<![\w.])(?P<h>\d+)h(?P<m>\d{1,2})(?:m(?:in)?)?(?![\w.])", _duration),
    _form(rf"(?P<h>{_N})(?:時間(?P<half>半)|个(?P<half2>半)(?:小时|钟头))", lambda p: _duration({**p, "half": "半"})),
    _form(r"(?P<h>\d+)(?P<half>\sand\sa\shalf)\shours?\b", _duration),
    _form(rf"(?P<m>{_N}){_MINUTES}{_AND}(?P<s>{_N}){_SECONDS}", _duration),
    _form(rf"(?P<m>{_N})分(?P<half>半)", _duration),
    _form(rf"(?P<y>{_N})年(?P<half>半)", _months),
    _form(rf"(?P<y>{_N})年と?(?P<m>{_N}){_MONTHS}", _months),
    _form(r"(?<![\d〇零一二三四五六七八九十百个年間分])半个?(?P<of>時間|小时|年|日(?!本)|天)", _half),
    _form(r"\bhalf\san?\s(?P<of>hour|year|day)\b", _half),
    _form(rf"{_DAY_PART}(?P<h>{_N})(?:[時时點点](?:(?P<m>{_N})分|(?P<half>半))?)", _clock),
    _form(rf"{_DAY_PART}(?P<h>\d{{1,2}}):(?P<m>\d\d)(?!\d)", _clock),
    _form(rf"(?P<h>{_N})[時时點点](?:(?P<m>{_N})分(?![間钟鐘])|(?P<half>半))", _clock),
    _form(rf"(?<![\d:.])(?P<h>\d{{1,2}}):(?P<m>\d\d)(?::\d\d)?(?![\d:])(?:\s?{_AM_PM})?", _clock),
    _form(rf"(?<![\d:.])(?P<h>\d{{1,2}})\s?{_AM_PM}", _clock),
    _form(r"(?<![\w/.-])(?P<above>\d{1,2})/(?P<below>\d{1,3})(?![\w/.年月-])", _fraction),
)
"""The longer form first."""
