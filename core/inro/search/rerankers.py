"""Which reranker the settings ask for: made when a search first needs it, kept until the library is closed."""

from __future__ import annotations

import threading
from collections.abc import Callable

from inro.config import Settings
from inro.records import Fusion, Lane
from inro.search.cross import CrossEncoder
from inro.search.late import LateInteraction, TokenSource
from inro.search.rerank import Reranker, Stage

OFF = "off"
LATE = "late"


class Rerankers:
    """Hands out the stage of one library. Shared by threads."""

    def __init__(self, settings: Settings, embedder: Callable[[], TokenSource]) -> None:
        """
        Args:
            embedder: gives the embedder's worker; raises ModelError.
        """
        self._settings = settings
        self._embedder = embedder
        self._stage: Stage | None = None
        self._cross: CrossEncoder | None = None
        self._lock = threading.Lock()

    def stage(self, lane: Lane, fusion: Fusion, wanted: bool | None) -> Stage | None:
        """The stage for a search; None where its results stay as they are.

        Weights are in units of the calibrated fusion; what one lane says, or plain ranks, is shown as it is.

        Args:
            wanted: None leaves it to the settings; where those say `off`, what is wanted is late interaction.
        """
        off = self._settings.rerank == OFF if wanted is None else not wanted
        if off or lane != "hybrid" or fusion != "calibrated":
            return None
        with self._lock:
            if self._stage is None:
                self._stage = Stage(self._open, self._settings.rerank_ms / 1000)
            return self._stage

    def close(self) -> None:
        """End the reranker's process; the next search starts anew."""
        with self._lock:
            cross, self._cross, self._stage = self._cross, None, None
        if cross is not None:
            cross.close()

    def _open(self) -> Reranker:
        """The model. Raises ModelError; NotFound or UsageError when the settings name none of this role."""
        if self._settings.rerank in (OFF, LATE):
            return LateInteraction(self._embedder())
        from inro.models import open_reranker

        cross = CrossEncoder(open_reranker(self._settings.rerank, self._settings.threads))
        with self._lock:
            self._cross = cross
        return cross
