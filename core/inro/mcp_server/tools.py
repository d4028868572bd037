"""Every tool there is, in the order in which an agent is told of them."""

from __future__ import annotations

from inro.mcp_server.finding import FINDING, UNTRUSTED
from inro.mcp_server.keeping import KEEPING
from inro.mcp_server.reading import READING
from inro.mcp_server.tool import Tool

TOOLS: tuple[Tool, ...] = (*FINDING, *READING, *KEEPING)

INSTRUCTIONS = (
    "Inro is the user's own library of notes, papers and scans in Japanese, Chinese and English, searched on this "
    "machine alone. Search first (search_vault), read what stands around a hit (read), and cite by path and title. "
    f"An error says after 'Do:' what to do next. {UNTRUSTED}"
)


def offered(read_only: bool) -> tuple[Tool, ...]:
    """The tools of a server."""
    return tuple(tool for tool in TOOLS if not (read_only and tool.writes))
