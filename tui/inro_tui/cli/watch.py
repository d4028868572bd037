"""`inro watch`: keep the library up to date while it runs, or print a unit that has the system do it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import Context, announce_compiling, narrate, shared_options, write_json, write_lines
from inro_tui.cli.index import report_line, show_progress
from inro_tui.cli.units import launchd, systemd

if TYPE_CHECKING:
    from inro.records import Progress, SyncReport, WatchNotice


@click.command("watch")
@click.option(
    "--every",
    default=15,
    show_default=True,
    type=click.IntRange(1, 1440),
    metavar="MINUTES",
    help="Look at every source this often, noticed or not.",
)
@click.option("--poll", is_flag=True, help="List the folders to find changes: for network drives.")
@click.option(
    "--print-unit",
    type=click.Choice(["systemd", "launchd"]),
    help="Print a timer that runs inro sync every so many minutes, and how to install it.",
)
@shared_options
@click.pass_context
def watch_command(ctx: click.Context, every: int, poll: bool, print_unit: str | None) -> None:
    """Sync whenever something changes, until interrupted.

    Nothing but what changed is read. Each sync is one line on stdout, or one JSON report a line with --json.
    """
    context = Context.of(ctx)
    if print_unit:
        unit = systemd if print_unit == "systemd" else launchd
        write_lines(unit(context.library_path.absolute(), every).splitlines())
        return
    announce_compiling("sync")
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with context.open() as library:
        _run(context, library.watch(stop, every=60.0 * every, poll=poll))


def _run(context: Context, events: Iterator[Progress | WatchNotice]) -> None:
    first = True
    for report in _reports(events):
        # a look that found nothing is not worth a line, but the first says that all is well
        if not (first or report.added + report.changed + report.removed + report.renamed + report.embedded):
            continue
        first = False
        if context.json:
            write_json(report, indent=None)
            continue
        write_lines([report_line(report)])
        for note in report.notes:
            narrate(f"note: {note}")


def _reports(events: Iterator[Progress | WatchNotice]) -> Iterator[SyncReport]:
    """What each sync of a watch did; its progress and notices are told on the way."""

    while True:
        report = show_progress(_progress(events))
        if report is None:
            return
        yield report


def _progress(events: Iterator[Progress | WatchNotice]) -> Iterator[Progress]:
    from inro.records import Progress

    for event in events:
        if isinstance(event, Progress):
            yield event
        elif event.kind == "watching":
            gone = f"; {event.absent} are not there now" if event.absent else ""
            narrate(f"watching {event.present} sources{gone}")
        elif event.kind == "busy":
            narrate(f"note: {event.detail}; trying again")
        else:
            narrate(f"note: no notice of changes here ({event.detail}); every source is looked at from time to time")
