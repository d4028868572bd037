"""The child that runs a cross-encoder; started by `inro.workers.rerank`, never imported by it.

Rule: one model a process, loaded by the first request. It sees paths and numbers, not the list of models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve, text, texts, whole

if TYPE_CHECKING:
    from inro_native.onnx_pairs import OnnxPairs


class RerankService:
    """The operations of the child: `load`, `score`."""

    def __init__(self) -> None:
        self._pairs: OnnxPairs | None = None

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """Load the model a header describes."""
        from inro_native.onnx_pairs import OnnxPairs

        header = request.header
        self._pairs = OnnxPairs(
            text(header, "model"),
            text(header, "tokenizer"),
            max_tokens=whole(header, "max_tokens"),
            threads=whole(header, "threads"),
            safe=bool(header.get("safe")),
        )
        yield {}, ()

    def score(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """One reply: float32[n], the score of each text for the question."""
        if self._pairs is None:
            raise ValueError("no model is loaded")
        yield {}, (self._pairs.scores(text(request.header, "question"), texts(request.header)),)


if __name__ == "__main__":
    service = RerankService()
    serve({"load": service.load, "score": service.score})
