"""Lines cut to cells: where a text may break, for Latin and CJK alike.

Widths are terminal cells as the drawing layer counts them. Breaks fall after spaces, after `-` and `/`, and
between wide characters, but no line begins with closing punctuation or ends with opening punctuation
(the common core of JIS X 4051). Knows no widget and no style.
"""

from __future__ import annotations

from bisect import bisect_right

from rich.cells import get_character_cell_size

TAB = 4
"""Cells a tab takes, wherever it stands."""

_NO_START = frozenset(
    "、。，．・：；？！ー々〻ゝゞヽヾぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ」』）］｝〉》】〕〗〙’”,.:;?!)]}%％℃°"
)
_NO_END = frozenset("「『（［｛〈《【〔〖〘‘“([{")

Span = tuple[int, int]


def cells(text: str) -> int:
    """Width of a text on one line."""
    if text.isascii() and "\t" not in text:
        return len(text)
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    return TAB if character == "\t" else get_character_cell_size(character)


def cut(text: str, width: int, mark: str = "⋯") -> str:
    """The text, or as much of it as fits before the mark of omission."""
    if cells(text) <= width:
        return text
    room = width - cells(mark)
    taken = 0
    for i, character in enumerate(text):
        taken += _cell(character)
        if taken > room:
            return (text[:i] + mark) if room >= 0 else ""
    return text


def cut_middle(text: str, width: int, mark: str = "⋯") -> str:
    """As `cut`, with the end kept: a path's file name says more than its first folder."""
    if cells(text) <= width:
        return text
    room = max(width - cells(mark), 0)
    head = cut(text, room // 3, "")
    tail, taken = len(text), cells(head)
    while tail > 0 and taken + _cell(text[tail - 1]) <= room:
        tail -= 1
        taken += _cell(text[tail])
    return head + mark + text[tail:]


def breaks(text: str, width: int) -> list[Span]:
    """Row spans of a whole text: it is cut at line feeds, and each line is wrapped to `width` cells.

    Row ends exclude the line feed. An empty line is an empty row.
    """
    rows: list[Span] = []
    start = 0
    width = max(width, 2)
    while True:
        end = text.find("\n", start)
        last = end < 0
        if last:
            end = len(text)
        if (end - start) * 2 <= width and text.find("\t", start, end) < 0:
            rows.append((start, end))
        else:
            _wrap_line(text, start, end, width, rows)
        if last:
            return rows
        start = end + 1


def _wrap_line(text: str, start: int, end: int, width: int, rows: list[Span]) -> None:
    line = text[start:end]
    if len(line) <= width and line.isascii() and "\t" not in line:
        rows.append((start, end))
        return
    row, chance, column, chance_column = start, start, 0, 0
    before, before_cells = "", 0
    for i in range(start, end):
        character = text[i]
        size = 1 if " " <= character <= "~" else _cell(character)
        if before and character != " " and character not in _NO_START:
            # An identifier or a date stays whole: no break before a digit.
            after_gap = before in " \t" or (before in "-/" and not character.isdigit())
            between_wide = (before_cells == 2 or size == 2) and before not in _NO_END
            if after_gap or between_wide:
                chance, chance_column = i, column
        # A space that does not fit hangs over the edge instead of starting the next row.
        # What is carried over from a break may itself be too long: then the next break is a hard one.
        while column + size > width and i > row and character != " ":
            at, at_column = (chance, chance_column) if chance > row else (i, column)
            rows.append((row, at))
            row, column = at, column - at_column
            chance = row
        column += size
        if size or not before:
            before, before_cells = character, size
    rows.append((row, end))


class Rows:
    """A wrapped text that can tell the row of an offset."""

    def __init__(self, text: str, width: int) -> None:
        self.text = text
        self.width = width
        self.spans = breaks(text, width)
        self._starts = [start for start, _ in self.spans]

    def __len__(self) -> int:
        return len(self.spans)

    def row_of(self, offset: int) -> int:
        """The row that shows the offset."""
        return max(bisect_right(self._starts, offset) - 1, 0)
