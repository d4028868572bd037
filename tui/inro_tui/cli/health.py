"""`inro doctor`, `inro verify`: is everything as it should be; exit code 1 when not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inro.errors import InroError
from inro_tui.cli.context import Context, shared_options, write_json, write_lines
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.store.cipher import Key


@click.command("doctor")
@click.option("--terminal", is_flag=True, help="Check this terminal instead: widths of characters, colours, clipboard.")
@shared_options
@click.pass_context
def doctor_command(ctx: click.Context, terminal: bool) -> None:
    """Check this machine, the models and the library.

    What is not right comes with what to do about it; the exit code is 1 then.
    """
    from inro.doctor import examine

    context = Context.of(ctx)
    if terminal:
        from inro_tui.cli.terminal import examine_terminal

        checks = tuple(examine_terminal())
    else:
        checks = tuple(examine(context.library_path, _key(context)))
    if context.json:
        write_json(checks)
    else:
        for check in checks:
            expected = f" (expected {clean_line(check.expected)})" if check.expected and not check.ok else ""
            write_lines([f"{'ok ' if check.ok else 'BAD'} {check.name:<12} {clean_line(check.found)}{expected}"])
            if check.mend and not check.ok:
                write_lines([f"                 Do: {clean_line(check.mend)}"])
    ctx.exit(0 if all(check.ok for check in checks) else 1)


def _key(context: Context) -> Key | None:
    """The library's key; none where settings cannot be read, which is then among what is told."""
    try:
        with context.open() as library:
            return library.store.key
    except InroError:
        return None


@click.command("verify")
@shared_options
@click.pass_context
def verify_command(ctx: click.Context) -> None:
    """Check the whole index file.

    Every table, offset, posting and vector; the exit code is 1 if there is a fault.
    """
    context = Context.of(ctx)
    faults = tuple(context.open().verify())
    if context.json:
        write_json(faults)
    elif not faults:
        write_lines(["no faults"])
    else:
        write_lines(
            clean_line(f"{fault.where}: {fault.what}" + (f". Do: {fault.mend}" if fault.mend else ""))
            for fault in faults
        )
    ctx.exit(1 if faults else 0)
