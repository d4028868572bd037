"""The child process that runs a chat model: load, stream, count."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve

if TYPE_CHECKING:
    from inro_native.llama import ChatModel

PIECE_SECONDS = 0.02
"""Text is sent at most this often: a fast model would else send a frame for every token."""


class Desk:
    """The handlers, around the one model of this process."""

    def __init__(self) -> None:
        self._model: ChatModel | None = None

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """`path`, `context`, `threads`, `safe` → `context`, `name`."""
        from inro_native.llama import ChatModel

        ask = request.header
        model = ChatModel(
            str(ask["path"]), context=int(ask["context"]), threads=int(ask["threads"]), safe=bool(ask["safe"])
        )
        self._model = model
        yield {"context": model.context, "name": model.name}, []

    def stream(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """`messages`, `max_tokens`, `temperature`, `stop`, `begun` → `text` pieces."""
        ask = request.header
        pieces = self._loaded().stream(
            ask["messages"],
            max_tokens=int(ask["max_tokens"]),
            temperature=float(ask["temperature"]),
            stop=[str(s) for s in ask["stop"]],
            begun=str(ask["begun"]),
            grammar=str(ask["grammar"]),
            cancelled=cancelled,
        )
        waiting, sent = "", 0.0
        for piece in pieces:
            waiting += piece
            if time.monotonic() - sent >= PIECE_SECONDS:
                yield {"text": waiting}, []
                waiting, sent = "", time.monotonic()
        if waiting:
            yield {"text": waiting}, []

    def count(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """`texts` → `counts`, tokens of each."""
        model = self._loaded()
        yield {"counts": [model.count(str(t)) for t in request.header["texts"]]}, []

    def prompt(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """`messages` → `count`, tokens of the whole prompt."""
        yield {"count": self._loaded().count_prompt(request.header["messages"])}, []

    def memory(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """→ `peak`: the most bytes of memory that this process had at once."""
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        yield {"peak": peak if sys.platform == "darwin" else peak * 1024}, []

    def work(self, request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
        """→ `computed`: tokens of prompts and answers computed so far."""
        yield {"computed": self._loaded().computed}, []

    def _loaded(self) -> ChatModel:
        if self._model is None:
            raise RuntimeError("no model is loaded")
        return self._model


def main() -> None:
    desk = Desk()
    serve(
        {
            "load": desk.load,
            "stream": desk.stream,
            "count": desk.count,
            "prompt": desk.prompt,
            "memory": desk.memory,
            "work": desk.work,
        }
    )


if __name__ == "__main__":
    main()
