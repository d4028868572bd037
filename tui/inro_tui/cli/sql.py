"""`inro sql`: a user's own SQL over the index file, as a table for a person or as JSON for a script."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import click

from inro_tui.cli.context import Context, as_json, as_text, shared_options, write_json, write_lines
from inro_tui.cli.paint import Paint
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro_tui.cli.context import Plain

WIDEST: Final = 80
"""Cells of a table's column; JSON has values whole."""

Row = Sequence[object]


@click.command("sql")
@click.argument("query")
@click.option("--seconds", type=click.FloatRange(min=0.1), help="How long the query may take.  [default: 8]")
@shared_options
@click.pass_context
def sql_command(ctx: click.Context, query: str, seconds: float | None) -> None:
    """Ask the index file in DuckDB's SQL, read-only.

    The query reaches this one file and nothing else. The tables are described in docs/index-file.md; over
    titles, headings, tags and paths there is fts_main_titles.match_bm25(document, 'words').

    \b
    inro sql "SELECT outcome, count(*) FROM documents GROUP BY outcome"
    inro sql --json "SELECT path, chars FROM documents ORDER BY chars DESC LIMIT 5"
    """
    context = Context.of(ctx)
    with context.open() as library:
        columns, rows = library.sql(as_text(query), seconds=seconds)
    if context.json:
        keys = distinct(columns)
        write_json([dict(zip(keys, map(plain, row), strict=True)) for row in rows], digits=None)
    else:
        write_lines(table_lines(columns, list(rows)))


def distinct(columns: Sequence[str]) -> list[str]:
    """Names as keys of one object: one that comes again gets a number, `n`, `n_2`, `n_3`."""
    keys: list[str] = []
    for column in columns:
        key, number = column, 1
        while key in keys:
            number += 1
            key = f"{column}_{number}"
        keys.append(key)
    return keys


def plain(value: object) -> Plain:
    """A value of DuckDB's as JSON has it: dates in ISO 8601, bytes in hexadecimal, no NaN and no infinity."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return plain(float(value))
        case bytes():
            return value.hex()
        case datetime() | date() | time():
            return value.isoformat()
        case list() | tuple():
            return [plain(item) for item in value]
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case _:
            return str(value)


def table_lines(columns: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    """The result in columns; those that hold numbers alone stand to the right."""
    from inro_tui.wrap import cells, cut

    paint = Paint.for_stdout()
    head = [cut(clean_line(column), WIDEST) for column in columns]
    body = [[cut(_cell(value), WIDEST) for value in row] for row in rows]
    widths = [max(cells(line[i]) for line in (head, *body)) for i in range(len(head))]
    right = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(head))]

    def line(texts: Sequence[str]) -> str:
        padded = (
            " " * (width - cells(text)) + text if to_right else text + " " * (width - cells(text))
            for text, width, to_right in zip(texts, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    yield paint.bold(line(head))
    yield paint.dim("  ".join("-" * width for width in widths))
    for texts in body:
        yield line(texts)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case bytes():
            return f"{len(value)} bytes"
        case list() | tuple() | dict():
            return clean_line(as_json(plain(value), indent=None, digits=None))
        case _:
            return clean_line(str(value))


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool))
