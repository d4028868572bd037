"""An embedding child that dies after its first batch unless its settings are safe; FRAIL names its habits.

`always` dies with safe settings too; `lies` sends vectors of texts nobody asked for; `log=FILE` writes down how
many texts each request had.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from inro.workers.embed_child import EmbedService
from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve

HABITS = os.environ.get("FRAIL", "").split()


class FrailService(EmbedService):
    """The real service, with a weak heart."""

    safe = False

    def load(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        self.safe = bool(request.header["safe"])
        return super().load(request, cancelled)

    def embed(self, request: Frame, cancelled: Callable[[], bool]) -> Iterable[Reply]:
        for habit in HABITS:
            if habit.startswith("log="):
                with Path(habit[4:]).open("a", encoding="utf-8") as log:
                    log.write(f"{len(request.header['texts'])}\n")
        if "lies" in HABITS:
            yield {}, (np.array([99]), np.ones((1, 16), np.float32), np.array([1], np.int32), np.array([False]))
        for number, reply in enumerate(super().embed(request, cancelled)):
            if number == 1 and (not self.safe or "always" in HABITS):
                os.kill(os.getpid(), signal.SIGSEGV)
            yield reply


service = FrailService()
serve({"load": service.load, "embed": service.embed, "count": service.count})
