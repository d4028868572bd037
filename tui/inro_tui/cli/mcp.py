"""`inro mcp`: the library as tools for an agent, on standard input and output."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec

import click

from inro_tui.cli.context import Context, narrate, shared_options


@click.command("mcp")
@click.option("--read-only", is_flag=True, help="Do not let agents bring the library up to date.")
@shared_options
@click.pass_context
def mcp_command(ctx: click.Context, read_only: bool) -> None:
    """Serve the library to an agent, over stdin and stdout.

    Agents start this command by themselves, once it is in their configuration: docs/mcp.md says how. It speaks the
    Model Context Protocol until its input ends, opens no port, and holds the library only while it answers.
    It needs the package mcp: pip install 'inro[mcp]'.
    """
    from inro.errors import UsageError

    if any(find_spec(name) is None for name in ("mcp", "mcp_types")):
        raise UsageError("agents need the package mcp, which is not installed", "pip install 'inro[mcp]'")
    from inro.mcp_server.wire import serve

    # a stop is a stop: Python would first wait for a line from the agent
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.stdin.isatty():
        narrate("waiting for an agent on standard input; docs/mcp.md says how one starts this command")
    serve(Context.of(ctx).open(), read_only=read_only)
