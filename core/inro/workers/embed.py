"""The client of the embedding child: texts in, unit vectors out, whatever happens to the child.

Rule: results are kept as they come, so after a crash only the batches that were not received are asked again, by a
fresh child with safe settings; a second crash is raised. Nothing is cut silently: what was longer than the model
reads is counted in `cut`. It does not know where models are, nor what is done with vectors.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from inro.errors import ModelError
from inro.workers.loading import start_loaded
from inro.workers.machine import Machine
from inro.workers.process import Child
from inro.workers.protocol import Frame
from inro.workers.supervise import Supervisor

Floats: TypeAlias = npt.NDArray[np.float32]
Indexes: TypeAlias = npt.NDArray[np.int64]

MODULE = "inro.workers.embed_child"
REQUEST_TEXTS = 1024
"""Texts a request; the child sorts them by length together."""
REQUEST_CHARACTERS = 4 << 20
"""Characters a request: keeps a frame far below its limit when single texts are huge."""
HUNG = 300.0
"""Seconds without a batch after which the child counts as hung: the slowest batch on the slowest machine."""
TOKEN_BUDGET = 1024
"""Tokens a batch, padding counted."""


@dataclass(frozen=True, slots=True)
class EmbedModel:
    """All that a child must know of an embedding model."""

    name: str
    model: str
    """Path of the ONNX file."""
    tokenizer: str
    """Path of the tokenizer file."""
    dimension: int
    pooling: Literal["mean", "cls"]
    max_tokens: int
    """What the model reads of a text, special tokens counted."""
    query_prefix: str = ""
    passage_prefix: str = ""
    fingerprint: str = ""
    """Equal for models whose vectors may be compared."""


@dataclass(frozen=True, slots=True)
class EmbedBatch:
    """Vectors of some of the texts of a call, as they came."""

    indexes: Indexes
    """int64[n]: which texts."""
    vectors: Floats
    """float32[n, d], unit length."""
    tokens: npt.NDArray[np.int32]
    """int32[n]: tokens of each whole text, prefix and special tokens counted."""
    cut: npt.NDArray[np.bool_]
    """bool[n]: the end of the text is not in the vector."""


class EmbedWorker:
    """One embedding model in a child process, which starts with the first request."""

    def __init__(
        self,
        model: EmbedModel,
        *,
        threads: int = 2,
        token_budget: int = TOKEN_BUDGET,
        machine: Machine | None = None,
        module: str = MODULE,
        timeout: float | None = HUNG,
    ) -> None:
        """
        Args:
            threads: of the runtime; more than there are processors is cut to that.
            token_budget: tokens a batch, padding counted.
            machine: where it is remembered that this machine needs safe settings.
            module: what the child runs.
            timeout: seconds without a reply after which the child is killed and counts as crashed.
        """
        self.model = model
        self.cut = 0
        """Texts so far whose end is not in their vector."""
        self._cancelled = threading.Event()
        self._threads = max(1, min(threads, os.cpu_count() or 1))
        self._budget = token_budget
        self._module = module
        self._timeout = timeout
        self.machine_key = f"embed {model.name} onnxruntime-{metadata.version('onnxruntime')}"
        """Under which this machine remembers that the model needs safe settings."""
        self._supervisor = Supervisor(self._start, key=self.machine_key, machine=machine)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def fingerprint(self) -> str:
        """Equal for workers whose vectors may be compared."""
        return self.model.fingerprint

    @property
    def dimension(self) -> int:
        return self.model.dimension

    @property
    def crashes(self) -> tuple[str, ...]:
        """What every crash so far said."""
        return tuple(self._supervisor.crashes)

    def passages(self, texts: Sequence[str]) -> Floats:
        """float32[n, d] unit vectors of texts to be found, in order.

        Raises WorkerCrashed after a second crash, ModelMissing, ModelDamaged, ModelError.
        """
        vectors = np.empty((len(texts), self.model.dimension), np.float32)
        for batch in self.batches(texts):
            vectors[batch.indexes] = batch.vectors
        return vectors

    def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
        """Vectors of texts to be found as they come, out of order within a request.

        Raises as `passages`. After `cancel` it ends early without an error.
        """
        self._cancelled.clear()
        start = 0
        while start < len(texts) and not self._cancelled.is_set():
            end = _request_end(texts, start)
            for batch in self._embed(texts[start:end], self.model.passage_prefix):
                self.cut += int(batch.cut.sum())
                yield EmbedBatch(batch.indexes + start, batch.vectors, batch.tokens, batch.cut)
            start = end

    def query(self, text: str) -> Floats:
        """float32[d]: the unit vector of a question. Raises as `passages`."""
        batches = list(self._embed([text], self.model.query_prefix))
        if not batches:
            raise ModelError(f"{self.model.name} was stopped while it read a question")
        vector: Floats = batches[0].vectors[0]
        return vector

    def token_states(self, text: str, *, question: bool = False) -> Floats:
        """float32[t, d]: the model's state of each token of a text, prefix and special tokens left out.

        Raises as `passages`, ModelError also for a model that gives one vector a text and no states.
        """
        prefix = self.model.query_prefix if question else self.model.passage_prefix
        reply = self._supervisor.run(lambda child: child.request("tokens", text=prefix + text, skip=len(prefix)))
        shape = reply.arrays[0].shape if reply.arrays else ()
        (states,) = _arrays(reply, (np.float32, (shape[0] if shape else 0, self.model.dimension)))
        if not np.isfinite(states).all():
            raise ModelError(f"{self._module} sent token vectors that are not finite")
        return states

    def count_tokens(self, texts: Sequence[str]) -> npt.NDArray[np.int32]:
        """int32[n]: tokens of each text as a passage, prefix and special tokens counted. Raises as `passages`."""
        counts = np.empty(len(texts), np.int32)
        start = 0
        while start < len(texts):
            end = _request_end(texts, start)
            part = [self.model.passage_prefix + text for text in texts[start:end]]
            reply = self._supervisor.run(partial(_count, part))
            (counts[start:end],) = _arrays(reply, (np.int32, (len(part),)))
            start = end
        return counts

    def warm(self) -> None:
        """Start the child and load the model now, so that the first question does not wait for it."""
        self._supervisor.child()

    def cancel(self) -> None:
        """Stop the embedding under way, from any thread; its iterator ends after the batch in flight."""
        self._cancelled.set()
        self._supervisor.cancel()

    def close(self) -> None:
        """End the child; a later request starts a new one."""
        self._supervisor.close()

    def __enter__(self) -> EmbedWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, safe: bool) -> Child:
        return start_loaded(
            self._module,
            self.model.name,
            model=self.model.model,
            tokenizer=self.model.tokenizer,
            threads=self._threads,
            safe=safe,
            timeout=self._timeout,
            dimension=self.model.dimension,
            pooling=self.model.pooling,
            max_tokens=self.model.max_tokens,
            token_budget=self._budget,
        )

    def _embed(self, texts: Sequence[str], prefix: str) -> Iterator[EmbedBatch]:
        """Batches of one request; what has come is not asked again after a crash."""
        pending = np.arange(len(texts), dtype=np.int64)

        def exchange(child: Child) -> Iterator[EmbedBatch]:
            nonlocal pending
            asked = pending
            for reply in child.stream("embed", texts=[prefix + texts[int(i)] for i in asked]):
                batch = self._checked(reply, len(asked))
                batch = EmbedBatch(asked[batch.indexes], batch.vectors, batch.tokens, batch.cut)
                pending = np.setdiff1d(pending, batch.indexes)
                yield batch

        yield from self._supervisor.stream(exchange)

    def _checked(self, reply: Frame, texts: int) -> EmbedBatch:
        """The reply as a batch. Raises ModelError for one of another shape or with indexes nobody asked for."""
        n = len(reply.arrays[0]) if reply.arrays and reply.arrays[0].ndim == 1 else 0
        indexes, vectors, tokens, cut = _arrays(
            reply,
            (np.int64, (n,)),
            (np.float32, (n, self.model.dimension)),
            (np.int32, (n,)),
            (np.bool_, (n,)),
        )
        if not n or indexes.min() < 0 or indexes.max() >= texts or len(np.unique(indexes)) != n:
            raise ModelError(f"{self._module} sent vectors of texts it was not asked for")
        if not np.isfinite(vectors).all():
            raise ModelError(f"{self._module} sent vectors that are not finite")
        return EmbedBatch(indexes, vectors, tokens, cut)


def _count(texts: list[str], child: Child) -> Frame:
    return child.request("count", texts=texts)


def _request_end(texts: Sequence[str], start: int) -> int:
    """Where the request that begins at `start` ends: at least one text, then until a limit."""
    characters = 0
    end = start
    while end < len(texts) and end - start < REQUEST_TEXTS:
        characters += len(texts[end])
        if end > start and characters > REQUEST_CHARACTERS:
            break
        end += 1
    return end


def _arrays(reply: Frame, *wanted: tuple[type, tuple[int, ...]]) -> tuple[npt.NDArray[Any], ...]:
    """The arrays of a reply. Raises ModelError unless they have these types and shapes."""
    found = [(a.dtype.type, a.shape) for a in reply.arrays]
    if found != list(wanted):
        raise ModelError(f"the embedding process sent arrays of the wrong kind: {found}")
    return reply.arrays
