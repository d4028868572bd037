"""`inro add`, `sync`, `forget`, `status`: what is in the library and how it gets there."""

from __future__ import annotations

import codecs
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import (
    Context,
    announce_compiling,
    narrate,
    overwrite,
    shared_options,
    write_json,
    write_lines,
)
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import Progress, Status, SyncReport


@click.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--include", multiple=True, metavar="PATTERN", help="Take in only what matches; may be repeated.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave out what matches; may be repeated.")
@click.option("--hidden", is_flag=True, help="Take in names that begin with a dot.")
@click.option("--no-ignore-files", is_flag=True, help="Do not follow .gitignore and .inroignore.")
@click.option("--max-mb", type=click.IntRange(1, 4096), help="Leave out files larger than this.  [default: 64]")
@click.option(
    "--encoding",
    multiple=True,
    metavar="[PATTERN=]CHARSET",
    help="Charset of text files, or of those that match, whatever they look like: old/*=cp932.",
)
@shared_options
@click.pass_context
def add_command(
    ctx: click.Context,
    paths: tuple[Path, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    hidden: bool,
    no_ignore_files: bool,
    max_mb: int | None,
    encoding: tuple[str, ...],
) -> None:
    """Bring folders or files into the library, and remember them.

    They are its sources from then on; `inro sync` looks at all of them again. Patterns are written as in
    .gitignore. Adding a source again with any of these options replaces the ones it had.
    """
    context = Context.of(ctx)
    rules = None
    if include or exclude or hidden or no_ignore_files or max_mb or encoding:
        from inro.records import Rules

        usual = Rules()
        rules = Rules(
            include=include,
            exclude=exclude,
            hidden=hidden,
            ignore_files=not no_ignore_files,
            max_bytes=max_mb * 1024 * 1024 if max_mb else usual.max_bytes,
            encodings=tuple(_encoding_rule(one) for one in encoding),
        )
    _finish(context, context.open().add(paths, rules=rules))


@click.command("sync")
@click.option("--full", is_flag=True, help="Read every file again, changed or not.")
@shared_options
@click.pass_context
def sync_command(ctx: click.Context, full: bool) -> None:
    """Bring the library up to date with its sources."""
    context = Context.of(ctx)
    _finish(context, context.open().sync(full=full))


@click.command("forget")
@click.argument("source")
@shared_options
@click.pass_context
def forget_command(ctx: click.Context, source: str) -> None:
    """Take a source out of the library, by its number or path.

    Its documents are searched no more; the files themselves are not touched.
    """
    context = Context.of(ctx)
    count = context.open().forget(source)
    if context.json:
        write_json({"documents": count})
    else:
        write_lines([f"{count} documents left the library; the files are where they were"])


@click.command("status")
@click.option("--files", is_flag=True, help="List what became of each file.")
@click.option(
    "--outcome",
    type=click.Choice(["ok", "partial", "unreadable", "skipped"]),
    help="With --files: only these.",
)
@shared_options
@click.pass_context
def status_command(ctx: click.Context, files: bool, outcome: str | None) -> None:
    """What the library holds."""
    context = Context.of(ctx)
    library = context.open()
    if files or outcome:
        rows = library.files(outcome)  # type: ignore[arg-type]
        if context.json:
            write_json(rows)
        else:
            write_lines(
                f"{row.outcome:<10} {clean_line(row.path)}"
                + (f"  ({clean_line(row.reason)})" if row.reason else "")
                + (f"  {row.coverage:.1%} indexed" if row.coverage < COVERED else "")
                for row in rows
            )
        return
    status = library.status()
    if context.json:
        write_json(status)
    else:
        write_lines(_status_lines(status))


COVERED = 0.999
"""Share of a text in the index below which it is worth a word."""


def _encoding_rule(written: str) -> tuple[str, str]:
    """`CHARSET` or `PATTERN=CHARSET` as a rule.

    Raises:
        click.BadParameter: there is no such charset.
    """
    pattern, _, charset = written.rpartition("=")
    try:
        codecs.lookup(charset)
    except (LookupError, ValueError):
        raise click.BadParameter(f"no such charset: {charset}; e.g. cp932, euc_jp, gb18030, utf-16-le") from None
    return pattern or "*", charset


def _finish(context: Context, events: Iterator[Progress]) -> None:
    announce_compiling("sync")
    report = show_progress(events)
    if report is None:
        return
    if context.json:
        write_json(report)
    else:
        write_lines([report_line(report)])
        for note in report.notes:
            narrate(f"note: {note}")


def show_progress(events: Iterator[Progress]) -> SyncReport | None:
    """Narrates a sync on stderr: one moving line on a terminal, a line a phase elsewhere."""
    terminal = sys.stderr.isatty()
    report: SyncReport | None = None
    phase, shown = "", 0.0
    try:
        for event in events:
            report = event.report or report
            if event.phase == "done":
                break
            moved = event.phase != phase
            phase = event.phase
            if terminal and (moved or time.monotonic() - shown > 0.1):
                shown = time.monotonic()
                overwrite(_progress_line(event))
            elif moved and not terminal and event.total:
                narrate(f"{event.phase}: {event.total}")
    finally:
        if terminal and phase:
            overwrite("")
    return report


def _progress_line(event: Progress) -> str:
    unit = "chunks" if event.phase == "embed" else "files"
    parts = [f"{event.phase} {event.done}" + (f" of {event.total}" if event.total else "") + f" {unit}"]
    if event.rate:
        parts.append(f"{event.rate:.0f}/s")
    if event.eta is not None:
        parts.append(f"{event.eta:.0f} s left")
    return "  ".join(parts)


def report_line(report: SyncReport) -> str:
    """One line for what a sync did."""
    counts = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.renamed, "renamed"),
        (report.removed, "removed"),
        (report.unchanged, "unchanged"),
        (report.unreadable, "unreadable"),
        (report.skipped, "skipped"),
    ]
    files = ", ".join(f"{count} {word}" for count, word in counts if count) or "nothing to do"
    return (
        f"{files}; {report.chunks} chunks written, {report.embedded} embedded, "
        f"{report.to_embed} to embed; {report.seconds:.1f} s"
    )


def _status_lines(status: Status) -> Iterator[str]:
    outcomes = ", ".join(f"{count} {name}" for name, count in status.outcomes.items() if count)
    yield f"library    {clean_line(status.library)} ({status.bytes / 1e6:.1f} MB, generation {status.generation})"
    yield f"documents  {status.documents}" + (f" ({outcomes})" if outcomes else "")
    yield f"chunks     {status.chunks} ({status.vectors} embedded, {status.to_embed} to embed)"
    if status.cut:
        yield f"           {status.cut} longer than the embedder reads: their ends are found by words only"
    yield f"words      {status.segments} segments, {clean_line(status.analyser)}"
    yield f"meaning    {clean_line(status.embedder) or 'no vectors yet'}"
    for source in status.sources:
        state = "" if source.present else "  offline: its text stays searchable"
        yield f"source {source.id:<3} {clean_line(source.path)}  {source.documents} documents{state}"
    if status.drift and status.drift.total:
        drift = status.drift
        counts = ((drift.added, "new"), (drift.changed, "changed"), (drift.removed, "gone"))
        moved = ", ".join(f"{count} {word}" for count, word in counts if count)
        yield f"since then {moved}: inro sync"
    for note in status.notes:
        yield f"note       {clean_line(note)}"
