"""The client of the reranking child: a question and texts in, a score for each out.

Rule: a crash is tried again once with safe settings; a second one is raised. It does not know where models are, in
which order texts are worth asking for, nor what is done with scores.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata

import numpy as np
import numpy.typing as npt

from inro.errors import ModelError
from inro.workers.loading import start_loaded
from inro.workers.machine import Machine
from inro.workers.process import Child
from inro.workers.supervise import Supervisor

MODULE = "inro.workers.rerank_child"
HUNG = 60.0
"""Seconds without a reply after which the child counts as hung: loading a large model from a slow disk."""


@dataclass(frozen=True, slots=True)
class RerankModel:
    """All that a child must know of a cross-encoder."""

    name: str
    model: str
    """Path of the ONNX file."""
    tokenizer: str
    """Path of the tokenizer file."""
    max_tokens: int
    """What the model reads of a pair, special tokens counted."""


class RerankWorker:
    """One cross-encoder in a child process, which starts with the first request."""

    def __init__(
        self,
        model: RerankModel,
        *,
        threads: int = 2,
        machine: Machine | None = None,
        module: str = MODULE,
        timeout: float | None = HUNG,
    ) -> None:
        """
        Args:
            threads: of the runtime; more than there are processors is cut to that.
            machine: where it is remembered that this machine needs safe settings.
            module: what the child runs.
            timeout: seconds without a reply after which the child is killed and counts as crashed.
        """
        self.model = model
        self._threads = max(1, min(threads, os.cpu_count() or 1))
        self._module = module
        self._timeout = timeout
        key = f"rerank {model.name} onnxruntime-{metadata.version('onnxruntime')}"
        self._supervisor = Supervisor(self._start, key=key, machine=machine)

    @property
    def name(self) -> str:
        return self.model.name

    def scores(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32[n]: the score of each text, in the model's own units; the higher the better.

        Raises WorkerCrashed after a second crash, ModelMissing, ModelDamaged, ModelError.
        """
        reply = self._supervisor.run(lambda child: child.request("score", question=question, texts=list(texts)))
        found = [(a.dtype.type, a.shape) for a in reply.arrays]
        if found != [(np.float32, (len(texts),))] or not np.isfinite(reply.arrays[0]).all():
            raise ModelError(f"{self._module} sent something else than a score a text")
        scores: npt.NDArray[np.float32] = reply.arrays[0]
        return scores

    def warm(self) -> None:
        """Start the child and load the model now. Raises as `scores`."""
        self._supervisor.child()

    def close(self) -> None:
        """End the child; a later request starts a new one."""
        self._supervisor.close()

    def __enter__(self) -> RerankWorker:
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
            max_tokens=self.model.max_tokens,
        )
