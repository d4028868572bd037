"""Blocking work in threads: each call in one of its own, told to stop when nobody waits for it any more.

Rule: what goes wrong in a call becomes that call's error, in words; it never ends the server. A call whose request is
cancelled is told so and not waited for, until the server ends: a process that ends while one of its threads is inside
DuckDB is aborted.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio import to_thread

from inro import log
from inro.errors import InroError
from inro.mcp_server.harmless import one_line
from inro.mcp_server.tool import Job, Result

AT_ONCE = 8
"""Calls that run at the same time; others wait for their turn."""
TELL_EVERY = 0.25
"""Seconds between two words about one call at least."""
PATIENCE = 30.0
"""Seconds that the end of the server waits for its calls."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and what to do next."""

    text: str


class Work:
    """The calls of one server."""

    def __init__(self) -> None:
        self._limit = anyio.CapacityLimiter(AT_ONCE)
        self._changed = threading.Condition()
        self._running: set[threading.Event] = set()

    async def do(
        self, what: Callable[[Job], Result], tell: Callable[[float, None, str], Awaitable[None]]
    ) -> Result | Failure:
        """Do something in a thread.

        Args:
            tell: handed (number, None, line) as the work goes on; numbers rise.
        """
        loop = asyncio.get_running_loop()
        cancel = threading.Event()
        lines, heard = anyio.create_memory_object_stream[str](AT_ONCE)

        def put(line: str) -> None:
            # a line that finds no room is out of date already
            with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
                lines.send_nowait(line)

        def say(line: str) -> None:
            # the loop may be gone: the server ends while this still winds down
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(put, line)

        async def narrate() -> None:
            number = 0
            async for line in heard:
                number += 1
                await tell(number, None, line)

        job = Job(cancel, _seldom(say))
        try:
            async with heard, anyio.create_task_group() as both:
                both.start_soon(narrate)
                with lines:
                    done = await to_thread.run_sync(self._run, what, job, abandon_on_cancel=True, limiter=self._limit)
        finally:
            cancel.set()
        return done

    def end(self) -> None:
        """Stop what is running and wait for it."""
        until = time.monotonic() + PATIENCE
        with self._changed:
            for cancel in self._running:
                cancel.set()
            while self._running and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)

    def _run(self, what: Callable[[Job], Result], job: Job) -> Result | Failure:
        with self._changed:
            self._running.add(job.cancel)
        try:
            # it may have waited for its turn until nobody wanted it, and `end` may not have known of it
            return Failure("the call was cancelled") if job.cancel.is_set() else what(job)
        except InroError as error:
            return Failure(one_line(str(error)))
        except Exception as error:  # whatever it is, it is one call's and not the server's
            log.warning("crash", process="inro mcp", how=type(error).__name__)
            log.debug("crash", process="inro mcp", said=str(error))
            return Failure(f"Inro failed at this ({type(error).__name__}). Do: ask the user to run inro doctor")
        finally:
            with self._changed:
                self._running.discard(job.cancel)
                self._changed.notify_all()


def _seldom(say: Callable[[str], None]) -> Callable[[str], None]:
    """Says a line now and then, and always the first of a kind (up to its colon)."""
    kind, last = "", 0.0

    def tell(line: str) -> None:
        nonlocal kind, last
        now, own = time.monotonic(), line.partition(":")[0]
        if own != kind or now - last >= TELL_EVERY:
            kind, last = own, now
            say(line)

    return tell
