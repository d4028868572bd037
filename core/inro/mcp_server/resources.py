"""Documents as resources: `inro://document/NUMBER`, a list in pages, and the text of one.

Knows no protocol: what it gives is turned into frames by `server`.
"""

from __future__ import annotations

from inro.errors import UsageError
from inro.mcp_server.harmless import harmless
from inro.mcp_server.reading import list_documents
from inro.mcp_server.tool import Desk, Job, Result

SCHEME = "inro://document/"
LONGEST = 200_000
"""Code points of a document that is given whole."""
PAGE = 100
"""Resources a page."""


def page(desk: Desk, job: Job, cursor: str) -> Result:
    """Documents after the one that the cursor names; as `list_documents`."""
    return list_documents(desk, job, "", "", _number(cursor, "the cursor"), PAGE)


def whole(desk: Desk, job: Job, uri: str) -> Result:
    """The text of a document.

    Raises:
        NotFound: there is none of this number.
        UsageError: the address is another, or the document is too long.
    """
    if not uri.startswith(SCHEME):
        raise UsageError(f"there is no resource {uri[:80]}", f"name {SCHEME} and a document's number")
    number = _number(uri.removeprefix(SCHEME), "the document")
    view = desk.library.show(number, span=(0, LONGEST))
    if view.chars > LONGEST:
        raise UsageError(f"document {number} has {view.chars} characters", "read it in slices, with the tool read")
    return Result({}, harmless(view.text))


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise UsageError(f"{what} is {text[:80]!r}", "give a whole number")
    return int(text)
