"""The child that runs an embedding model; started by `inro.workers.embed`, never imported by it.

Rule: one model a process, loaded by the first request. It sees paths and numbers, not the list of models, and it
has no reason to open a socket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve, text, texts, whole

if TYPE_CHECKING:
    from inro_native.onnx_embed import OnnxEncoder


class EmbedService:
    """The operations of the child: `load`, `embed`, `count`, `tokens`."""

    def __init__(self) -> None:
        self._encoder: OnnxEncoder | None = None

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """Load the model a header describes; replies with its dimension."""
        from inro_native.onnx_embed import OnnxEncoder

        header = request.header
        self._encoder = OnnxEncoder(
            text(header, "model"),
            text(header, "tokenizer"),
            dimension=whole(header, "dimension"),
            pooling="cls" if header.get("pooling") == "cls" else "mean",
            max_tokens=whole(header, "max_tokens"),
            threads=whole(header, "threads"),
            token_budget=whole(header, "token_budget"),
            safe=bool(header.get("safe")),
        )
        yield {"dimension": self._encoder.dimension}, ()

    def embed(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """A reply for each batch: int64[n] indexes, float32[n, d] vectors, int32[n] tokens, bool[n] cut."""
        for batch in self._loaded().stream(texts(request.header), cancelled):
            yield {}, (batch.indexes, batch.vectors, batch.tokens, batch.cut)

    def count(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """One reply: int32[n] tokens of each text."""
        counts: np.ndarray[Any, Any] = self._loaded().count_tokens(texts(request.header))
        yield {}, (counts,)

    def tokens(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """One reply: float32[t, d] states of the tokens of one text behind its first `skip` characters."""
        states = self._loaded().token_states(text(request.header, "text"), whole(request.header, "skip"))
        yield {}, (states,)

    def _loaded(self) -> OnnxEncoder:
        if self._encoder is None:
            raise ValueError("no model is loaded")
        return self._encoder


if __name__ == "__main__":
    service = EmbedService()
    serve({"load": service.load, "embed": service.embed, "count": service.count, "tokens": service.tokens})
