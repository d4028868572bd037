"""Attaching reference shelves to what a user asks: the file is opened once as a stranger's before it is remembered."""

from __future__ import annotations

from pathlib import Path

from inro.errors import PathMissing
from inro.library import Library
from inro.records import Shelf
from inro.shelves.zim import Zim, is_zim
from inro.state.shelves import Shelves


def attach(library: Library, file: Path, name: str | None = None, shelves: Shelves | None = None) -> Shelf:
    """Remember a file as a shelf; it is read and never written.

    Args:
        name: that of the file, without its suffix, if None.

    Raises:
        PathMissing: there is no such file.
        LibraryError: it is no library of this format and no ZIM file with a full-text index, or it is encrypted.
        UsageError: the name cannot be, or is taken; a ZIM file, and libzim is not installed.
        StateUnusable: it cannot be remembered.
    """
    if not file.is_file():
        raise PathMissing(f"there is no file {file}", "check the path")
    try:
        zim = is_zim(file)
    except OSError as e:
        raise PathMissing(f"{file} cannot be read: {e.strerror}", "check its permissions") from e
    if zim:
        Zim(file).close()
    else:
        library.beside(file).status(look=False)
    return (shelves or Shelves()).add(name or file.stem, file, "zim" if zim else "library")
