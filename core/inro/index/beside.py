"""A look at something while something else is done: what it finds in time is found, the rest is let go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from inro.errors import InroError


@contextmanager
def beside(look: Callable[[threading.Event], object]) -> Iterator[None]:
    """Run a look in a thread while the block runs; its event is set at the end, and it is waited for."""
    stop = threading.Event()

    def run() -> None:
        with suppress(InroError):
            look(stop)

    thread = threading.Thread(target=run, name="beside")
    thread.start()
    try:
        yield
    finally:
        # a process that ends while one of its threads is inside DuckDB is aborted
        stop.set()
        thread.join()
