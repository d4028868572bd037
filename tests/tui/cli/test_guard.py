"""A crash of compiled code ends in one line; everything else is as if nobody stood between."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "sigwaitinfo"), reason="the guard is for Linux")

GUARDED = """
import os, signal, sys, time
from inro_tui.cli import guard
def command():
    {body}
guard.run(command)
"""
WAIT = "print(os.getpid(), flush=True); time.sleep(60)"


def start(body: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", GUARDED.format(body=body)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(body: str) -> tuple[int, str, str]:
    child = start(body)
    out, err = child.communicate(timeout=60)
    return child.returncode, out, err


@pytest.mark.parametrize("died_of", ["SIGSEGV", "SIGABRT", "SIGBUS"])
def test_a_crash_is_one_line_and_an_exit_code(died_of: str, tmp_path: Path) -> None:
    code, out, err = ended(f"print('before', flush=True); os.kill(os.getpid(), signal.{died_of})")
    assert (code, out) == (3, "before\n")
    assert len(err.splitlines()) == 1
    assert died_of in err and "Do: inro verify" in err


@pytest.mark.parametrize("code", [0, 1, 5, 130])
def test_the_exit_code_is_the_commands(code: int) -> None:
    assert ended(f"print('out'); print('err', file=sys.stderr); sys.exit({code})") == (code, "out\n", "err\n")


def test_a_command_that_a_signal_ends_ends_by_that_signal() -> None:
    for name in ("SIGPIPE", "SIGTERM", "SIGKILL"):
        code, _, err = ended(f"signal.signal(signal.SIGPIPE, signal.SIG_DFL); os.kill(os.getpid(), signal.{name})")
        assert (code, err) == (-getattr(signal, name), "")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_command_once(sent: signal.Signals) -> None:
    body = f"""
    count = []
    signal.signal({int(sent)}, lambda *_: count.append(1))
    print("ready", flush=True)
    until = time.monotonic() + 60
    while not count and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)
    sys.exit(10 + len(count))
"""
    child = start(body)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(sent)
    child.communicate(timeout=90)
    assert child.returncode == 11


def test_the_command_does_not_outlive_a_killed_parent() -> None:
    parent = start(WAIT)
    assert parent.stdout is not None
    number = int(parent.stdout.readline())
    assert number != parent.pid
    parent.kill()
    # the pipe closes only when the command, which holds its other end, is gone
    assert parent.stdout.read() == ""
    parent.communicate()
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):
            os.kill(number, 0)
            subprocess.run(["sleep", "0.01"], check=True)


def test_the_command_ends_with_its_terminal() -> None:
    leader, terminal = pty.fork()
    if leader == 0:
        os.execv(sys.executable, [sys.executable, "-c", GUARDED.format(body=WAIT)])
    said = b""
    while not said.endswith(b"\n"):
        said += os.read(terminal, 100)
    os.close(terminal)
    _, status = os.waitpid(leader, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGHUP
    with pytest.raises(ProcessLookupError):
        os.kill(int(said), 0)
