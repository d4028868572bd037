"""Query vectors: made in the background, remembered, and waited for only as long as one will.

Rule: a query is embedded once, however many ask for it; who does not wait any longer is told so, and finds the vector
when it asks again. A failure is told to all who waited and is not remembered. Knows no model: it is handed the function
that embeds, which may block.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from inro.errors import LaneLate

REMEMBERED = 256
"""Vectors kept, so that typing back and forth embeds nothing twice."""

Vector: TypeAlias = NDArray[np.float32]
Embed: TypeAlias = Callable[[str], Vector]
"""A query's unit vector; raises `ModelError` when no model can make one."""


class Embedder:
    """An `Embed` that says whose vectors it gives; those of a plain function are taken for the library's own."""

    def __init__(self, embed: Embed, fingerprint: Callable[[], str]) -> None:
        """
        Args:
            fingerprint: of the model, asked for once it has embedded something.
        """
        self._embed = embed
        self.fingerprint = fingerprint
        self.late = False
        """It was not waited for any longer."""

    def __call__(self, text: str) -> Vector:
        try:
            return self._embed(text)
        except LaneLate:
            self.late = True
            raise


class QueryEmbedder:
    """The vectors of queries; shared by threads."""

    def __init__(self, embed: Embed, fingerprint: Callable[[], str]) -> None:
        self._embed = embed
        self._fingerprint = fingerprint
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Future[Vector]] = OrderedDict()
        """Finished and under way, the latest used last."""

    def within(self, milliseconds: int | None) -> Embedder:
        """What to search with: waits that long for a vector and then raises LaneLate; None: as long as it takes."""
        return Embedder(lambda text: self._get(text, milliseconds), self._fingerprint)

    def _get(self, text: str, milliseconds: int | None) -> Vector:
        try:
            return self._ordered(text).result(None if milliseconds is None else milliseconds / 1000)
        except Late:
            raise LaneLate(
                f"the embedder has not answered within {milliseconds} ms",
                "search again in a moment, or set a longer lane_ms",
            ) from None

    def _ordered(self, text: str) -> Future[Vector]:
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
                return known
            self._known[text] = made = Future[Vector]()
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        threading.Thread(target=self._make, args=(text, made), daemon=True, name="embed a query").start()
        return made

    def _make(self, text: str, made: Future[Vector]) -> None:
        try:
            vector = self._embed(text)
        except BaseException as error:  # whatever it is, those who wait must hear of it
            with self._lock:
                if self._known.get(text) is made:
                    del self._known[text]
            made.set_exception(error)
        else:
            made.set_result(vector)
