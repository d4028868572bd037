"""An answer of the review queue taken into the notes: the note is written, then the decision remembered."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from inro.errors import UsageError
from inro.records import SourceState
from inro.shelves import masking, noting
from inro.state.reviews import Reviews


def accept(reviews: Reviews, number: int, folder: Path, on: date, mask_names: str) -> Path:
    """Write the note of an answer that waits into a folder; the file.

    Args:
        mask_names: the setting of that name.

    Raises:
        NotFound, UsageError: there is no such answer, it was decided before, it cites nothing, or the folder cannot
            be written.
        StateUnusable: the state file cannot be used.
    """
    item = reviews.get(number)
    if item.state != "waiting":
        raise UsageError(f"answer {number} was {item.state} before", "inro review list")
    file = noting.write(item.answer, folder, on, masking.names_of(mask_names)).absolute()
    reviews.decide(number, "accepted", str(file))
    return file


def first_folder(sources: Iterable[SourceState]) -> Path:
    """The first folder of a library that is here. Raises UsageError if none is."""
    for source in sources:
        if source.present and Path(source.path).is_dir():
            return Path(source.path)
    raise UsageError("no folder of the library is here now", "inro review accept N --into FOLDER")
