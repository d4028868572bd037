"""Giving a finished file its name: in one step, on the disk, and never over another unasked.

Knows files and names; how a file is made, and what it holds, is the business of whoever makes it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from inro.errors import UsageError


def put_in_place(fresh: Path, path: Path, *, replace: bool = False) -> bool:
    """Give a finished file its name; False if there is one of that name and it is not to be replaced.

    Raises:
        OSError: the folder does not allow it.
    """
    _to_disk(fresh)
    if replace:
        fresh.replace(path)
    else:
        try:
            # a link fails if the name is taken, so of two programs that create at once neither undoes the other
            path.hardlink_to(fresh)
        except FileExistsError:
            return False
        except OSError:
            # a file system without hard links
            if path.exists():
                return False
            fresh.replace(path)
    with suppress(OSError):
        _to_disk(path.parent)
    return True


def refuse_taken(path: Path, mend: str = "name another file") -> None:
    """Before long work: is the name free?

    Raises:
        UsageError: something is there.
    """
    if path.exists() or path.is_symlink():
        raise UsageError(f"there is already a file at {path}", mend)


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
