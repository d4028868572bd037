"""Standard input and output as the wire, and nothing else on it.

Rule: the descriptor of standard output is the protocol's alone from here to the end of the process. What the core, a
native library or a child writes to it goes to standard error, also what was buffered and is written out at the end.
"""

from __future__ import annotations

import os

import anyio
from mcp.server.stdio import stdio_server

from inro.library import Library
from inro.mcp_server.server import build
from inro.mcp_server.tool import Desk

STDOUT, STDERR = 1, 2


def serve(library: Library, *, read_only: bool = False) -> None:
    """Speak on standard input and output until the input ends."""
    wire = _taken()
    try:
        anyio.run(_serve, Desk(library, read_only), wire)
    except* BrokenPipeError:
        # whoever started this is gone
        pass


def _taken() -> int:
    """The wire as a descriptor of its own; the one it had leads to standard error."""
    wire = os.dup(STDOUT)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:
        # started without a standard error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, STDOUT)
        os.close(nowhere)
    return wire


async def _serve(desk: Desk, wire: int) -> None:
    server = build(desk)
    with open(wire, "w", encoding="utf-8", newline="\n", closefd=False) as out:
        async with stdio_server(stdout=anyio.wrap_file(out)) as (requests, replies):
            await server.run(requests, replies, server.create_initialization_options())
