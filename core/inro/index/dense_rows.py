"""All vectors of a library in one place in memory, found by chunk id.

Rows covered by a graph come first, in the order of its nodes, so that its links are row numbers; the others
follow by chunk id. Knows blocks and chunk ids; does not know how rows are searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inro.index.dense_file import Block

if TYPE_CHECKING:
    from inro_native.quantise import Coded


@dataclass(frozen=True, slots=True)
class Rows:
    """n vectors of dimension d and the chunks they are of."""

    chunk_ids: npt.NDArray[np.int64]
    """int64[n], row by row."""
    vectors: Coded
    means: npt.NDArray[np.float32]
    """float32[c, d]."""
    live: npt.NDArray[np.uint8]
    """uint8[n], 0 for a deleted chunk."""
    sorted_ids: npt.NDArray[np.int64]
    """int64[n], ascending."""
    by_id: npt.NDArray[np.uint32]
    """uint32[n], the row of each of `sorted_ids`."""

    @property
    def count(self) -> int:
        return int(self.chunk_ids.shape[0])

    @property
    def dimension(self) -> int:
        return int(self.means.shape[1])

    @property
    def nbytes(self) -> int:
        arrays: list[npt.NDArray[np.generic]] = [
            self.chunk_ids, self.vectors.codes, self.vectors.scales, self.vectors.centre, self.means,
            self.live, self.by_id,
        ]  # fmt: skip
        if self.sorted_ids is not self.chunk_ids:
            arrays.append(self.sorted_ids)
        return sum(array.nbytes for array in arrays)

    def locate(self, chunk_ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """(rows, known): the row of each chunk and whether it has one; an unknown chunk gets some row.

        Args:
            chunk_ids: int64[m].

        Returns:
            int64[m] and bool[m]; rows are all 0 when there are none at all.
        """
        from inro_native.lookup import find

        at = find(self.sorted_ids, chunk_ids)
        known = at >= 0
        if not self.count:
            return np.zeros(chunk_ids.shape[0], np.int64), known
        return self.by_id[at].astype(np.int64), known

    def locate_live(self, chunk_ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """As `locate`, with deleted chunks unknown."""
        rows, known = self.locate(chunk_ids)
        if self.count:
            known &= self.live[rows] == 1
        return rows, known

    def decode(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The vectors of some rows, float32[len(rows), d]."""
        taken = self.vectors.take(rows)
        found: npt.NDArray[np.float32] = taken.codes * taken.scales[:, None] + self.means[taken.centre]
        return found


def lay_out(blocks: Sequence[Block], first: npt.NDArray[np.int64], deleted: npt.NDArray[np.int64]) -> Rows:
    """Rows of checked blocks of one dimension, no chunk twice.

    Args:
        blocks: any number.
        first: int64[m], distinct chunks of these blocks, for the first m rows in this order.
        deleted: int64[x], chunks that are no more; unknown ones are ignored.
    """
    from inro_native.quantise import Coded

    ids = np.concatenate([block.chunk_ids for block in blocks] or [np.empty(0, np.int64)])
    count, dimension = ids.shape[0], blocks[0].dimension if blocks else 0
    order = np.argsort(ids, kind="stable")
    sorted_ids = ids[order]
    front = order[np.searchsorted(sorted_ids, first)]
    behind = np.ones(count, np.bool_)
    behind[front] = False
    place = np.concatenate([front, order[behind[order]]])
    row = np.empty(count, np.int64)
    row[place] = np.arange(count)

    vectors = Coded(np.empty((count, dimension), np.int8), np.empty(count, np.float32), np.empty(count, np.uint16))
    means: dict[bytes, int] = {}
    at = 0
    for block in blocks:
        here = row[at : at + block.codes.shape[0]]
        vectors.codes[here] = block.codes
        vectors.scales[here] = block.scales
        vectors.centre[here] = means.setdefault(block.mean.tobytes(), len(means))
        at += here.shape[0]

    chunk_ids = ids[place]
    rows = Rows(
        chunk_ids,
        vectors,
        np.frombuffer(b"".join(means), np.float32).reshape(len(means), dimension),
        np.ones(count, np.uint8),
        chunk_ids if (chunk_ids == sorted_ids).all() else sorted_ids,
        row[order].astype(np.uint32),
    )
    gone, known = rows.locate(deleted)
    rows.live[gone[known]] = 0
    return rows
