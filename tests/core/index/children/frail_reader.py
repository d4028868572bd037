"""The reading child of the product, with a reader that dies, hangs or lies as the file's name says."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace

from inro.errors import Unreadable
from inro.index import read_child
from inro.readers import registry
from inro.records import Block, Reading
from inro.workers.serve import serve

SEEN: list[str] = []


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    SEEN.append(name)
    reading = registry.read(data, "note.txt", encoding)
    match name.rpartition(".")[2]:
        case "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "second" if len(SEEN) > 1:
            os._exit(9)
        case "hang":
            time.sleep(600)
        case "greedy":
            bytearray(64 << 30)
        case "refuse":
            raise Unreadable("it is locked", "unlock it")
        case "bug":
            raise KeyError("no such part")
        case "forge":
            return replace(reading, blocks=(Block("paragraph", 0, 10**9),))
        case "pid":
            return replace(reading, title=str(os.getpid()))
    return reading


if __name__ == "__main__":
    serve(read_child.handlers(read))
