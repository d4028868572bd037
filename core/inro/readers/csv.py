"""CSV and TSV: text kept as written, one block a record where a record spans lines, so that none is cut.

The delimiter is the one that splits the first lines most evenly. Headers are not repeated: the stored text
is the file's own.
"""

from __future__ import annotations

from inro.readers.blocks import cover, line_trimmed
from inro.readers.decode import decode
from inro.readers.reader import Reader, stem_of
from inro.records import Block, Reading

_DELIMITERS = ",\t;|"


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a table of delimited values. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    delimiter = "\t" if name.lower().endswith((".tsv", ".tab")) else delimiter_of(text)
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


READER = Reader("csv", 1, frozenset({".csv", ".tsv", ".tab"}), read)
