"""The tools that keep: how the library is, and bringing it up to date."""

from __future__ import annotations

from inro.errors import InroError, LibraryMissing, UsageError
from inro.mcp_server.arguments import Parameter
from inro.mcp_server.harmless import one_line, only, plain
from inro.mcp_server.shapes import REPORT, STATUS
from inro.mcp_server.tool import Desk, Job, Result, Tool
from inro.records import Progress, Status, SyncReport


def status(desk: Desk, job: Job) -> Result:
    """The state of the library, also of one that is not there yet."""
    try:
        found = desk.library.status()
    except LibraryMissing as error:
        none = Status(str(desk.library.path), 0, 0, 0, (), 0, {}, 0, 0, 0, "", "", 0, notes=(str(error),))
        return _status(desk, none, exists=False)
    return _status(desk, found, exists=True)


def reindex_vault(desk: Desk, job: Job, full_rebuild: bool) -> Result:
    """Bring the library up to date with its sources."""
    if desk.read_only:
        raise read_only()
    if not desk.syncing.acquire(blocking=False):
        raise UsageError("a reindex is running already", "wait for it to end; searches are answered meanwhile")
    try:
        report: SyncReport | None = None
        for event in desk.library.sync(full=full_rebuild, cancel=job.cancel):
            report = event.report or report
            job.tell(_progress(event))
        # later results say how many files changed since, and that was counted before
        desk.library.drift(stop=job.cancel)
    finally:
        desk.syncing.release()
    if report is None:
        raise InroError("the reindex was stopped", "reindex_vault again: what was done is kept")
    counts = [f"{getattr(report, name)} {name}" for name in ("added", "changed", "removed", "renamed", "unchanged")]
    text = f"{', '.join(counts)}; {report.chunks} passages written, {report.to_embed} to embed; {report.seconds:.1f} s"
    return Result(only(report, REPORT), "\n".join([text, *(f"Note: {one_line(note)}" for note in report.notes)]))


def read_only() -> UsageError:
    """Why nothing may be changed here."""
    return UsageError(
        "this server is read-only", "ask the user to run inro sync, or to start inro mcp without --read-only"
    )


def _status(desk: Desk, found: Status, *, exists: bool) -> Result:
    own = {
        "exists": exists,
        "read_only": desk.read_only,
        "changed": found.drift.total if found.drift else None,
        "sources": [only(one, STATUS["properties"]["sources"]["items"]) for one in found.sources],
        "outcomes": plain(found.outcomes),
    }
    named = {name: shape for name, shape in STATUS["properties"].items() if name not in own}
    lines = [f"{one_line(found.library)}: {found.documents} documents, {found.chunks} passages"]
    lines += [
        f"source {one.id}: {one_line(one.path)}, {one.documents} documents{'' if one.present else ', not there now'}"
        for one in found.sources
    ]
    if found.drift and found.drift.total:
        lines.append(f"{found.drift.total} files changed since the last sync: reindex_vault takes them in")
    lines += [f"Note: {one_line(note)}" for note in found.notes]
    return Result(only(found, {"properties": named}) | own, "\n".join(lines))


def _progress(event: Progress) -> str:
    unit = "passages" if event.phase == "embed" else "files"
    return f"{event.phase}: {event.done}" + (f" of {event.total}" if event.total else "") + f" {unit}"


KEEPING = (
    Tool(
        "status",
        "State of the library",
        "How many documents and passages the library holds, from which folders, whether they are there now, and how "
        "many files changed since the last sync. Call it when results surprise.",
        STATUS,
        status,
    ),
    Tool(
        "reindex_vault",
        "Bring the library up to date",
        "Read what changed in the user's folders into the library; their files are never touched. Searches are "
        "answered meanwhile, and stopping it loses nothing that was done. full_rebuild reads every file again, which "
        "may take long, and drops the documents of a folder that is there and empty: only when the user asks for it.",
        REPORT,
        reindex_vault,
        (Parameter("full_rebuild", "flag", "Read every file again, changed or not.", default=False),),
        writes=True,
    ),
)
