"""The query language. Anything malformed is searched as plain text, with a hint; a query is never an error.

    words in any order            an OR of their terms; a natural sentence is just this
    "exact words"                 the phrase must be there, across line wraps
    -word  -"exact words"         must not be there
    prefix*                       any word that begins so
    path:experiments/  tag:焼結  type:md  source:2  date:2026-04..2026-06  field:version>=2
    -path:old/                    the same the other way round

Phrases and exclusions speak of one chunk: a document is not left out because another of its passages holds an
excluded word. Filters speak of documents. A filter's key is one of `FILTER_KEYS`; `ISO:9408` or `https://…` is
text, since its key is none of them. The colon and the quotation marks may be full-width or curly.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from inro.errors import UsageError
from inro.store.filters import FILTER_KEYS, Filter

__all__ = ["FILTER_KEYS", "Filter", "Query", "conditions", "parse"]

_TOKEN = re.compile(
    r"""
    (?P<minus>(?<!\S)-(?=[^\s-]))?
    (?: (?P<key>[a-z]+)[:：](?P<value>"[^"]*"|\S+)
      | "(?P<phrase>[^"]*)"
      | (?P<word>\S+)
    )
    """,
    re.VERBOSE,
)
_FIELD = re.compile(r"(?P<name>[^<>=]+)(?P<compare>>=|<=|>|<|=)(?P<value>.+)")
_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart."""

    text: str
    """What is searched as words and as meaning: everything but filters and exclusions."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Words and phrases that must not be there."""
    prefixes: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    hints: tuple[str, ...] = ()


def parse(text: str) -> Query:
    """Take a query apart. Never raises."""
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    prefixes: list[str] = []
    filters: list[Filter] = []
    hints: list[str] = []
    text = text.replace("＂", '"').replace("“", '"').replace("”", '"')
    if text.count('"') % 2:
        hints.append("a quotation mark is not closed: searched as plain words")
        text = text.replace('"', " ")
    for token in _TOKEN.finditer(text):
        negated = token["minus"] is not None
        if token["key"] is not None:
            if token["key"] not in FILTER_KEYS:
                words.append(token.group().strip())
                continue
            made = _filter(token["key"], token["value"].strip('"'), negated)
            if isinstance(made, Filter):
                filters.append(made)
            else:
                hints.append(made)
                words.append(token["value"].strip('"'))
        elif token["phrase"] is not None:
            if token["phrase"].strip():
                (excluded if negated else phrases).append(token["phrase"].strip())
                if not negated:
                    words.append(token["phrase"].strip())
        elif negated:
            excluded.append(token["word"])
        elif len(token["word"]) > 1 and token["word"].endswith("*"):
            prefixes.append(token["word"].rstrip("*"))
        else:
            words.append(token["word"])
    if excluded and not (words or prefixes or filters):
        hints.append("only exclusions: searched as plain words")
        words, excluded = excluded, []
    return Query(" ".join(words), tuple(phrases), tuple(excluded), tuple(prefixes), tuple(filters), tuple(hints))


def conditions(text: str) -> tuple[Filter, ...]:
    """A text of filters and nothing else.

    Raises:
        UsageError: something in it is no filter.
    """
    query = parse(text)
    stray = [*query.hints, *filter(None, [query.text, *query.excluded, *query.prefixes])]
    if stray:
        raise UsageError(f"not a filter: {stray[0]}", f"write {', '.join(f'{key}:…' for key in FILTER_KEYS)}")
    return query.filters


def _filter(key: str, value: str, negated: bool) -> Filter | str:
    """A filter, or the hint that says why it is none."""
    if key == "date":
        lower, dots, upper = value.partition("..")
        span = _days(lower), _days(upper if dots else lower)
        if (lower and span[0] is None) or (dots and upper and span[1] is None) or not (lower or upper):
            return f"not a date: {value} (write date:2026-04 or date:2026-04..2026-06): searched as plain words"
        first = span[0][0] if span[0] else ""
        after = span[1][1] if span[1] else ""
        return Filter("date", first, upper=after, negated=negated)
    if key == "field":
        part = _FIELD.fullmatch(value)
        if part is None:
            return f"not a field condition: {value} (write field:version>=2): searched as plain words"
        return Filter(
            "field",
            part["value"],
            name=part["name"].strip().lower(),
            compare=part["compare"],  # type: ignore[arg-type]
            negated=negated,
        )
    if not value:
        return f"{key}: says nothing: searched as plain words"
    for known in FILTER_KEYS:
        if key == known:
            return Filter(known, value, negated=negated)
    raise AssertionError(key)


def _days(text: str) -> tuple[str, str] | None:
    """The first day of a year, month or day, and the first day after it."""
    part = _MONTH.fullmatch(text)
    if part is None:
        return None
    year, month, day = int(part[1]), part[2] and int(part[2]), part[3] and int(part[3])
    try:
        first = date(year, month or 1, day or 1)
        if day:
            after = date.fromordinal(first.toordinal() + 1)
        elif month:
            after = date(year + month // 12, month % 12 + 1, 1)
        else:
            after = date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        return None
    return first.isoformat(), after.isoformat()
