"""`inro copy`, `merge`, `relocate`, `encrypt`, `decrypt`, `migrate`: the library as a file among files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import Context, as_text, narrate, shared_options, write_json, write_lines
from inro_tui.cli.secret import new_key
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import FileReport

_FILE = click.Path(path_type=Path)


@click.command("copy")
@click.argument("destination", metavar="DEST", type=_FILE)
@click.option("--source", "sources", multiple=True, metavar="SOURCE", help="Only this source; may be repeated.")
@click.option("--without-vectors", is_flag=True, help="Leave the vectors out; a sync makes them anew.")
@click.option("--replace", is_flag=True, help="Take the place of a file of that name.")
@shared_options
@click.pass_context
def copy_command(
    ctx: click.Context, destination: Path, sources: tuple[str, ...], without_vectors: bool, replace: bool
) -> None:
    """Copy the library to a file or folder, while others use it.

    The copy is checked whole before it gets its name. With --source, nothing of other sources is in it. A copy
    of an encrypted library has the same key.
    """
    from inro.safekeeping import copy

    context = Context.of(ctx)
    with context.open() as library:
        made = copy(
            library,
            destination,
            only=[as_text(source) for source in sources],
            vectors=not without_vectors,
            replace=replace,
        )
    _tell(context, made)


@click.command("merge")
@click.argument(
    "libraries", nargs=-1, required=True, metavar="LIBRARY...", type=click.Path(dir_okay=False, path_type=Path)
)
@click.option("--into", type=_FILE, metavar="DEST", help="Write a new file there and leave the library alone.")
@shared_options
@click.pass_context
def merge_command(ctx: click.Context, libraries: tuple[Path, ...], into: Path | None) -> None:
    """Bring what other libraries hold into this one.

    A document whose content is there already is left out. A folder is one source wherever it was indexed: of two
    states of one file the later read one stays. Vectors come along if the same model made them. The library
    changes in one step, at the end. Encrypted libraries must have one key.
    """
    from inro.library import Library
    from inro.safekeeping import merge

    context = Context.of(ctx)
    with context.open(libraries) as library:
        shards = [Library(path, library.settings, key=library.store.key) for path in libraries]
        report = merge(library, shards, into=into)
    if context.json:
        write_json(report)
        return
    counts = [
        (report.taken, "taken in"),
        (report.replaced, "of these in the place of an earlier state"),
        (report.duplicates, "there already"),
        (report.outdated, "left out for a later state"),
    ]
    write_lines([", ".join(f"{count} {word}" for count, word in counts if count) or "nothing to take in"])
    _tell(context, report.made)


@click.command("relocate")
@click.argument("source")
@click.argument("path", type=_FILE)
@click.option("--anyway", is_flag=True, help="Even if none of the source's files is there.")
@shared_options
@click.pass_context
def relocate_command(ctx: click.Context, source: str, path: Path, anyway: bool) -> None:
    """Say where a source lives now, by its number or path.

    Its documents keep their numbers and vectors. The next sync compares them with what is there.
    """
    from inro.safekeeping import relocate

    context = Context.of(ctx)
    with context.open() as library:
        moved = relocate(library, as_text(source), path, anyway=anyway)
    if context.json:
        write_json(moved)
    else:
        write_lines(
            [
                f"source {moved.source} is at {clean_line(moved.path)} now; "
                f"{moved.found} of its {moved.documents} files are there"
            ]
        )


@click.command("encrypt")
@click.option("--into", type=_FILE, metavar="DEST", help="Write a new file there and leave the library as it is.")
@click.option("--keyring", is_flag=True, help="Keep the key in the system's keyring too; or only that, if encrypted.")
@shared_options
@click.pass_context
def encrypt_command(ctx: click.Context, into: Path | None, keyring: bool) -> None:
    """Encrypt the library: its own file, or a new one.

    The key is what --key-file holds, or the passphrase that is asked for. Whoever has lost it has lost the
    library: nobody can open it without. Copies made before, and the notes themselves, stay as they are. With
    --keyring the system's keyring holds the key as well; the setting key_source = "keyring" has it asked.
    """
    from inro.safekeeping import encrypt, keep_key

    context = Context.of(ctx)
    if keyring and into is None and context.is_encrypted():
        with context.open() as library:
            keep_key(library)
            done = f"the key of {clean_line(str(library.path))} is in the system's keyring"
        write_json({"keyring": True}) if context.json else write_lines([done])
        return
    key = context.key or new_key()
    with context.open() as library:
        made = encrypt(library, key, into=into, in_ring=keyring)
    _tell(context, made)


@click.command("decrypt")
@click.option("--into", type=_FILE, metavar="DEST", help="Write a new file there and leave the library as it is.")
@shared_options
@click.pass_context
def decrypt_command(ctx: click.Context, into: Path | None) -> None:
    """Write an encrypted library in the clear: its own file, or a new one."""
    from inro.safekeeping import decrypt

    context = Context.of(ctx)
    with context.open() as library:
        made = decrypt(library, into=into)
    _tell(context, made)


@click.command("migrate")
@shared_options
@click.pass_context
def migrate_command(ctx: click.Context) -> None:
    """Bring a library that an older release wrote to this release's format.

    All of it or nothing; a library of this format is left alone. Older releases cannot open it afterwards.
    """
    from inro.safekeeping import migrate

    context = Context.of(ctx)
    with context.open() as library:
        done = migrate(library)
    if context.json:
        write_json(done)
        return
    changed = (
        f"from format {done.before} to {done.after}" if done.before != done.after else f"format {done.after} already"
    )
    write_lines([f"{clean_line(done.library)}: {changed}"])


def _tell(context: Context, made: FileReport) -> None:
    if context.json:
        write_json(made)
        return
    waiting = f", {made.to_embed} to embed" if made.to_embed else ""
    secret = ", encrypted" if made.encrypted else ""
    write_lines(
        [
            f"{clean_line(made.library)}: {made.bytes / 1e6:.1f} MB{secret}, {made.documents} documents, "
            f"{made.chunks} chunks{waiting}; {made.seconds:.1f} s"
        ]
    )
    for note in made.notes:
        narrate(f"note: {note}")
