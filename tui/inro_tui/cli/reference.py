"""The reference of the command line, in Markdown, made from the commands' own help: `docs/cli.md`.

Run as `python -m inro_tui.cli.reference > docs/cli.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from inro_tui.cli.main import cli

WIDTH = 100
"""Columns that help is set in, whatever terminal it is made on."""

HEAD = """\
# The command line

What `--help` says, command by command. This page is made from it (`make docs`); edit the commands instead.
What `--json` writes is in [json.md](json.md), the query language in [search.md](search.md), the tables that
`inro sql` asks in [index-file.md](index-file.md)."""


def pages(command: click.Command, name: str, above: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """(`inro models list`, its help) of a command and of all below it."""
    context = click.Context(command, info_name=name, parent=above, terminal_width=WIDTH, max_content_width=WIDTH)
    # its own default is cut short when there is no terminal
    context.help_option_names = ["-h", "--help"]
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from pages(found, below, context)


def reference() -> str:
    """The whole page."""
    parts = [HEAD]
    for path, text in pages(cli, "inro"):
        parts.append(f"## {path}\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    print(reference(), end="")
