"""`inro demo`: the sample library, opened on a terminal or shown as five questions without one; and the app itself."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import announce_compiling, narrate, shared_options, write_lines
from inro_tui.cli.find import answer_lines, result_lines
from inro_tui.cli.index import show_progress

if TYPE_CHECKING:
    from inro.library import Library


@click.command("demo")
@click.option("--print", "print_only", is_flag=True, help="Show the five questions even on a terminal.")
@shared_options
@click.pass_context
def demo_command(ctx: click.Context, print_only: bool) -> None:
    """Try Inro on the notes of a small materials laboratory."""
    from inro.library import Library
    from inro.paths import cache_dir
    from inro.sample import folder

    narrate("indexing the sample library")
    announce_compiling("sync")
    # named by where the notes are: another installation's copies are other files, not more of the same
    place = hashlib.sha256(str(folder()).encode()).hexdigest()[:8]
    with Library(cache_dir() / f"sample-{place}.inro") as library:
        report = show_progress(library.add([folder()]))
        for note in report.notes if report else ():
            narrate(f"note: {note}")
        if print_only or not (sys.stdin.isatty() and sys.stdout.isatty()):
            write_lines(_tour(library))
            return
    open_app(library)


def open_app(library: Library) -> None:
    """The app on a library.

    Raises:
        UsageError: there is no terminal to draw on.
    """
    from inro.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the app needs a terminal", "inro --help, for the commands that do not")
    from inro_tui.app import run

    with library:
        run(library)


def _tour(library: Library) -> Iterator[str]:
    from inro.records import AnswerDone
    from inro.sample import EXAMPLES

    for number, example in enumerate(EXAMPLES, 1):
        if number > 1:
            yield ""
        yield f"{number}. {example.why}"
        yield f'   $ inro {example.command} "{example.text}"'
        if example.command == "search":
            yield from result_lines(library.search(example.text, limit=3))
        else:
            done = [event for event in library.ask(example.text) if isinstance(event, AnswerDone)]
            yield from answer_lines(done[-1].answer)
