"""DuckDB's errors in the user's words: what a failure to open, read, write or make a library means, and what to do."""

from __future__ import annotations

from pathlib import Path

import duckdb

from inro import log
from inro.errors import KeyNeeded, LibraryError, LibraryMissing, NotAnIndex, WriteFailed, WrongKey

MEMORY_LIMIT = "1GB"
"""What one reading operation may use before DuckDB refuses to go on."""


def opening_error(path: Path, error: duckdb.Error, *, read_only: bool) -> LibraryError:
    """What a failed open means for the user."""
    message = str(error).splitlines()[0]
    if not path.exists():
        return missing(path)
    _record("opening", path, error)
    if "Wrong encryption key" in message:
        return WrongKey(f"wrong key for {path}")
    if "Cannot open encrypted database" in message:
        return KeyNeeded(f"{path} is encrypted", "--key-file FILE, or the settings key_file or key_source")
    if path.is_dir():
        return NotAnIndex(f"{path} is a folder, not a library", "name an .inro file with --library")
    if "Permission denied" in message or "Read-only file system" in message:
        if read_only:
            return LibraryError(f"{path} cannot be read: permission denied", f"chmod u+r {path}")
        return WriteFailed(f"{path} cannot be written: read-only file or medium", "copy it to where you may write")
    return NotAnIndex(f"{path} is not an Inro library or is damaged: {message}", "restore a copy or sync anew")


def missing(path: Path) -> LibraryMissing:
    """The error for a library that is not there yet."""
    return LibraryMissing(f"there is no library at {path} yet", "inro add FOLDER")


def commit_error(path: Path, error: duckdb.Error) -> LibraryError:
    """What a failed write or commit means for the user; the file is as it was before."""
    _record("commit", path, error)
    message = str(error).splitlines()[0]
    if _is_full(message):
        return WriteFailed(f"no space left to write {path}; it is as it was", "free some disk space and repeat")
    return WriteFailed(f"{path} could not be written; it is as it was: {message}", "check the disk and repeat")


def not_replaced(path: Path, error: OSError) -> LibraryError:
    """What it means that no other file could be put in this one's place."""
    return WriteFailed(f"{path} could not be replaced; it is as it was: {error.strerror}", "check the folder")


def making_error(path: Path, error: duckdb.Error) -> LibraryError:
    """What a failure means while a new file is made that would have come to be at `path`; nothing is there."""
    message = str(error).splitlines()[0]
    if _is_full(message):
        return WriteFailed(f"no space left to make {path}", "free some disk space and repeat")
    return WriteFailed(f"{path} could not be made: {message}", "check the disk and repeat")


def _is_full(message: str) -> bool:
    return "No space left" in message or "File too large" in message or "quota" in message.lower()


def query_error(path: Path, error: duckdb.Error) -> LibraryError:
    """What an error while reading means for the user: a damaged file, or one built to exhaust memory."""
    _record("reading", path, error)
    message = str(error).splitlines()[0]
    if isinstance(error, duckdb.OutOfMemoryException):
        return NotAnIndex(f"reading {path} needs more than {MEMORY_LIMIT}; it is damaged or hostile")
    return NotAnIndex(f"{path} is damaged: {message}", "restore a copy or sync anew")


def does_not_end(path: Path) -> LibraryError:
    """What it means that DuckDB does not come back from a query even when it is interrupted."""
    log.warning("a query does not end", library=path.name)
    return NotAnIndex(
        f"the query does not end and cannot be stopped; {path} may be damaged", "start again, inro verify"
    )


def is_locked_setting(error: duckdb.Error) -> bool:
    """Whether DuckDB refused a statement because it would change a setting that is locked."""
    return "configuration has been locked" in str(error)


def _record(failed: str, path: Path, error: duckdb.Error) -> None:
    # DuckDB's words may quote what is in the file
    log.warning(f"{failed} failed", library=path.name, kind=type(error).__name__)
    log.debug(f"{failed} failed", library=path, said=error)
