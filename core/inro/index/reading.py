"""One file to one document about to be put in: opened, read, and what went wrong made its outcome.

Never raises for a file's sake: whatever is wrong with one, the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from inro.errors import Unreadable
from inro.index.intake import Incoming
from inro.index.read_worker import ReadWorker
from inro.index.roots import EARLIER, NO_READER
from inro.readers.registry import SNIFF_BYTES, read, reader_for, suffix_of
from inro.records import Outcome, Reading
from inro.sources import UNSEEN, FoundFile, Rules, Skipped, content_hash, read_bytes, stated_encoding


def read_file(
    root: Path,
    rules: Rules,
    source: int,
    file: FoundFile,
    document: int | None,
    worker: ReadWorker,
    stopped: Callable[[], bool],
) -> Incoming | tuple[int, str, str] | None:
    """The document a file makes; None if `stopped` became true while it was read.

    A file that has a document and cannot be opened now gives (document, reason, mend) instead: its stored
    text stays. `worker` reads the formats that are read apart.
    """
    try:
        data = read_bytes(root, file, rules.max_bytes)
    except Unreadable as e:
        if document is not None:
            return document, e.message + EARLIER, e.mend
        return _incoming(source, file, "", document, _nothing(file.path, "unreadable", e.message, e.mend))
    digest = content_hash(data)
    reader = reader_for(suffix_of(file.path), data[:SNIFF_BYTES])
    encoding = stated_encoding(rules, file.path)
    try:
        if reader is not None and reader.isolated:
            reading = worker.read(data, file.path, encoding, stopped=stopped)
        else:
            reading = read(data, file.path, encoding)
    except Unreadable as e:
        reading = _nothing(file.path, "unreadable", e.message, e.mend)
    return None if reading is None else _incoming(source, file, digest, document, reading)


def left_out(source: int, skipped: Skipped) -> Incoming:
    """The document that stands for a file the walk did not take in."""
    return Incoming(
        source=source,
        path=skipped.path + ("/" if skipped.folder else ""),
        raw=skipped.raw,
        hash="",
        size=UNSEEN,
        mtime_ns=0,
        reading=_nothing(skipped.path, "skipped", skipped.reason),
    )


def stem(path: str) -> str:
    """The title of last resort: the file's name without folders and suffix."""
    return PurePosixPath(path).stem or path


def _nothing(path: str, outcome: Outcome, reason: str, mend: str = "") -> Reading:
    reader = reader_for(suffix_of(path), b"\0")
    return Reading(
        text="",
        title=stem(path),
        blocks=(),
        reader=reader.id if reader is not None else NO_READER,
        encoding="",
        outcome=outcome,
        reason=reason,
        mend=mend,
    )


def _incoming(source: int, file: FoundFile, digest: str, document: int | None, reading: Reading) -> Incoming:
    return Incoming(
        source=source,
        path=file.path,
        raw=file.raw,
        hash=digest,
        size=file.size,
        mtime_ns=file.mtime_ns,
        reading=reading,
        document=document,
    )
