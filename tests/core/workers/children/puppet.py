"""A child that does what it is told, dying included. It speaks the product's protocol and loads no model."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from inro.workers.protocol import Frame
from inro.workers.serve import Reply, serve


def echo(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield {"said": request.header.get("say")}, [a + a.dtype.type(1) for a in request.arrays]


def shout(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    """Print the way native libraries do, straight to descriptor 1."""
    os.write(1, b"noise from a native library\n" * 100)
    print("noise from Python", flush=True)  # noqa: T201
    yield {"said": "still in step"}, []


def count(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    for i in range(int(request.header["to"])):
        if cancelled():
            return
        time.sleep(float(request.header.get("pause", 0)))
        yield {"i": i}, []


def refuse(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield from ()
    raise ValueError("this cannot be done: 42")


def die(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    for i in range(int(request.header.get("after", 0))):
        yield {"i": i}, []
    print("last\x1b[31m words", file=sys.stderr, flush=True)  # noqa: T201
    os.kill(os.getpid(), int(request.header.get("signal", signal.SIGSEGV)))
    time.sleep(30)


def leave(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield from ()
    os._exit(int(request.header["code"]))


def babble(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    """Write bytes that are no frame into the frames' pipe, wherever it is."""
    for fd in range(3, 12):
        try:
            os.write(fd, b"\xff\xff\xff\xff junk")
        except OSError:
            continue
    time.sleep(30)
    yield {}, []


def hang(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    time.sleep(60)
    yield {}, []


def cpu(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield {"seconds": time.process_time()}, []


def facts(request: Frame, cancelled: Callable[[], bool]) -> Iterator[Reply]:
    yield (
        {
            "pid": os.getpid(),
            "session": os.getsid(0),
            "path": sys.path,
            "stdin": os.read(0, 10).decode(),
        },
        [np.zeros(0, np.float32)],
    )


if __name__ == "__main__":
    serve(
        {
            "echo": echo,
            "shout": shout,
            "count": count,
            "refuse": refuse,
            "die": die,
            "leave": leave,
            "babble": babble,
            "hang": hang,
            "cpu": cpu,
            "facts": facts,
        }
    )
