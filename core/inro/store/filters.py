"""Filters: which chunks a query's conditions leave, asked of the tables before anything is ranked.

A filter speaks of documents; every chunk of a document that passes is allowed. What each key means:

- `path`: part of the path, whatever its case; `/notes` begins with it; with `*` or `?` the whole path, or the
  file name when the pattern has no `/`.
- `tag`: the tag or any tag nested in it, whatever its case or width.
- `type`: the file's suffix.
- `source`: a root's number, its path or the last name of it.
- `date`: a declared date, else the file's own time in this machine's zone.
- `field`: a declared value; compared as numbers when both are numbers, else as text without regard to case.

Several filters must all hold, but a document has one type and one source, so those are alternatives among
themselves. A date field written in words (`7 April 2026`) is not read. Knows nothing of what is ranked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from pathlib import PurePath
from typing import Any, Final, Literal, TypeAlias

import duckdb
import numpy as np
from numpy.typing import NDArray

from inro.store import sources

FilterKey: TypeAlias = Literal["path", "tag", "type", "source", "date", "field"]
FILTER_KEYS: Final[tuple[FilterKey, ...]] = ("path", "tag", "type", "source", "date", "field")
Comparison: TypeAlias = Literal["=", ">", ">=", "<", "<="]
COMPARISONS: Final[tuple[Comparison, ...]] = ("=", ">", ">=", "<", "<=")

DATE_FIELDS: Final = (
    "date", "日付", "日時", "日期", "created", "作成日", "作成日時", "创建日期", "创建时间", "published", "公開日",
    "发布日期", "updated", "modified", "更新日", "更新日期", "修改日期", "lastmod",
)  # fmt: skip
"""Declared fields that date a document; where several do, the first of these counts."""

_ALTERNATIVES: Final = ("type", "source")

_DAY: Final = r"^\s*(\d{4})(?:\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2}))?|(\d{2})(\d{2})(?:\D|$)|\s*年?\s*$)"
"""A year, a month or a day as people write them, in RE2's syntax."""

_DATED: Final = """
    SELECT document, arg_min(day, (place, ordinal)) AS day FROM (
        SELECT document, list_position($date_fields, key) AS place, ordinal, TRY_CAST(concat_ws('-',
            part.year,
            lpad(coalesce(nullif(part.month, ''), nullif(part.mm, ''), '1'), 2, '0'),
            lpad(coalesce(nullif(part.day, ''), nullif(part.dd, ''), '1'), 2, '0')
        ) AS DATE) AS day
        FROM (
            SELECT document, key, ordinal, regexp_extract(
                translate(value, '０１２３４５６７８９／－', '0123456789/-'),
                $day, ['year', 'month', 'day', 'mm', 'dd']
            ) AS part
            FROM fields WHERE list_contains($date_fields, key)
        )
    ) WHERE day IS NOT NULL GROUP BY document
"""


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on documents that holds before anything is ranked."""

    key: FilterKey
    value: str
    """For `date`: the first day, ISO 8601; empty when open at that end."""
    upper: str = ""
    """For `date`: the first day after, ISO 8601; empty when open at that end."""
    name: str = ""
    """For `field`: which."""
    compare: Comparison = "="
    negated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Allowed:
    """What some filters leave."""

    chunk_ids: NDArray[np.int64]
    """int64[n], rising."""
    hints: tuple[str, ...] = ()
    """Which filter leaves nothing, and what it could have been."""


@dataclass(slots=True)
class _Statement:
    """Conditions and the values they name, gathered."""

    con: duckdb.DuckDBPyConnection
    values: dict[str, Any] = field(default_factory=dict)

    def bind(self, value: Any) -> str:
        """The placeholder of a value."""
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f"${name}"


def allowed(con: duckdb.DuckDBPyConnection, filters: Sequence[Filter]) -> Allowed:
    """The chunks of the documents that pass every filter."""
    found = _chunks(con, filters)
    if found.size or not filters:
        return Allowed(found)
    return Allowed(found, _why_nothing(con, filters))


def documents(con: duckdb.DuckDBPyConnection, filters: Sequence[Filter]) -> set[int]:
    """The documents that pass every filter, those without any text too."""
    statement = _Statement(con)
    asked = _asked(statement, filters, "SELECT d.id FROM documents d")
    return {int(id_) for (id_,) in con.execute(asked, statement.values).fetchall()}


def listing(con: duckdb.DuckDBPyConnection) -> NDArray[np.int64]:
    """int64[n]: every chunk as a list without a query has them: newest document first, then by path, then text."""
    found = con.execute(
        f"WITH dated AS ({_DATED}) SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document "
        "LEFT JOIN dated ON dated.document = d.id "
        "ORDER BY coalesce(dated.day, CAST(make_timestamp(d.mtime_ns // 1000) AS DATE)) DESC, "
        "d.path, d.id, c.ordinal",
        {"date_fields": list(DATE_FIELDS), "day": _DAY},
    ).fetchnumpy()
    return np.asarray(found["id"], dtype=np.int64)


def _chunks(con: duckdb.DuckDBPyConnection, filters: Sequence[Filter]) -> NDArray[np.int64]:
    statement = _Statement(con)
    asked = _asked(statement, filters, "SELECT c.id FROM chunks c JOIN documents d ON d.id = c.document")
    found = con.execute(f"{asked} ORDER BY c.id", statement.values).fetchnumpy()
    return np.asarray(found["id"], dtype=np.int64)


def _asked(statement: _Statement, filters: Sequence[Filter], select: str) -> str:
    """The query for what of `select`, which names documents `d`, passes every filter."""
    where = _condition(statement, filters)
    if not any(one.key == "date" for one in filters):
        return f"{select} WHERE {where}"
    statement.values |= {"date_fields": list(DATE_FIELDS), "day": _DAY}
    return f"WITH dated AS ({_DATED}) {select} LEFT JOIN dated ON dated.document = d.id WHERE {where}"


def _condition(statement: _Statement, filters: Sequence[Filter]) -> str:
    every: list[str] = []
    for key in _ALTERNATIVES:
        any_of = [_holds(statement, one) for one in filters if one.key == key and not one.negated]
        if any_of:
            every.append(f"({' OR '.join(any_of)})")
    for one in filters:
        if one.negated:
            every.append(f"NOT {_holds(statement, one)}")
        elif one.key not in _ALTERNATIVES:
            every.append(_holds(statement, one))
    return " AND ".join(every) or "true"


def _holds(statement: _Statement, one: Filter) -> str:
    """The condition itself, never null, whatever `one.negated` says."""
    return f"coalesce({_CONDITIONS[one.key](statement, one)}, false)"


def _path(statement: _Statement, one: Filter) -> str:
    value = unicodedata.normalize("NFC", one.value).removeprefix("./")
    if "*" in value or "?" in value:
        pattern = statement.bind(_glob(value.removeprefix("/")))
        subject = "d.path" if "/" in value else "parse_filename(d.path, false, 'forward_slash')"
        return f"regexp_full_match({subject}, {pattern}, 'is')"
    if value.startswith("/"):
        return f"starts_with(lower(d.path), lower({statement.bind(value.lstrip('/'))}))"
    return f"contains(lower(d.path), lower({statement.bind(value)}))"


def _glob(value: str) -> str:
    """A glob in RE2's syntax; `*` reaches over `/`."""
    return "".join({"*": ".*", "?": "."}.get(character) or re.escape(character) for character in value)


def _tag(statement: _Statement, one: Filter) -> str:
    wanted = _folded(one.value).strip("#/")
    known = statement.con.execute("SELECT DISTINCT unnest(tags) FROM documents").fetchall()
    matching = [tag for (tag,) in known if f"{_folded(tag).strip('#/')}/".startswith(f"{wanted}/")]
    return f"list_has_any(d.tags, {statement.bind(matching)}::VARCHAR[])"


def _type(statement: _Statement, one: Filter) -> str:
    return f"ends_with(lower(d.path), lower({statement.bind('.' + one.value.lstrip('*.'))}))"


def _source(statement: _Statement, one: Filter) -> str:
    matching = [source.id for source in sources.every(statement.con) if _is_called(source, one.value)]
    return f"list_contains({statement.bind(matching)}::BIGINT[], d.source)"


def _is_called(source: sources.Source, name: str) -> bool:
    wanted = _folded(name).rstrip("/")
    known = (str(source.id), source.name, PurePath(source.name).name)
    return any(_folded(one).rstrip("/") == wanted for one in known)


def _date(statement: _Statement, one: Filter) -> str:
    declared = ["dated.day IS NOT NULL"]
    own = ["dated.day IS NULL"]
    for day, compare in ((one.value, ">="), (one.upper, "<")):
        if day:
            declared.append(f"dated.day {compare} CAST({statement.bind(day)} AS DATE)")
            own.append(f"d.mtime_ns {compare} {statement.bind(_midnight(day))}")
    return f"(({' AND '.join(declared)}) OR ({' AND '.join(own)}))"


def _midnight(day: str) -> int:
    """The beginning of a day here, in nanoseconds since the epoch; no file's time lies beyond what fits."""
    try:
        return int(datetime.fromisoformat(day).timestamp()) * 1_000_000_000
    except (OverflowError, ValueError, OSError):
        return -(2**63) if day < "1970" else 2**63 - 1


def _field(statement: _Statement, one: Filter) -> str:
    compare = COMPARISONS[COMPARISONS.index(one.compare)]
    text = statement.bind(unicodedata.normalize("NFC", one.value))
    as_text = f"lower(trim(nfc_normalize(f.value))) {compare} lower(trim({text}))"
    number = _number(one.value)
    if number is None:
        holds = as_text
    else:
        value = "TRY_CAST(f.value AS DOUBLE)"
        holds = f"CASE WHEN isfinite({value}) THEN {value} {compare} {statement.bind(number)} ELSE {as_text} END"
    name = statement.bind(" ".join(one.name.lower().split()))
    return f"EXISTS (SELECT 1 FROM fields f WHERE f.document = d.id AND f.key = {name} AND {holds})"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


_CONDITIONS: Final[dict[FilterKey, Callable[[_Statement, Filter], str]]] = {
    "path": _path,
    "tag": _tag,
    "type": _type,
    "source": _source,
    "date": _date,
    "field": _field,
}


def _why_nothing(con: duckdb.DuckDBPyConnection, filters: Sequence[Filter]) -> tuple[str, ...]:
    alone = [one for one in filters if not _chunks(con, [one]).size]
    if not alone:
        said = ", ".join(told(one) for one in filters)
        return (f"no document passes all filters at once: {said}",)
    return tuple(f"{told(one)} leaves nothing{_instead(con, one)}" for one in alone)


def _instead(con: duckdb.DuckDBPyConnection, one: Filter) -> str:
    """What could have been written."""
    if one.negated:
        return ""
    match one.key:
        case "source":
            names = [f"{source.id} ({PurePath(source.name).name or source.name})" for source in sources.every(con)]
            return f": the sources are {', '.join(names[:8])}" if names else ": there is no source"
        case "field":
            known = con.execute(
                "SELECT key FROM fields GROUP BY key ORDER BY count(DISTINCT document) DESC, key LIMIT 8"
            ).fetchall()
            row = con.execute("SELECT 1 FROM fields WHERE key = ? LIMIT 1", [one.name]).fetchone()
            return f": the fields are {', '.join(key for (key,) in known)}" if known and row is None else ""
        case _:
            return ""


def told(one: Filter) -> str:
    """The filter as it could be typed."""
    minus = "-" if one.negated else ""
    if one.key == "field":
        return f"{minus}field:{one.name}{one.compare}{one.value}"
    if one.key == "date":
        return f"{minus}date from {one.value or 'the first'} until before {one.upper or 'the last'}"
    return f"{minus}{one.key}:{one.value}"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
