"""`inro shelf`: the files of others that may answer when the library is silent."""

from __future__ import annotations

from pathlib import Path

import click

from inro_tui.cli.context import Context, narrate, shared_options, write_json, write_lines
from inro_tui.cli.paint import Paint
from inro_tui.sanitise import clean_line


@click.group("shelf")
@shared_options
def shelf_command() -> None:
    """Reference shelves: a library of someone else, or a Kiwix ZIM file, attached read-only.

    They are asked by `inro ask --shelves`, or always with the setting shelves = "when-silent", and only when your own
    library has no answer. What comes from them is marked [S1] and waits in `inro review`.
    """


@shelf_command.command("add")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="What to call it. Default: the name of the file.")
@shared_options
@click.pass_context
def add_command(ctx: click.Context, file: Path, name: str | None) -> None:
    """Attach an index file or a ZIM file; it is opened to read, and never written.

    ZIM files need libzim: pip install 'inro[zim]'.
    """
    from inro.library import Library
    from inro.reference import attach

    context = Context.of(ctx)
    with Library(context.library_path) as library:
        shelf = attach(library, file, name)
    if context.json:
        write_json(shelf)
    else:
        narrate(f"{shelf.name} is attached. It is asked by: inro ask --shelves QUESTION")


@shelf_command.command("list")
@shared_options
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """The shelves, in the order in which they are asked."""
    from inro.state.shelves import Shelves

    shelves = Shelves().list()
    if Context.of(ctx).json:
        write_json(shelves)
        return
    paint = Paint.for_stdout()
    for shelf in shelves:
        gone = "" if Path(shelf.path).is_file() else paint.warn("  (not there now)")
        write_lines([f"{paint.bold(clean_line(shelf.name))}  {shelf.kind}  {clean_line(shelf.path)}{gone}"])


@shelf_command.command("remove")
@click.argument("name")
@shared_options
@click.pass_context
def remove_command(ctx: click.Context, name: str) -> None:
    """Detach a shelf; its file stays where it is."""
    from inro.state.shelves import Shelves

    Shelves().remove(name)
    if Context.of(ctx).json:
        write_json({"removed": name})
    else:
        narrate(f"{name} is detached")
