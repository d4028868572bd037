"""Rows of a spreadsheet as lines that can be read alone: each value with the name of its column.

A row found by a search is useless without its header, and a header far above is in another chunk. So where a
table has a header row and says something in words, each row becomes `name: value | name: value`. Tables of
bare numbers keep their header once: nobody looks for one of ten thousand readings by its words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from inro.readers.draft import one_line

LOOKED_AT = 200
"""Rows by which it is judged whether there is a header and whether rows say anything in words."""
_HEADER_WITHIN = 12
_LONGEST_NAME = 60
_LEAST_WORDED = 0.1
"""Share of rows with a word in them from which a table is not one of bare numbers."""
_LEAST_COVER = 0.6


def lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, blank rows left out; rows are consumed as the lines are taken."""
    source = iter(rows)
    head = list(islice((r for r in source if any(c.strip() for c in r)), LOOKED_AT))
    at = header_at(head) if speaks(head) else None
    names = [" ".join(c.split()).rstrip(":：") for c in head[at]] if at is not None else []
    for n, row in enumerate(chain(head, source)):
        line = labelled(row, names) if at is not None and n > at else one_line(c for c in row if c.strip())
        if line:
            yield line


def speaks(rows: Sequence[Sequence[str]]) -> bool:
    """Whether these first rows of a table name its columns and say something in words."""
    head = [r for r in rows if any(c.strip() for c in r)]
    at = header_at(head)
    return at is not None and _worded(head[at + 1 :])


def labelled(row: Sequence[str], names: Sequence[str]) -> str:
    """One row with the names of its columns; empty cells are left out."""
    cells: list[str] = []
    for i, cell in enumerate(row):
        value = " ".join(cell.split())
        if value:
            name = names[i] if i < len(names) else ""
            cells.append(f"{name}: {value}" if name else value)
    return " | ".join(cells)


def header_at(rows: Sequence[Sequence[str]]) -> int | None:
    """Which of the first rows names the columns: texts only, each once, over most of the table's width."""
    for n, row in enumerate(rows[:_HEADER_WITHIN]):
        if n + 1 >= len(rows):
            return None
        names = [c.strip() for c in row if c.strip()]
        width = max(sum(1 for c in r if c.strip()) for r in rows[n + 1 : n + 30])
        if width < 2 or not _LEAST_COVER * width <= len(names) or not 2 <= len(names) == len(set(names)):
            continue
        if all(len(name) <= _LONGEST_NAME and not _is_value(name) for name in names):
            return n
    return None


def columns(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The names of the columns, for the declared fields; none if there is no header."""
    rows = [r for r in rows if any(c.strip() for c in r)]
    at = header_at(rows)
    return tuple(name for c in rows[at] if (name := " ".join(c.split()))) if at is not None else ()


def _worded(rows: Sequence[Sequence[str]]) -> bool:
    worded = sum(1 for row in rows if any(not _is_value(c.strip()) for c in row if c.strip()))
    return worded > 0 and worded >= _LEAST_WORDED * len(rows)


def _is_value(cell: str) -> bool:
    """Whether a cell is a number, a date or a time rather than a word."""
    bare = cell.strip("%¥$€£+-() \t")
    return bool(bare) and bare[0].isdigit() and all(c.isdigit() or c in ".,:/-+ \n\teETZ年月日時分秒" for c in bare)
