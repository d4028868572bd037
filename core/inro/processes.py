"""The models of one library at work: each in its process, started when something first needs it.

Knows which models the settings name and what is remembered between questions; it does not know the library's file.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from inro.config import Settings
from inro.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from inro.search.rerankers import Rerankers
    from inro.search.vectors import Embedder, QueryEmbedder
    from inro.workers.chat import ChatWorker
    from inro.workers.embed import EmbedWorker


class Processes:
    """Hands out the workers of one library. Shared by threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.RLock()
        self._embedder: EmbedWorker | None = None
        self._is_started = False
        self._chat: ChatWorker | None = None
        self._rerankers: Rerankers | None = None
        self._queries: QueryEmbedder | None = None

    def close(self) -> None:
        """End the processes; what is asked afterwards starts them again."""
        with self._lock:
            workers = (self._embedder, self._chat, self._rerankers)
            self._embedder = self._chat = self._rerankers = None
            self._is_started = False
        for worker in workers:
            if worker is not None:
                worker.close()

    def queries(self, wait_ms: int | None = None) -> Embedder:
        """What questions are embedded with, waiting that long for each; None for as long as it takes."""
        with self._lock:
            if self._queries is None:
                from inro.search.vectors import QueryEmbedder

                self._queries = QueryEmbedder(
                    lambda text: self.embedder().query(text), lambda: self.embedder().fingerprint
                )
            return self._queries.within(wait_ms)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[n, d]: unit vectors of texts. Raises ModelError."""
        return self.embedder().passages(texts)

    def embedder(self) -> EmbedWorker:
        """The embedder's process. Raises ModelMissing."""
        with self._lock:
            if self._embedder is None:
                from inro.models import open_embedder

                self._embedder = open_embedder(self._settings.embedder, self._settings.threads)
            return self._embedder

    def start_embedder(self) -> None:
        """Begin to load the embedder, if it is not yet, while the caller does something else.

        What goes wrong is told to the question itself.
        """
        with self._lock:
            if not self._is_started:
                self._is_started = True
                threading.Thread(target=self._warm_embedder, daemon=True, name="start the embedder").start()

    def _warm_embedder(self) -> None:
        with suppress(ModelError):
            self.embedder().warm()

    def chat(self) -> ChatWorker | None:
        """The answering model's process; None when none is set.

        Raises:
            ModelMissing: one is set and not here.
        """
        if not self._settings.chat:
            return None
        with self._lock:
            if self._chat is None:
                from inro.models import open_chat

                self._chat = open_chat(self._settings.chat, self._settings.threads)
            return self._chat

    def rerankers(self) -> Rerankers:
        """What orders the first results anew."""
        with self._lock:
            if self._rerankers is None:
                from inro.search.rerankers import Rerankers

                self._rerankers = Rerankers(self._settings, self.embedder)
            return self._rerankers


@contextmanager
def cancelling(cancel: threading.Event | None, chat: ChatWorker | None) -> Iterator[None]:
    """While the block runs, setting `cancel` stops the model at its next token."""
    if cancel is None or chat is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            if cancel.wait(0.05):
                # again and again: a request begun after the first word of it must not outlive it
                chat.cancel()
                over.wait(0.05)

    watcher = threading.Thread(target=watch, daemon=True, name="cancel")
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
