"""The child that runs an embedding model; started by `inro.workers.embed`, never imported by it.

Rule: one model a process, loaded by the first request. It sees paths and numbers, not the list of models, and it
has no reason to open a socket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve

if TYPE_CHECKING:
    from inro_native.onnx_embed import OnnxEncoder


class EmbedService:
    """The operations of the child: `load`, `embed`, `count`."""

    def __init__(self) -> None:
        self._encoder: OnnxEncoder | None = None

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """Load the model a header describes; replies with its dimension."""
        from inro_native.onnx_embed import OnnxEncoder

        header = request.header
        self._encoder = OnnxEncoder(
            _text(header, "model"),
            _text(header, "tokenizer"),
            dimension=_whole(header, "dimension"),
            pooling="cls" if header.get("pooling") == "cls" else "mean",
            max_tokens=_whole(header, "max_tokens"),
            threads=_whole(header, "threads"),
            token_budget=_whole(header, "token_budget"),
            safe=bool(header.get("safe")),
        )
        yield {"dimension": self._encoder.dimension}, ()

    def embed(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """A reply for each batch: int64[n] indexes, float32[n, d] vectors, int32[n] tokens, bool[n] cut."""
        for batch in self._loaded().stream(_texts(request), cancelled):
            yield {}, (batch.indexes, batch.vectors, batch.tokens, batch.cut)

    def count(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        """One reply: int32[n] tokens of each text."""
        counts: np.ndarray[Any, Any] = self._loaded().count_tokens(_texts(request))
        yield {}, (counts,)

    def _loaded(self) -> OnnxEncoder:
        if self._encoder is None:
            raise ValueError("no model is loaded")
        return self._encoder


def _texts(request: Frame) -> list[str]:
    texts = request.header.get("texts")
    if not isinstance(texts, list) or not all(isinstance(t, str) for t in texts):
        raise ValueError("a request without texts")
    return texts


def _text(header: dict[str, Any], key: str) -> str:
    value = header.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is not text")
    return value


def _whole(header: dict[str, Any], key: str) -> int:
    value = header.get(key)
    if type(value) is not int:
        raise ValueError(f"{key} is not a whole number")
    return value


if __name__ == "__main__":
    service = EmbedService()
    serve({"load": service.load, "embed": service.embed, "count": service.count})
