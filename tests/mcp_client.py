"""An agent's side of the protocol: the SDK's own client at a server in this process, and what it was told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult, TextContent

from inro.library import Library
from inro.mcp_server.server import build
from inro.mcp_server.tool import Desk

LONG = "# 長い記録\n\n" + "".join(f"第{n}項 温度は {n} °C、𠮷田が測った。\n\n" for n in range(1, 1500))
NOTES = {
    "sops/drying.md": "---\ntags: [sop]\n---\n# 乾燥庫の使い方\n\n"
    "シリカゲルは 120 °C で再生する。\n\nSee [[furnace]].\n",
    "sops/furnace.md": "---\ntags: [sop]\nversion: 2\n---\n# Vacuum furnace\n\n"
    "## Heating\n\nHeat below 5e-3 Pa only.\n",
    "notes/log.md": "# Log\n\nThe furnace was cleaned. Sample S-1041 broke.\n",
    "notes/long.md": LONG,
    "notes/film.mp4": "\0" * 64,
}


def client(library: Library, *, read_only: bool = False, mode: str = "legacy") -> Client:
    """An agent at a server of this library; `legacy` shakes hands over streams in memory."""
    return Client(build(Desk(library, read_only)), mode=mode)


class Told:
    """What a call says while it runs."""

    def __init__(self) -> None:
        self.begun = anyio.Event()
        self.numbers: list[float] = []
        self.lines: list[str] = []

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.numbers.append(progress)
        self.lines.append(message or "")
        self.begun.set()


def said(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def value(client: Client, tool: str, **arguments: object) -> Mapping[str, Any]:
    """What a tool gives, which the client has checked against the tool's own schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, said(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def error(client: Client, tool: str, **arguments: object) -> str:
    """What a tool that cannot do it says."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert "Traceback" not in said(result)
    return said(result)
