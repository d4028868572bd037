"""`inro config`: every setting, what it is now, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import Context, narrate, shared_options, write_json, write_lines
from inro_tui.cli.paint import Paint
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import Setting


@click.command("config")
@shared_options
@click.pass_context
def config_command(ctx: click.Context) -> None:
    """Show the settings and where each comes from.

    They are one TOML file, whose name is told; lines of this form may be put in it. A key that is none is refused.
    """
    from inro import config

    settings = config.described()
    if Context.of(ctx).json:
        write_json(settings)
        return
    paint = Paint.for_stdout()
    for setting in settings:
        write_lines([paint.dim(f"# {clean_line(setting.meaning)}"), _line(setting, paint)])
    narrate(f"settings file: {config.settings_file()}")


def _line(setting: Setting, paint: Paint) -> str:
    said = f"{setting.name} = {clean_line(setting.toml)}"
    return f"{paint.bold(said)}  # {clean_line(setting.origin)}"
