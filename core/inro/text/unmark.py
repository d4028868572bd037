"""Markdown as a person reads it: the words without the marks around them, and where each of them went.

Rule: only marks are taken away, never a word but the target of a link; a mark that may mean itself stays. So nothing
inside code and formulas is touched, nor a star or a line between letters (`a*b`, `2**3**4`, `snake_case`), nor
`__init__` and `C#`. A mark of two parts goes whole or not at all, and stays where it would take along a word that was
looked for.
Works on any stretch of a document, and knows nothing of which documents are Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import TypeAlias

from inro.records import Span

Mark: TypeAlias = tuple[tuple[int, int, str], ...]
"""The parts of one mark, in order: from, to, and what stands there instead."""

CELL, ROW = "·", ";"
"""What stands between the cells of a table, and between its rows."""

_TAKEN = "\0"
"""Stands for a character of a mark, of code or of a formula: no pattern begins or ends there."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]", re.MULTILINE)
_CODE_SIGN = re.compile(
    r"[;{}\\]$|[A-Za-z0-9_]\(.*\)[:;]?$|(?:^|\s)(?:[=!<>]=|[-+*/|&]?=|->|=>|&&)(?:\s|$)|^\s*(?:\$ |//|@[A-Za-z])",
    re.ASCII,
)
_CODE = re.compile(r"(?<![\\`])(`+)(?!`)((?:[^`]|(?!\1(?!`))`+){1,1000}?)(\1)(?!`)")
_FORMULA = re.compile(r"(?<!\\)\$\$[^$]{1,1000}\$\$|(?<![\\$\w])\$(?=[^\s$])[^$\n]{0,300}?(?<=[^\s\\])\$(?![\d$])")
_ADDRESS = re.compile(r"\b(?:https?|ftp)://[^\s<>\"'`|)\]*\0　-〿一-鿿぀-ヿ＀-￯]{1,2000}")

_ESCAPE = re.compile(r"(\\)([!-/:-@\[-`{-~])")
_QUOTE = re.compile(r"^[ ]{0,3}((?:>[ ]?)+(?:[ ]*\[![\w-]+\][+-]?[ ]?)?)", re.MULTILINE)
_HEADING = re.compile(r"^[ \0]{0,60}(#{1,6}[ \t]+)(?=[^\s#])[^\n]*?([ \t]+#+)?[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[ ]{0,3}((?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})[ \t]*$", re.MULTILINE)
_BLOCK_ID = re.compile(r"(?<=\S)([ \t]\^[A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_PIPE = re.compile(r"\|")

_WIKI = re.compile(r"(?<!\\)(!?\[\[(?:[^\[\]|\n]{0,300}\|)?)[^\[\]|\n]{1,300}(\]\])")
_LINK = re.compile(
    r"(!?\[)(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,300}"
    r"(\]\((?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,300}\)){0,2000})(?:[ \t]+\"[^\"\n]{0,300}\")?\))"
)
_BARE = re.compile(r"(<)(?:https?|mailto):[^<>\s]{1,2000}(>)")
_FOOTNOTE = re.compile(r"(\[\^[^\[\]\s]{1,60}\]:?)")
_COMMENT = re.compile(r"(<!--)[^<>]{0,1000}?(-->)")
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_EMPHASIS = tuple(
    re.compile(
        rf"(?<![{sign}\\])({sign}{{{size}}})(?![\s{sign}])({inside}{{0,400}}?)(?<![\s{sign}\\])({sign}{{{size}}})(?!{sign})"
    )
    for sign, sizes in ((r"\*", (3, 2, 1)), ("_", (3, 2, 1)), ("~", (2,)), ("=", (2,)))
    for size in sizes
    for inside in (rf"(?:[^\n{sign}]|\n(?!\s*\n))" if size == 1 else r"(?:[^\n]|\n(?!\s*\n))",)
)
_NAME = re.compile(r"__[a-z0-9_]+__")
"""`__init__`, which would be bold otherwise."""


def shown(text: str, marks: Sequence[Mark], start: int, end: int, wanted: Sequence[Span]) -> tuple[str, list[Span]]:
    """`text[start:end]` without its marks, and the wanted spans in that.

    Args:
        marks: those of `text`.
        wanted: spans of the slice, in order; each is there whole afterwards.

    Returns:
        The slice as it is where nothing but marks is in it.
    """
    slice_ = text[start:end]
    there = [[(max(a, start) - start, min(b, end) - start, put) for a, b, put in mark if a < end and b > start]
             for mark in marks]  # fmt: skip
    parts = sorted(part for mark in there if not _takes(mark, wanted) for part in mark)
    out: list[str] = []
    # for each code point of the slice, how many came of it
    came = [1] * len(slice_)
    at = 0
    for a, b, put in parts:
        out += (slice_[at:a], put)
        came[a:b] = [len(put), *[0] * (b - a - 1)]
        at = b
    out.append(slice_[at:])
    read = "".join(out)
    if not read.strip() or (any(map(str.isalnum, slice_)) and not any(map(str.isalnum, read))):
        return slice_, list(wanted)
    before = list(accumulate(came, initial=0))
    return read, [(before[a], before[b]) for a, b in wanted]


def _takes(mark: Sequence[tuple[int, int, str]], wanted: Sequence[Span]) -> bool:
    return any(a < stop and b > begin for a, b, _ in mark for begin, stop in wanted)


@lru_cache(maxsize=256)
def marks(text: str) -> tuple[Mark, ...]:
    """The marks of a stretch of Markdown; no two parts overlap."""
    if _is_code(text):
        return ()
    found: list[Mark] = []
    free = _without_code(text, found)
    # an image may be the label of a link, so links are taken twice
    for pattern in (_WIKI, _ESCAPE, _QUOTE, _HEADING, _RULE, _BLOCK_ID, _LINK, _LINK, _BARE, _FOOTNOTE, _COMMENT):
        free = _take(free, pattern, found)
    breaks = [match.span() for match in _BREAK.finditer(free)]
    found += [((start, end, " "),) for start, end in breaks]
    free = _hidden(free, breaks)
    free = _take_tables(text, free, found)
    free = _hidden(free, [match.span() for match in _ADDRESS.finditer(free)])
    for pattern in _EMPHASIS:
        free = _take(free, pattern, found)
    return tuple(_outermost(found))


def _outermost(found: Sequence[Mark]) -> Iterator[Mark]:
    """The marks without those parts that lie in another's: an escape in the target of a link."""
    kept: set[Span] = set()
    at = 0
    for start, end in sorted(((a, b) for mark in found for a, b, _ in mark), key=lambda span: (span[0], -span[1])):
        if start >= at:
            kept.add((start, end))
            at = end
    for mark in found:
        if left := tuple(part for part in mark if part[:2] in kept):
            yield left


def _take(free: str, pattern: re.Pattern[str], found: list[Mark]) -> str:
    """Add each match's groups as one mark; returns the text without them."""
    taken: list[Span] = []
    for match in pattern.finditer(free):
        spans = [match.span(i) for i in range(1, pattern.groups + 1) if match.start(i) >= 0]
        if pattern in _EMPHASIS:
            if _NAME.fullmatch(match[0]) or not _flanks(free, match):
                continue
            spans = [spans[0], spans[-1]]
        elif pattern is _ESCAPE:
            taken.append(spans.pop())
        found.append(tuple((a, b, "") for a, b in spans if a < b))
        taken += spans
    return _hidden(free, taken)


def _flanks(free: str, match: re.Match[str]) -> bool:
    """Whether signs around words are emphasis, and no operators or parts of a name."""
    before, after = free[: match.start()][-1:], free[match.end() :][:1]
    return not (_is_word(before) and match[2][:1].isascii()) and not (_is_word(after) and match[2][-1:].isascii())


def _is_word(one: str) -> bool:
    return one.isascii() and (one.isalnum() or one == "_")


def _without_code(text: str, found: list[Mark]) -> str:
    """The text with code and formulas hidden; what marks them is added to `found`."""
    free = text
    fences = [(match.start(1), match.end(1), bool(match[2].strip())) for match in _FENCE.finditer(text)]
    hidden: list[Span] = []
    if len(fences) % 2 and not fences[0][2] and text[: fences[0][0]].strip():
        # begun before this stretch: what names no language ends a block
        begin, end, _ = fences.pop(0)
        found.append(((begin, end, ""),))
        hidden.append((0, end))
    while fences:
        begin, end, _ = fences.pop(0)
        sign = text[begin:end]
        while fences and (fences[0][2] or not text[fences[0][0] : fences[0][1]].startswith(sign)):
            fences.pop(0)
        if fences:
            last, stop, _ = fences.pop(0)
            found.append(((begin, end, ""), (last, stop, "")))
        else:
            stop = len(text)
            found.append(((begin, end, ""),))
        hidden.append((begin, stop))
    free = _hidden(free, hidden)
    if not _ITEM.search(free):
        free = _hidden(free, [match.span() for match in _INDENTED.finditer(free)])
    hidden = []
    for match in _CODE.finditer(free):
        found.append(((*match.span(1), ""), (*match.span(3), "")))
        hidden.append(match.span())
    free = _hidden(free, hidden)
    return _hidden(free, [match.span() for match in _FORMULA.finditer(free)])


def _is_code(text: str) -> bool:
    """Whether a stretch looks like the middle of a code block, which no fence in it says then."""
    if _FENCE.search(text):
        return False
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return len(lines) > 2 and 2 * sum(map(_is_coded, lines)) >= len(lines)


def _is_coded(line: str) -> bool:
    return bool(_CODE_SIGN.search(line)) or (line.startswith(("    ", "\t")) and not _ITEM.match(line))


def _take_tables(text: str, free: str, found: list[Mark]) -> str:
    """Take the pipes of rows and the line under a table's head."""
    at = 0
    lines: list[tuple[int, int, str]] = []
    for line in free.split("\n"):
        kind = "row" if "|" in line else ""
        if kind and _DELIMITERS.fullmatch(line):
            kind = "delimiters"
        lines.append((at, at + len(line), kind))
        at += len(line) + 1
    taken: list[Span] = []
    for has_pipes, run in groupby(lines, key=lambda line: bool(line[2])):
        table = list(run) if has_pipes else []
        is_table = any(kind == "delimiters" for _, _, kind in table)
        last = max((start for start, _, kind in table if kind == "row"), default=0)
        for start, end, kind in table:
            row = free[start:end].strip()
            first = start + free[start:end].find(row)
            if kind == "delimiters":
                parts = [(first, first + len(row), "")]
            elif is_table or (row.startswith("|") and row.endswith("|") and len(row) > 1):
                parts = list(_pipes(text, free, start, end, ROW if start < last else ""))
            else:
                continue
            found += [(part,) for part in parts]
            taken += [(a, b) for a, b, _ in parts]
    return _hidden(free, taken)


def _pipes(text: str, free: str, start: int, end: int, after: str) -> Iterator[tuple[int, int, str]]:
    """The pipes of a row and what stands there instead; `after` at its end."""
    for match in _PIPE.finditer(free, start, end):
        pipe = match.start()
        if not text[start:pipe].strip():
            yield pipe, pipe + 1, ""
        elif text[pipe + 1 : end].strip():
            yield pipe, pipe + 1, CELL
        else:
            yield start + len(text[start:pipe].rstrip()) if after else pipe, pipe + 1, after


def _hidden(text: str, spans: Sequence[Span]) -> str:
    """The text with these stretches taken, at equal length; line ends stay."""
    return "".join(_pieces(text, sorted(spans)))


def _pieces(text: str, spans: Sequence[Span]) -> Iterator[str]:
    at = 0
    for start, end in spans:
        if end <= at:
            continue
        start = max(start, at)
        yield text[at:start]
        yield "\n".join(_TAKEN * len(line) for line in text[start:end].split("\n"))
        at = end
    yield text[at:]
