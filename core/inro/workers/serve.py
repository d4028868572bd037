"""The child's side: answer requests from standard input until it closes.

Rule: standard output carries frames and nothing else. Native libraries print, so the real descriptor 1 is
moved away for frames and 1 itself points at standard error before any of them is loaded. One request runs
at a time, on the main thread; a second thread reads, so that a cancel arrives while the first computes,
and so that the process ends at once when the parent closes the pipe or dies. Waiting costs no CPU: both
threads block.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from inro.workers.protocol import Array, Frame, ProtocolError, read_frame, write_frame

Reply: TypeAlias = tuple[dict[str, Any], Sequence[Array]]
Handler: TypeAlias = Callable[[Frame, Callable[[], bool]], Iterable[Reply]]
"""Takes the request and a function that says whether it was cancelled; yields replies as they come.

It may raise ValueError, RuntimeError and the like: the parent gets the message and the child lives on.
"""


class _Inbox:
    """Requests in order of arrival, and which of them were cancelled."""

    def __init__(self) -> None:
        self.requests: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._cancelled = -1
        """Requests are numbered upward and run in order, so the highest cancelled number says it all."""

    def cancelled(self, number: int) -> bool:
        return number <= self._cancelled

    def listen(self, fd: int) -> None:
        """Read frames until the pipe closes, then end the process, whatever the main thread is doing."""
        try:
            with os.fdopen(fd, "rb", buffering=0, closefd=False) as pipe:
                while (frame := read_frame(pipe)) is not None:
                    if frame.header.get("op") == "cancel":
                        self._cancelled = max(self._cancelled, int(frame.header.get("id", -1)))
                    else:
                        self.requests.put(frame)
        except (ProtocolError, OSError, ValueError, TypeError) as e:
            os.write(2, f"what came from the parent is not a frame: {e}\n".encode())
            os._exit(3)
        os._exit(0)


def serve(handlers: Mapping[str, Handler]) -> None:
    """Run the child; does not return.

    Each request header holds `op`, the handler's name, and `id`. Each reply carries the same `id`; a last
    one has `end: true`, with `error` and `kind` if the handler raised.
    """
    requests, out = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # the parent decides when to stop; a Ctrl+C at the terminal is its affair
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox = _Inbox()
    threading.Thread(target=inbox.listen, args=(requests,), daemon=True, name="inbox").start()
    with os.fdopen(out, "wb", buffering=1 << 16) as pipe:
        while True:
            request = inbox.requests.get()
            try:
                _answer(request, handlers, inbox, pipe)
            except BrokenPipeError:
                os._exit(0)


def _answer(request: Frame, handlers: Mapping[str, Handler], inbox: _Inbox, pipe: Any) -> None:
    number = request.header.get("id")
    if type(number) is not int:
        raise SystemExit("a request without a number")
    end: dict[str, Any] = {"id": number, "end": True}
    try:
        handler = handlers.get(str(request.header.get("op")))
        if handler is None:
            raise ValueError(f"no such operation: {request.header.get('op')!r}")
        for header, arrays in handler(request, lambda: inbox.cancelled(number)):
            write_frame(pipe, {**header, "id": number}, arrays)
            if inbox.cancelled(number):
                break
    except BrokenPipeError:
        raise
    except Exception as e:  # the edge of the process: what went wrong travels to the parent as a message
        end |= {"error": str(e) or type(e).__name__, "kind": type(e).__name__}
    write_frame(pipe, end)


def text(header: Mapping[str, Any], key: str) -> str:
    """A text of a request's header. Raises ValueError."""
    value = header.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{key} is not text")
    return value


def texts(header: Mapping[str, Any]) -> list[str]:
    """The texts of a request's header. Raises ValueError."""
    found = header.get("texts")
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ValueError("a request without texts")
    return found


def whole(header: Mapping[str, Any], key: str) -> int:
    """A whole number of a request's header. Raises ValueError."""
    value = header.get(key)
    if type(value) is not int:
        raise ValueError(f"{key} is not a whole number")
    return value
