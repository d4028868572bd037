"""Late interaction: how well the tokens of a text answer those of a question, token by token.

The score is MaxSim (Khattab and Zaharia, SIGIR 2020): every token of the question takes the nearest token of the text,
and the cosines of these pairs are averaged. Token vectors are kept as int8, one scale a token; those of the question
as int16, so finely that only the rounding of the text's is left.

Knows arrays. Does not know models, texts or which tokens are worth comparing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inro_native.kernel import kernel

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """t token vectors: token i is `scales[i] * codes[i]`, of length 1."""

    codes: npt.NDArray[np.int8]
    """int8[t, d], C-contiguous."""
    scales: Floats
    """float32[t]."""

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.codes.nbytes + self.scales.nbytes


def encode(states: Floats) -> Tokens:
    """Token vectors rounded to int8, each brought to length 1 first.

    Args:
        states: float32[t, d], finite; a row of zeros is like no other token.

    Raises:
        ValueError: another shape, or a number that is not finite.
    """
    unit = _unit(states)
    peaks = np.abs(unit).max(axis=1, initial=0.0)
    scales = np.where(peaks > 0, peaks / np.float32(127), np.float32(1)).astype(np.float32)
    return Tokens(np.rint(unit / scales[:, None]).astype(np.int8), scales)


def maxsim(question: Floats, tokens: Tokens) -> float:
    """The mean over the question's tokens of the cosine with the text's nearest token, in [-1, 1] but for rounding.

    A question or a text without tokens scores 0.

    Args:
        question: float32[q, d], finite, of any length.
        tokens: of the text, of the same d.

    Raises:
        ValueError: shapes that do not fit, or a number that is not finite.
    """
    asked = _unit(question)
    if asked.shape[1] != tokens.codes.shape[1]:
        raise ValueError(f"a question of {asked.shape[1]} numbers a token, a text of {tokens.codes.shape[1]}")
    if not len(asked) or not len(tokens.codes):
        return 0.0
    # the most that the int32 sums of products with int8 codes leave room for
    most = min(32767, (2**31 - 1) // (128 * asked.shape[1]))
    codes = np.rint(asked * np.float32(most)).astype(np.int16)
    best = np.full(len(codes), -np.inf, np.float32)
    _nearest(codes, tokens.codes, tokens.scales, best)
    return float(best.mean(dtype=np.float64) / most)


def _unit(states: Floats) -> Floats:
    rows = np.asarray(states, np.float32)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"token vectors of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("a token vector holds a number that is not finite")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


@kernel()
def _nearest(question: npt.NDArray[np.int16], codes: npt.NDArray[np.int8], scales: Floats, best: Floats) -> None:
    """Raises `best` float32[q] to the greatest product of each question token with a text token, in the question's
    steps."""
    for t in range(len(codes)):
        for q in range(len(question)):
            total = np.int32(0)
            for i in range(codes.shape[1]):
                total += np.int32(question[q, i]) * np.int32(codes[t, i])
            value = scales[t] * np.float32(total)
            if value > best[q]:
                best[q] = value
