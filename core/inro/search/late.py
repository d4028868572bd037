"""Late interaction as a reranker: MaxSim over the embedder's own token vectors, see `inro_native.late`.

The token vectors of passages are made when a passage is first a result and kept while there is room: the next query
of a person is mostly about the same passages. Nothing of it is stored in the library.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from inro.errors import ModelError

if TYPE_CHECKING:
    from inro_native.late import Tokens

WEIGHT = 40.0
"""What a cosine greater by 1 is worth, in the standard deviations of the calibrated fusion; `tests/bench/rerank.py`."""
MOST_BYTES = 64 << 20
"""Of token vectors kept: those of about 800 passages of e5-small."""
QUESTIONS = 8


class TokenSource(Protocol):
    """What is needed of an embedding worker."""

    def token_states(self, text: str, *, question: bool = False) -> NDArray[np.float32]:
        """float32[t, d]: a vector for each token of a text. Raises ModelError."""


class LateInteraction:
    """Scores by MaxSim. Shared by threads."""

    name = "late interaction"
    weight = WEIGHT

    def __init__(self, embedder: TokenSource) -> None:
        self._embedder = embedder
        self._passages: OrderedDict[bytes, Tokens] = OrderedDict()
        self._questions: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def is_known(self, question: str, text: str) -> bool:
        """Whether the vectors of the passage are here."""
        return _key(text) in self._passages

    def score(self, question: str, text: str) -> float:
        """The mean cosine of the question's tokens with their nearest in the text. Raises ModelError."""
        from inro_native.late import encode, maxsim

        key = _key(text)
        with self._lock:
            asked = self._questions.get(question)
            tokens = self._passages.get(key)
            if tokens is not None:
                self._passages.move_to_end(key)
        if asked is None:
            asked = self._embedder.token_states(question, question=True)
        if tokens is None:
            tokens = encode(self._embedder.token_states(text))
        with self._lock:
            self._questions[question] = asked
            if len(self._questions) > QUESTIONS:
                self._questions.popitem(last=False)
            self._keep(key, tokens)
        try:
            return maxsim(asked, tokens)
        except ValueError as error:
            raise ModelError(f"token vectors that do not fit: {error}") from error

    def _keep(self, key: bytes, tokens: Tokens) -> None:
        if key in self._passages:
            return
        self._passages[key] = tokens
        self._bytes += tokens.nbytes
        while self._bytes > MOST_BYTES:
            self._bytes -= self._passages.popitem(last=False)[1].nbytes


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
