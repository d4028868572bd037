"""The order of a list while results still arrive.

Rule: what the reader's cursor is on, and all above it, stays where it is; better knowledge fills in below. A list that
nobody has touched takes the new order whole. Knows rows by their keys only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Row = TypeVar("Row")


def keep_place(
    shown: Sequence[Row],
    arriving: Sequence[Row],
    held: Hashable,
    keys: Callable[[Row], Sequence[Hashable]],
) -> list[Row]:
    """The list to show next.

    Args:
        held: the key of the row under the cursor; None while the reader has not moved there.
        keys: what a row is known by, at least one: its own key first, then those of rows that it stands for.
    """
    fresh = {keys(row)[0]: row for row in arriving}
    place = None if held is None else next((i for i, row in enumerate(shown) if keys(row)[0] == held), None)
    kept = [] if place is None else [fresh.get(keys(row)[0], row) for row in shown[: place + 1]]
    already = {keys(row)[0] for row in kept}
    return kept + [row for row in fresh.values() if already.isdisjoint(keys(row))]
