"""Stopping a model while it is asked."""

from __future__ import annotations

import threading
from typing import cast

from inro.processes import cancelling
from inro.workers.chat import ChatWorker


class HardOfHearing:
    """Between two requests a model hears no cancel; this one hears the third."""

    def __init__(self) -> None:
        self.told = 0
        self.heard = threading.Event()

    def cancel(self) -> None:
        self.told += 1
        if self.told == 3:
            self.heard.set()


def test_a_stop_is_said_until_it_is_heard() -> None:
    model, stop = HardOfHearing(), threading.Event()
    with cancelling(stop, cast("ChatWorker", model)):
        stop.set()
        assert model.heard.wait(30)


def test_without_a_stop_nothing_is_said() -> None:
    model = HardOfHearing()
    with cancelling(threading.Event(), cast("ChatWorker", model)):
        pass
    assert model.told == 0
