"""Text from documents and models, made safe to draw.

A document is data: it may not move the cursor, set the clipboard, turn the reading direction round or hide
letters. Everything of that kind is taken out before a string reaches the terminal; offsets are kept
translatable so that a highlight stays on its word. The stored text is never changed. Knows no widget.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Soft hyphen, joiners, fillers, variation selectors, interlinear marks, the tag plane: no cell, no ink.
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# A whole CSI sequence goes, so that a coloured log reads well; of any other sequence only the controls go:
# what follows an unclosed OSC must stay visible.
_REMOVED = re.compile(rf"\x1b\[[0-?]*[ -/]*[@-~]|[{_CONTROLS}{_DIRECTION}{_INVISIBLE}]")
_LONE_RETURN = re.compile("\r(?!\n)")
_BREAKS = re.compile("[\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SPACES = re.compile(r"\s+")
_RUNS = re.compile(r"\s{2,}")


@dataclass(frozen=True)
class Cleaned:
    """A text fit to draw, and the way between its offsets and those of the original."""

    text: str
    removed: tuple[tuple[int, int], ...] = ()
    """Spans of the original that are not in `text`, in order."""

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self.removed]

    @cached_property
    def _lost(self) -> list[int]:
        """Code points gone up to and with each removed span."""
        return list(accumulate(end - start for start, end in self.removed))

    @cached_property
    def _kept_until(self) -> list[int]:
        """Where each removed span sits in the cleaned text."""
        lost = [0, *self._lost]
        return [start - lost[i] for i, start in enumerate(self._starts)]

    def forward(self, offset: int) -> int:
        """The place in `text` of an offset into the original; inside a removed span, the place it left."""
        i = bisect_right(self._starts, offset) - 1
        if i < 0:
            return offset
        start, end = self.removed[i]
        before = self._lost[i] - (end - start)
        return offset - before - min(offset - start, end - start)

    def back(self, offset: int) -> int:
        """The place in the original of an offset into `text`."""
        i = bisect_left(self._kept_until, offset + 1) - 1
        return offset if i < 0 else offset + self._lost[i]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of the original as a span of `text`, clipped to it."""
        limit = len(self.text)
        return min(self.forward(max(start, 0)), limit), min(self.forward(max(end, 0)), limit)

    def spans(self, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Spans of the original as spans of `text`; those left empty are dropped."""
        moved = (self.span(start, end) for start, end in spans)
        return [(start, end) for start, end in moved if start < end]


def clean_mapped(text: str) -> Cleaned:
    """Take out what must not reach a terminal; tabs stay, and every kind of line end becomes a line feed."""
    text = _LONE_RETURN.sub("\n", text)
    text = _BREAKS.sub("\n", text)
    text = _SURROGATES.sub("\ufffd", text)
    removed = tuple(match.span() for match in _REMOVED.finditer(text))
    if not removed:
        return Cleaned(text)
    return Cleaned(_REMOVED.sub("", text), removed)


def one_line(text: str) -> Cleaned:
    """A cleaned text with every run of white space as one space."""
    extra = tuple((match.start() + 1, match.end()) for match in _RUNS.finditer(text))
    return Cleaned(_SPACES.sub(" ", text), extra)


def clean(text: str) -> str:
    """`clean_mapped` where no offset matters."""
    return clean_mapped(text).text


def clean_line(text: str) -> str:
    """One line: as `clean`, with every run of white space as one space, and none at the ends."""
    return _SPACES.sub(" ", clean(text)).strip()
