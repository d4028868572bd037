"""Reading order: from pieces of text with places on a page to lines, column by column.

Everything here reads from left to right and from top to bottom: who hands in vertical or turned text turns its
coordinates first, so there are no other directions. A column is told from a table by how it is filled: lines of
prose reach their column's edge, cells of a table do not. Knows boxes, not formats.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

SPACE = 0.17
"""Gap between two letters, in line heights, that is a space."""
APART = 0.9
"""Gap in line heights beyond which text on one line is not one run."""
CELLS = 1.6
"""Gap in line heights that sets the cells of a row apart."""

_LEAST_LINES = 3
_LEAST_WIDTH = 7.0
"""Width of a column of prose in line heights, at the least."""
_FILLED = 0.4
"""Share of a column's lines that reach its edge."""
_EDGE = 0.12
_CANDIDATES = 60


@dataclass(slots=True)
class Run:
    """A stretch of text without a gap: a word, a line, a cell. y grows downward."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float = 0.0
    """Height of most of its letters; 0 where they are all as high as the run."""

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Line:
    """A line of a column."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    column: int
    """Columns of a page are numbered in reading order."""
    height: float
    """Height of most of its letters."""
    cells: int = 1
    """How many pieces far apart it is made of."""

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


def lines(runs: Sequence[Run]) -> list[Line]:
    """The runs of a page as lines in reading order."""
    made: list[Line] = []
    for number, column in enumerate(_columns([run for run in runs if run.text.strip()])):
        made.extend(_line(row, number) for row in _rows(column))
    return made


def is_rtl(text: str) -> bool:
    """Whether the text is written from right to left, by its first letter."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in ("R", "AL"):
            return True
        if direction == "L":
            return False
    return False


def _columns(runs: list[Run]) -> list[list[Run]]:
    """The runs by column, in reading order."""
    waiting, done = [runs], []
    while waiting:
        part = waiting.pop()
        cut = _gutter(part) if len(part) >= 2 * _LEAST_LINES else None
        if cut is None:
            if part:
                done.append(part)
            continue
        x, top, bottom = cut
        above = [run for run in part if run.middle < top]
        below = [run for run in part if run.middle > bottom]
        beside = [run for run in part if top <= run.middle <= bottom]
        left = [run for run in beside if run.x0 + run.x1 < 2 * x]
        right = [run for run in beside if run.x0 + run.x1 >= 2 * x]
        waiting.extend((below, right, left, above))
    return done


def _gutter(runs: list[Run]) -> tuple[float, float, float] | None:
    """(x, top, bottom) of the tallest empty strip with prose on both sides; None if there is none."""
    height = median(run.height for run in runs)
    edges: dict[int, list[float]] = {}
    for run in runs:
        edges.setdefault(round(run.x0 / height), []).append(run.x0)
    often = sorted((e for e in edges.values() if len(e) >= _LEAST_LINES), key=len, reverse=True)[:_CANDIDATES]
    best: tuple[float, float, float] | None = None
    for edge in (min(e) for e in often):
        right, left = edge - 0.1 * height, edge - 0.8 * height
        blockers = sorted((run.y0, run.y1) for run in runs if run.x0 < right and run.x1 > left)
        for top, bottom in _free(blockers, min(r.y0 for r in runs), max(r.y1 for r in runs)):
            if best is not None and bottom - top <= best[2] - best[1]:
                continue
            beside = [run for run in runs if top <= run.middle <= bottom]
            before = [run for run in beside if run.x1 <= left]
            after = [run for run in beside if run.x0 >= right]
            if _is_prose(before, height) and _is_prose(after, height) and _overlap(before, after):
                best = ((left + right) / 2, top, bottom)
    return best


def _free(blockers: Iterable[tuple[float, float]], top: float, bottom: float) -> Iterable[tuple[float, float]]:
    """The stretches between `top` and `bottom` that no blocker covers."""
    at = top
    for y0, y1 in blockers:
        if y0 > at:
            yield at, y0
        at = max(at, y1)
    if bottom > at:
        yield at, bottom


def _is_prose(runs: list[Run], height: float) -> bool:
    """Whether the runs are lines of text that fill a column."""
    rows = _rows(runs)
    if len(rows) < _LEAST_LINES:
        return False
    left, right = min(run.x0 for run in runs), max(run.x1 for run in runs)
    width = right - left
    if width < _LEAST_WIDTH * height:
        return False
    full = sum(1 for row in rows if max(r.x1 for r in row) >= right - _EDGE * width and _ink(row) > 0.6 * width)
    return full >= _FILLED * len(rows)


def _overlap(left: list[Run], right: list[Run]) -> bool:
    """Whether the two stand side by side for some lines."""
    top = max(min(r.y0 for r in left), min(r.y0 for r in right))
    bottom = min(max(r.y1 for r in left), max(r.y1 for r in right))
    return sum(1 for r in right if top <= r.middle <= bottom) >= 2


def _ink(row: list[Run]) -> float:
    return sum(run.x1 - run.x0 for run in row)


def _rows(runs: list[Run]) -> list[list[Run]]:
    """Runs that stand on one line, from top to bottom, each row in reading order."""
    rows: list[list[Run]] = []
    for run in sorted(runs, key=lambda r: (r.middle, r.x0)):
        if rows and _same_line(rows[-1], run):
            rows[-1].append(run)
        else:
            rows.append([run])
    for row in rows:
        backward = 2 * sum(len(r.text) for r in row if is_rtl(r.text)) > sum(len(r.text) for r in row)
        row.sort(key=lambda r: -r.x1 if backward else r.x0)
    return rows


def _same_line(row: list[Run], run: Run) -> bool:
    tallest = max(row, key=lambda r: r.height)
    small, tall = sorted((tallest, run), key=lambda r: r.height)
    return abs(small.middle - tall.middle) < (0.5 if small.height < 0.8 * tall.height else 0.4) * tall.height


def _line(row: list[Run], column: int) -> Line:
    height = max(run.height for run in row)
    text, cells = row[0].text, 1
    for before, run in pairwise(row):
        gap = run.x0 - before.x1 if run.x0 >= before.x0 else before.x0 - run.x1
        if gap > CELLS * height:
            text, cells = f"{text}  {run.text}", cells + 1
        elif gap > SPACE * height and not text.endswith(" ") and not run.text.startswith(" "):
            text = f"{text} {run.text}"
        else:
            text += run.text
    longest = max(row, key=lambda run: len(run.text))
    return Line(
        text.strip(),
        min(run.x0 for run in row),
        min(run.y0 for run in row),
        max(run.x1 for run in row),
        max(run.y1 for run in row),
        column,
        longest.size or longest.height,
        cells,
    )
