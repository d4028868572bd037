"""CSV and TSV: each record a line that names its columns, so that a row found alone can be read.

A table without a header, or of bare numbers, is kept as written, one block a record where a record spans
lines. The delimiter is the one that splits the first lines most evenly.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from inro.readers import tables
from inro.readers.blocks import cover, line_trimmed
from inro.readers.decode import decode
from inro.readers.draft import LARGEST_TEXT, Draft
from inro.readers.reader import Reader, stem_of
from inro.records import Block, Reading

_DELIMITERS = ",\t;|"
_ROWS_A_BLOCK = 500
_MOST_LINES_A_CELL = 200


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a table of delimited values. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    delimiter = "\t" if name.lower().endswith((".tsv", ".tab")) else delimiter_of(text)
    labelled = _labelled(text, delimiter)
    if labelled is not None:
        return labelled.reading(
            READER.id, stem_of(name), decoded.encoding, decoded.confidence, decoded.outcome, decoded.reason
        )
    fields: dict[str, tuple[str, ...]] = {}
    head = text[: _record_end(text, 0)].strip("\n")
    columns = tuple(c.strip().strip('"') for c in head.split(delimiter))
    if len(columns) > 1 and all(columns) and "\n" not in head:
        fields["columns"] = columns
    return Reading(
        text=text,
        title=stem_of(name),
        blocks=cover(text, record_blocks(text), kind="table"),
        reader=READER.id,
        fields=fields,
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def _labelled(text: str, delimiter: str) -> Draft | None:
    """The table with its columns named in every row; None if it is better kept as written."""
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    draft = Draft()
    try:
        head = list(islice(rows, tables.LOOKED_AT))
        if not tables.speaks(head):
            return None
        draft.declare("columns", *tables.columns(head))
        held: list[str] = []
        size = 0
        for line in tables.lines(_believed(chain(head, rows))):
            held.append(line)
            size += len(line)
            if len(held) >= _ROWS_A_BLOCK:
                draft.add("table", "\n".join(held))
                held = []
            if size > LARGEST_TEXT // 2:
                return None
        draft.add("table", "\n".join(held))
    except csv.Error:
        # A quotation mark that is never closed makes one cell of the rest.
        return None
    return draft


def _believed(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    for row in rows:
        if any(cell.count("\n") > _MOST_LINES_A_CELL for cell in row):
            raise csv.Error("a quotation mark that is never closed")
        yield row


def delimiter_of(text: str) -> str:
    """The delimiter that occurs in each of the first lines, most often; a comma if none does."""
    lines = [line for line in text[:8192].split("\n")[:20] if line.strip()]
    best = ","
    most = 0
    for delimiter in _DELIMITERS:
        counts = [line.count(delimiter) for line in lines]
        if counts and min(counts) > most:
            best, most = delimiter, min(counts)
    return best


def record_blocks(text: str) -> list[Block]:
    """One table block for each run of records that are one line each, and one for each longer record."""
    blocks: list[Block] = []
    run = 0
    at = 0
    while at < len(text):
        end = _record_end(text, at)
        if "\n" in text[at : end - 1].strip("\n"):
            blocks.append(Block("table", *line_trimmed(text, run, at)))
            blocks.append(Block("table", *line_trimmed(text, at, end)))
            run = end
        at = end
    blocks.append(Block("table", *line_trimmed(text, run, len(text))))
    return [b for b in blocks if b.start < b.end]


_LONGEST_RECORD = 65536
"""Characters after which a quotation mark that was never closed no longer holds lines together."""


def _record_end(text: str, start: int) -> int:
    """Where the record that begins at `start` ends: after the first line end outside quotation marks."""
    quoted = False
    at = start
    while True:
        line = text.find("\n", at)
        stop = len(text) if line == -1 else line + 1
        if text.count('"', at, stop) % 2:
            quoted = not quoted
        if not quoted or line == -1:
            return stop
        if stop - start > _LONGEST_RECORD:
            first = text.find("\n", start)
            return first + 1
        at = stop


READER = Reader("csv", 2, frozenset({".csv", ".tsv", ".tab"}), read)
