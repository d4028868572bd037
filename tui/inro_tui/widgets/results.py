"""How one search result looks: title and heading, the matched words in their sentence, where it is from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inro.records import Hit, Ledger
from inro_tui.lines import Line, Piece, fold, joined, marked, spread
from inro_tui.merge import Found
from inro_tui.sanitise import clean_line, clean_mapped, one_line
from inro_tui.strings import Strings
from inro_tui.widgets.rows import Row
from inro_tui.wrap import cells, cut_middle

_STEPS = 4
_LEAD = 24
"""Cells of text kept before the first matched word when the beginning has to go."""


def rows_of(found: Sequence[Found], strings: Strings, *, snippet_lines: int, apart: bool, trace: bool) -> list[Row]:
    """The list's rows; `apart` puts an empty line after each."""
    best = max((one.hit.score for one in found if not one.by_title), default=0.0)
    return [Row(one.key, _drawer(one, strings, best, snippet_lines, apart, trace), item=one) for one in found]


def _drawer(
    found: Found, strings: Strings, best: float, snippet_lines: int, apart: bool, trace: bool
) -> Callable[[int], list[Line]]:
    hit = found.hit

    def draw(width: int) -> list[Line]:
        if found.by_title:
            title = (clean_line(hit.title), "bold")
            where = (cut_middle(clean_line(hit.path), max(width // 2, 8)), "faint")
            lines = [spread((title, ("  ", "dim"), (strings.title_row, "second")), (where,), width)]
        else:
            lines = hit_lines(hit, strings, width, snippet_lines=snippet_lines, best=best)
            if trace:
                lines += trace_lines(hit, strings, width)
        return [*lines, ()] if apart else lines

    return draw


def hit_lines(hit: Hit, strings: Strings, width: int, *, snippet_lines: int, best: float = 0.0) -> list[Line]:
    """A result at a width."""
    weak = hit.below_floor
    name: list[Piece] = [(clean_line(hit.title) or clean_line(hit.path), "faint" if weak else "bold")]
    heading = last_heading(hit)
    if heading:
        name.append((f" › {heading}", "faint" if weak else "dim"))
    lines = [spread(tuple(name), _marks(hit, strings, best), width)]
    lines += fold(excerpt(hit, width * snippet_lines), width, limit=snippet_lines)
    where: list[Piece] = [(cut_middle(clean_line(hit.path), max(width - 12, 8)), "faint")]
    if hit.page is not None:
        where.append(("  " + strings.page.format(page=hit.page), "faint"))
    lines.append(tuple(where))
    if hit.also_in:
        lines += fold(((strings.also_in.format(n=len(hit.also_in)), "dim"),), width, limit=1)
    return lines


def last_heading(hit: Hit) -> str:
    """The innermost heading, unless it only says the title again."""
    heading = clean_line(hit.heading).rpartition(" › ")[2]
    return "" if heading == clean_line(hit.title) else heading


def excerpt(hit: Hit, room: int) -> Line:
    """The snippet on one line with its highlights, begun late where they stand late."""
    cleaned = clean_mapped(hit.shown)
    flat = one_line(cleaned.text)
    text = flat.text
    spans = flat.spans(cleaned.spans(hit.shown_highlights))
    start = len(text) - len(text.lstrip())
    first = spans[0][0] if spans else start
    if cells(text[start:first]) > room * 3 // 4:
        start = first
        while start > 0 and cells(text[start - 1 : first]) <= _LEAD:
            start -= 1
        # Not in the middle of a Latin word.
        gap = text.find(" ", start, first)
        if text[start - 1 : start + 1].isascii() and start <= gap:
            start = gap + 1
    cut_off = bool(text[:start].strip())
    weak = hit.below_floor
    moved = [(s - start, e - start) for s, e in spans]
    line = marked(text[start:].rstrip(), moved, "faint" if weak else "plain", "dim" if weak else "mark")
    return (("⋯", "faint"), *line) if cut_off else line


def _marks(hit: Hit, strings: Strings, best: float) -> Line:
    pieces: list[Piece] = []
    if hit.pinned:
        pieces.append((strings.pinned + " ", "second"))
    if hit.below_floor:
        pieces.append((strings.weak + " ", "faint"))
    if best > 0:
        full = max(0, min(_STEPS, round(_STEPS * hit.score / best)))
        style = "faint" if hit.below_floor else "lead"
        pieces += [("▮" * full, style), ("▯" * (_STEPS - full), "faint")]
    return tuple(pieces)


def trace_lines(hit: Hit, strings: Strings, width: int) -> list[Line]:
    """The score's parts, which sum to it."""
    lines: list[Line] = [((strings.trace_head.format(score=f"{hit.score:.3f}"), "second"),)]
    for part in hit.trace:
        left: Line = ((f"  {part.value:+9.3f}  ", "second"), (clean_line(part.lane), "plain"))
        lines.append(joined([left, ((clean_line(part.note), "dim"),)]))
    return [row for line in lines for row in fold(line, width)]


def ledger_line(ledger: Ledger, strings: Strings) -> Line:
    """How much of what the user owns was searched; what was not is said in a warning colour."""
    parts: list[Line] = [((strings.ledger.format(searched=f"{ledger.searched:,}", total=f"{ledger.total:,}"), "dim"),)]
    for template, count, style in (
        (strings.ledger_unreadable, ledger.unreadable, "warn"),
        (strings.ledger_offline, ledger.offline, "warn"),
        (strings.ledger_skipped, ledger.skipped, "faint"),
        (strings.ledger_changed, ledger.changed, "warn"),
    ):
        if count:
            parts.append(((template.format(n=f"{count:,}"), style),))
    return joined(parts, (" | ", "faint"))
