"""Stands in for the chat child: says a fixed sentence word by word, and dies as the model's file name asks.

`steady` never dies; `frail` dies in mid-sentence unless safe; `doomed` always dies; `stillborn` dies while
loading unless safe; `slow` takes its time.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve

SENTENCE = ["Samples ", "are ", "dried ", "for ", "48 ", "hours ", "[2]."]
state = {"kind": "", "safe": False}


def die() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(30)


def load(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    state["kind"], state["safe"] = Path(request.header["path"]).stem, request.header["safe"]
    if state["kind"] == "stillborn" and not state["safe"]:
        die()
    yield {"context": min(512, request.header["context"]), "name": "parrot"}, []


def stream(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    ask = request.header
    if ask["messages"][0]["content"] == "too long":
        raise ValueError("a prompt of 9999 tokens")
    rest = "".join(SENTENCE).removeprefix(ask["begun"])
    for i, word in enumerate(rest.split(" ")[: ask["max_tokens"]]):
        mortal = state["kind"] == "doomed" or (state["kind"] == "frail" and not state["safe"])
        if mortal and i == 3:
            die()
        if state["kind"] == "slow":
            time.sleep(0.05)
        yield {"text": (" " if i else "") + word}, []


def count(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield {"counts": [len(t.split()) for t in request.header["texts"]]}, []


def prompt(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield {"count": sum(len(m["content"].split()) + 4 for m in request.header["messages"])}, []


if __name__ == "__main__":
    serve({"load": load, "stream": stream, "count": count, "prompt": prompt})
