"""The parent's side of one child process: start, ask, stream, cancel, notice its death.

Rule: the child gets pipes made for it and none of this process's descriptors, so it starts inside a
full-screen program that has replaced its standard streams. It runs in its own session, so a Ctrl+C at the
terminal is not delivered to it. Knows nothing of what the child computes, nor of what to do after a
crash; see `supervise`.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
import unicodedata
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inro import log
from inro.errors import ModelError, WorkerCrashed
from inro.workers.protocol import Array, Frame, ProtocolError, read_frame, write_frame

STDERR_LINES = 40
"""How much of what the child wrote to standard error is kept."""
STDERR_LINE = 400
SHOWN_LINES = 3
GRACE = 2.0
"""Seconds a closed child has to end by itself before it is killed."""


class Child:
    """One running child. One request at a time; `cancel` and `close` may come from any thread."""

    def __init__(self, module: str, *, env: Mapping[str, str] | None = None, timeout: float | None = None) -> None:
        """Start `python -m module`, which must call `inro.workers.serve.serve`.

        Args:
            env: added to this process's environment.
            timeout: seconds without any reply after which a busy child counts as hung and is killed;
                None waits for ever.

        Raises:
            WorkerCrashed: the process could not be started.
        """
        self.module = module
        self._timeout = timeout
        self._next = 0
        self._current: int | None = None
        self._turn = threading.Lock()
        self._writing = threading.Lock()
        self._errors: deque[str] = deque(maxlen=STDERR_LINES)
        self._closed = False
        try:
            # -P: the working folder may be a stranger's and must not provide modules
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                close_fds=True,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": _search_path(), **(env or {})},
            )
        except OSError as e:
            raise WorkerCrashed(f"the process {module} could not be started: {e}") from e
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin
        self._out = _PatientPipe(self._process.stdout.fileno())
        self._drain = threading.Thread(
            target=self._keep_errors, args=(self._process.stderr.fileno(),), daemon=True, name="stderr"
        )
        self._drain.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self._closed and self._process.poll() is None

    def request(self, op: str, arrays: Sequence[Array] = (), **fields: Any) -> Frame:
        """Ask and wait for the one reply.

        Raises:
            WorkerCrashed: the child died or hung.
            ModelError: the child could not do it and says why; or it did not give exactly one reply.
        """
        replies = list(self.stream(op, arrays, **fields))
        if len(replies) != 1:
            raise ModelError(f"{self.module} gave {len(replies)} replies to {op!r} where one was due")
        return replies[0]

    def stream(self, op: str, arrays: Sequence[Array] = (), **fields: Any) -> Generator[Frame, None, None]:
        """Ask and yield replies as they come. Leaving the iterator early cancels the rest.

        Raises: as `request`.
        """
        with self._turn:
            number = self._next
            self._next += 1
            ended = False
            self._current = number
            try:
                self._send({**fields, "op": op, "id": number}, arrays)
                while True:
                    reply = self._receive(number)
                    if reply.header.pop("end", False):
                        ended = True
                        if "error" in reply.header:
                            raise ModelError(f"{self.module}: {reply.header['error']}")
                        return
                    yield reply
            finally:
                self._current = None
                if not ended and self.alive:
                    self._abandon(number)

    def cancel(self) -> None:
        """Ask the child to stop what it is doing; the stream then ends early, without an error."""
        number = self._current
        if number is not None and self.alive:
            with contextlib.suppress(WorkerCrashed):
                self._send({"op": "cancel", "id": number})

    def close(self) -> None:
        """End the child: close its input, wait a little, then kill. Safe to call twice and from any

        thread.
        """
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(OSError):
            self._in.close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._drain.join(GRACE)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, header: Mapping[str, Any], arrays: Sequence[Array] = ()) -> None:
        try:
            with self._writing:
                write_frame(self._in, header, arrays)
        except ProtocolError as e:
            raise ModelError(f"{self.module} cannot be asked this: {e}") from e
        except (OSError, ValueError) as e:  # ValueError: closed by another thread
            raise self._crash("took no more requests") from e

    def _receive(self, number: int) -> Frame:
        """The next reply to request `number`; late replies to a cancelled one are passed over."""
        while True:
            try:
                self._out.deadline = None if self._timeout is None else time.monotonic() + self._timeout
                frame = read_frame(self._out)
            except TimeoutError as e:
                self._process.kill()
                raise self._crash(f"gave no sign of life for {self._timeout:g} s") from e
            except (ProtocolError, OSError, ValueError) as e:
                self._process.kill()
                raise self._crash(f"sent something that is not a frame ({e})") from e
            if frame is None:
                raise self._crash("ended")
            if frame.header.pop("id", None) == number:
                return frame

    def _abandon(self, number: int) -> None:
        """Cancel and pass over the replies still under way, so that the next request starts clean."""
        with contextlib.suppress(WorkerCrashed):
            self._send({"op": "cancel", "id": number})
            while not self._receive(number).header.get("end"):
                pass

    def _crash(self, what: str) -> WorkerCrashed:
        """The error for a child that is no more, with the signal's name and its last words."""
        if self._closed:
            return WorkerCrashed(f"the process {self.module} was closed while it was asked")
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._drain.join(GRACE)
        how = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
        log.warning("crash", process=self.module, pid=self.pid, how=how, since=what.partition(" (")[0])
        # what a library's code prints may quote what it was given
        log.debug("crash", process=self.module, said=" | ".join(self._errors))
        last = " | ".join(list(self._errors)[-SHOWN_LINES:])
        return WorkerCrashed(f"the process {self.module} {what}: {how}" + (f"; it said: {last}" if last else ""))

    def _keep_errors(self, fd: int) -> None:
        rest = b""
        while True:
            try:
                piece = os.read(fd, 1 << 14)
            except OSError:
                return
            if not piece:
                break
            *lines, rest = (rest + piece).replace(b"\r", b"\n").split(b"\n")
            rest = rest[-STDERR_LINE:]
            for line in lines:
                self._keep(line)
        self._keep(rest)

    def _keep(self, line: bytes) -> None:
        text = line[:STDERR_LINE].decode("utf-8", "replace").strip()
        text = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf"))
        if text:
            self._errors.append(text)


class _PatientPipe:
    """Blocking reads from a descriptor that raise TimeoutError past `deadline` (time.monotonic)."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN | select.POLLHUP)
        self.deadline: float | None = None

    def read(self, n: int, /) -> bytes:
        if self.deadline is not None:
            left = max(0.0, self.deadline - time.monotonic())
            if not self._poll.poll(left * 1000):
                raise TimeoutError
        return os.read(self._fd, n)


def _search_path() -> str:
    """This process's module path, so that the child finds the same packages however they were installed."""
    return os.pathsep.join(p for p in sys.path if p and Path(p).is_absolute())


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
