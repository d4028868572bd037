"""How many slips of the finger lie between one word and many others.

The distance is the optimal string alignment: insert, delete, replace, or swap two neighbours, each costing one, no
stretch edited twice. Only a band as wide as the bound allows is computed, and a word is given up as soon as a whole row
exceeds it. Knows numbers standing for characters, not which characters are worth correcting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inro_native.kernel import kernel


def distances(
    word: NDArray[np.uint16], points: NDArray[np.uint16], offsets: NDArray[np.int64], most: int
) -> NDArray[np.uint8]:
    """uint8[n]: the distance from `word` to `points[offsets[i]:offsets[i + 1]]`, or `most + 1` if it is more.

    Raises:
        ValueError: a bound outside 0 to 8, or offsets that leave `points`.
    """
    if not 0 <= most <= 8:
        raise ValueError(f"a bound of {most} edits is outside 0 to 8")
    if len(offsets) == 0 or int(offsets[0]) < 0 or int(offsets[-1]) > len(points) or bool((np.diff(offsets) < 0).any()):
        raise ValueError("offsets do not lie in the words they divide")
    found = np.full(len(offsets) - 1, most + 1, dtype=np.uint8)
    _distances(word, points, offsets, most, found)
    return found


@kernel()
def _distances(
    word: NDArray[np.uint16],
    points: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    most: int,
    out: NDArray[np.uint8],
) -> None:
    n = len(word)
    above = np.empty(n + 1, dtype=np.int64)
    here = np.empty(n + 1, dtype=np.int64)
    upper = np.empty(n + 1, dtype=np.int64)
    for w in range(len(out)):
        first = offsets[w]
        m = offsets[w + 1] - first
        if abs(m - n) > most:
            continue
        for j in range(n + 1):
            here[j] = j
            above[j] = most + 1
        for i in range(1, m + 1):
            upper, above, here = above, here, upper
            least = most + 1
            for j in range(n + 1):
                here[j] = most + 1
            if i <= most:
                here[0] = i
                least = i
            for j in range(max(1, i - most), min(n, i + most) + 1):
                point = points[first + i - 1]
                cost = 0 if point == word[j - 1] else 1
                best = min(above[j - 1] + cost, above[j] + 1, here[j - 1] + 1)
                if i > 1 and j > 1 and point == word[j - 2] and points[first + i - 2] == word[j - 1]:
                    best = min(best, upper[j - 2] + 1)
                here[j] = min(best, most + 1)
                least = min(least, here[j])
            if least > most:
                break
        else:
            out[w] = min(here[n], most + 1)
