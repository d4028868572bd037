"""A reranking child that dies over its second request; with safe settings never, or at once if FRAIL is `always`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable

from inro.workers.protocol import Frame
from inro.workers.rerank_child import RerankService
from inro.workers.serve import Reply, serve


class FrailService(RerankService):
    """The real service, with a weak heart."""

    safe = False
    requests = 0

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        self.safe = bool(request.header["safe"])
        return super().load(request, cancelled)

    def score(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        self.requests += 1
        if os.environ.get("FRAIL") == "always" if self.safe else self.requests == 2:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().score(request, cancelled)


service = FrailService()
serve({"load": service.load, "score": service.score})
