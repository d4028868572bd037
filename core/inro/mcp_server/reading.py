"""The tools that read: a document's text in slices, its structure, and the list of documents."""

from __future__ import annotations

from bisect import bisect_right
from typing import cast

from inro.errors import UsageError
from inro.mcp_server.arguments import Parameter
from inro.mcp_server.finding import FILTER, UNTRUSTED
from inro.mcp_server.harmless import harmless, one_line, only, plain
from inro.mcp_server.shapes import LISTED, OUTLINE, SLICE
from inro.mcp_server.tool import Desk, Job, Result, Tool
from inro.records import Outcome

LONGEST_SLICE = 8000
"""Code points of one slice."""
MOST_LISTED = 500
"""Headings, links and backlinks of one document, each."""

DOCUMENT = Parameter("document", "document", "The document's number (of a hit), its path, or its title.", required=True)


def read(desk: Desk, job: Job, document: int | str, start: int, end: int | None) -> Result:
    """A slice of a document's stored text."""
    if end is not None and end <= start:
        raise UsageError(f"end is {end} and start {start}", "give an end after the start, or none")
    stop = start + LONGEST_SLICE if end is None else min(end, start + LONGEST_SLICE)
    view = desk.library.show(document, span=(start, stop))
    if start > view.chars:
        raise UsageError(f"start is {start}", f"give a whole number from 0 to {view.chars}, the document's length")
    reached = start + len(view.text)
    # a damaged library may hold less text than it says: nobody is sent on for nothing
    following = reached if view.text and reached < view.chars else None
    own = {"start": start, "end": reached, "next": following, "text": harmless(view.text)}
    named = {name: shape for name, shape in SLICE["properties"].items() if name not in own}
    on = f"next: {following}" if following is not None else "the end"
    head = f"{one_line(view.title)} (document {view.document}), {start}-{reached} of {view.chars}; {on}. {UNTRUSTED}"
    return Result(only(view, {"properties": named}) | own, f"{head}\n\n{harmless(view.text)}")


def list_documents(desk: Desk, job: Job, filter: str, outcome: str, after: int, limit: int) -> Result:  # noqa: A002
    """A page of the documents that pass."""
    rows = desk.library.files(cast("Outcome", outcome) if outcome else None, filters=filter)
    rows = tuple(sorted(rows, key=lambda row: row.document))
    begin = bisect_right(rows, after, key=lambda row: row.document)
    page = rows[begin : begin + limit]
    following = page[-1].document if begin + limit < len(rows) else None
    shape = LISTED["properties"]["documents"]["items"]
    lines = [
        f"document {row.document}: {one_line(row.path)}"
        + ("" if row.outcome == "ok" else f" ({row.outcome}: {one_line(row.reason)})")
        for row in page
    ]
    lines.append(f"{len(page)} of {len(rows)}" + (f"; next page: after {following}" if following else ""))
    return Result(
        {"documents": [only(row, shape) for row in page], "total": len(rows), "next": following}, "\n".join(lines)
    )


def outline(desk: Desk, job: Job, document: int | str) -> Result:
    """What a document is made of, without its text."""
    view = desk.library.show(document, span=(0, 0))
    listed = (view.headings, view.links, view.backlinks)
    link = OUTLINE["properties"]["links"]["items"]
    value = {
        "document": view.document,
        "path": harmless(view.path),
        "title": harmless(view.title),
        "chars": view.chars,
        "tags": plain(view.tags),
        "fields": plain(view.fields),
        "headings": [
            {"start": start, "level": level, "text": harmless(text)}
            for start, level, text in view.headings[:MOST_LISTED]
        ],
        "links": [only(one, link) for one in view.links[:MOST_LISTED]],
        "backlinks": [{"document": id_, "title": harmless(title)} for id_, title in view.backlinks[:MOST_LISTED]],
        "left_out": sum(max(0, len(all_) - MOST_LISTED) for all_ in listed),
    }
    lines = [f"{one_line(view.title)} (document {view.document}, {one_line(view.path)}), {view.chars} characters"]
    lines += [f"{'  ' * level}{one_line(text)} ({start})" for start, level, text in view.headings[:MOST_LISTED]]
    lines += [f"linked from document {id_}: {one_line(title)}" for id_, title in view.backlinks[:MOST_LISTED]]
    return Result(value, "\n".join(lines))


READING = (
    Tool(
        "read",
        "Read a document",
        f"Read a document's text as stored, at most {LONGEST_SLICE} characters a call: with the span of a hit, or from "
        f"start on; next says where to go on. The slices put together are the whole text. {UNTRUSTED}",
        SLICE,
        read,
        (
            DOCUMENT,
            Parameter("start", "whole", "Where to begin, in code points from 0.", default=0),
            Parameter("end", "whole", "Where to stop, exclusive. Without it: as far as a slice goes.", low=1),
        ),
    ),
    Tool(
        "outline",
        "Structure of a document",
        "A document's headings with their places (give them to read), tags, declared fields, the links it makes and "
        f"the documents that link to it. {UNTRUSTED}",
        OUTLINE,
        outline,
        (DOCUMENT,),
    ),
    Tool(
        "list_documents",
        "List documents",
        "What documents there are, by number, and what became of each file: all, those that pass a filter, or those "
        f"of one outcome, such as unreadable ones with the reason and what to do. Paged. {UNTRUSTED}",
        LISTED,
        list_documents,
        (
            FILTER,
            Parameter(
                "outcome",
                "text",
                "Only these; empty for all.",
                default="",
                choices=("", "ok", "partial", "unreadable", "skipped"),
            ),
            Parameter("after", "whole", "The next of the page before; 0 for the first page.", default=0),
            Parameter("limit", "whole", "Documents a page.", default=100, low=1, high=500),
        ),
    ),
)
