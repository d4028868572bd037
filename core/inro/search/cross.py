"""A cross-encoder as a reranker: the model reads question and passage together and gives one number."""

from __future__ import annotations

from inro.workers.rerank import RerankWorker

WEIGHT = 4.0
"""What a logit is worth in the standard deviations of the calibrated fusion: a model made for nothing but this order
overrules words and meaning by a difference of a few, and leaves to them what it cannot tell apart."""


class CrossEncoder:
    """Scores by a model in a child process."""

    weight = WEIGHT

    def __init__(self, worker: RerankWorker) -> None:
        worker.warm()
        self._worker = worker

    @property
    def name(self) -> str:
        return self._worker.name

    def close(self) -> None:
        """End the model's process."""
        self._worker.close()

    def is_known(self, question: str, text: str) -> bool:
        """No: every pair is read."""
        return False

    def score(self, question: str, text: str) -> float:
        """The model's logit. Raises ModelError."""
        return float(self._worker.scores(question, [text])[0])
