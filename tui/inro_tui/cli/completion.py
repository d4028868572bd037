"""`inro completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import click

from inro_tui.cli.context import write_lines

VARIABLE = "_INRO_COMPLETE"
"""What the script sets when it asks `inro` for words; click's own rule makes it from the program's name."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands.

    \b
    bash   inro completion bash >> ~/.bashrc
    zsh    inro completion zsh >> ~/.zshrc
    fish   inro completion fish > ~/.config/fish/completions/inro.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    write_lines([kind(ctx.find_root().command, {}, "inro", VARIABLE).source()])
