"""The state of the library as one reading: figures, files, models. A library not made yet is an empty one."""

from __future__ import annotations

from inro.errors import LibraryMissing
from inro.records import Status
from inro_tui.facade import Facade
from inro_tui.messages import StateArrived


def read_state(library: Facade) -> StateArrived:
    """Read status, files and models. May block.

    Raises:
        InroError: the file is there and cannot be used.
    """
    models = tuple(library.models())
    try:
        return StateArrived(library.status(look=False), library.files(), models)
    except LibraryMissing:
        return StateArrived(_nothing(library.path.name), (), models)


def _nothing(name: str) -> Status:
    return Status(
        library=name,
        format=0,
        generation=0,
        bytes=0,
        sources=(),
        documents=0,
        outcomes={},
        chunks=0,
        vectors=0,
        segments=0,
        analyser="",
        embedder="",
        to_embed=0,
    )
