"""The tools and documents in the Model Context Protocol, by its official SDK.

Rule: what a tool cannot do is a result that says so, for the model to read; a protocol error is only what no model can
mend.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from inro import __version__
from inro.mcp_server import resources
from inro.mcp_server.finding import UNTRUSTED
from inro.mcp_server.harmless import one_line
from inro.mcp_server.tool import Desk, Job, Result, Tool
from inro.mcp_server.tools import INSTRUCTIONS, TOOLS, offered
from inro.mcp_server.work import Failure, Work

Request: TypeAlias = ServerRequestContext[dict[str, Any]]
Page: TypeAlias = types.PaginatedRequestParams | None

TEXT = "text/plain"


def build(desk: Desk) -> Server[dict[str, Any]]:
    """A server for one connection; when that ends, so do its calls and the library's processes."""
    work = Work()
    tools = {tool.name: tool for tool in TOOLS}

    @asynccontextmanager
    async def life(_: Server[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(work.end)
                await to_thread.run_sync(desk.library.close)

    async def list_tools(request: Request, page: Page) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in offered(desk.read_only)])

    async def call_tool(request: Request, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = tools.get(asked.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {one_line(asked.name)[:80]}")
        done = await work.do(lambda job: tool.call(desk, job, asked.arguments or {}), request.session.report_progress)
        said: list[types.ContentBlock] = [types.TextContent(text=done.text)]
        if isinstance(done, Failure):
            return types.CallToolResult(content=said, is_error=True)
        return types.CallToolResult(content=said, structured_content=done.value)

    async def list_resources(request: Request, page: Page) -> types.ListResourcesResult:
        cursor = (page.cursor if page else None) or "0"
        found = (await _done(request, partial(resources.page, desk, cursor=cursor))).value
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=f"{resources.SCHEME}{one['document']}", name=one["path"], mime_type=TEXT)
                for one in found["documents"]
            ],
            next_cursor=None if found["next"] is None else str(found["next"]),
        )

    async def list_templates(request: Request, page: Page) -> types.ListResourceTemplatesResult:
        document = types.ResourceTemplate(
            uri_template=f"{resources.SCHEME}{{number}}",
            name="document",
            description=f"The whole text of a document, by its number. {UNTRUSTED}",
            mime_type=TEXT,
        )
        return types.ListResourceTemplatesResult(resource_templates=[document])

    async def read_resource(request: Request, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = await _done(request, partial(resources.whole, desk, uri=asked.uri))
        text = types.TextResourceContents(uri=asked.uri, mime_type=TEXT, text=found.text)
        return types.ReadResourceResult(contents=[text])

    async def _done(request: Request, what: Callable[[Job], Result]) -> Result:
        done = await work.do(what, request.session.report_progress)
        if isinstance(done, Failure):
            raise MCPError(types.INVALID_PARAMS, done.text)
        return done

    return Server(
        "inro",
        version=__version__,
        title="Inro",
        instructions=INSTRUCTIONS,
        lifespan=life,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input,
        output_schema=tool.output,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            # a full rebuild drops what an emptied folder no longer holds
            destructive_hint=tool.writes,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
