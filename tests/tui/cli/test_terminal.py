"""The command line in a process of its own: a terminal, a closed pipe, a full disk, Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from worlds import Inro

SLOW = "SELECT count(*) FROM range(100000000) a, range(100000000) b"


ONE_STEP = "SELECT levenshtein(repeat('a', 400000), repeat('b', 400000))"
"""DuckDB looks for an interruption between steps, and this is one that takes minutes: as a damaged block's may."""


def command(world: Inro, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "inro_tui.cli.main", "-L", str(world.library), *arguments]


def on_terminal(world: Inro, *arguments: str, **environment: str) -> str:
    """What a command shows on a terminal, both streams."""
    near, far = pty.openpty()
    try:
        process = subprocess.Popen(
            command(world, *arguments),
            stdin=far,
            stdout=far,
            stderr=far,
            env={**world.environment, "TERM": "xterm-256color", **environment},
        )
        os.close(far)
        shown = b""
        while piece := _read(near):
            shown += piece
        process.wait(60)
    finally:
        os.close(near)
    return shown.decode()


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 1 << 16)
    except OSError:  # Linux: the far side was closed
        return b""


def test_a_terminal_shows_what_matched(noted: Inro) -> None:
    shown = on_terminal(noted, "search", "cleaned")
    assert "\x1b[1;36mcleaned\x1b[0m" in shown
    assert "]52;" not in shown.replace("Trap]52;", "")
    assert "\x1b[2J" not in shown


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(noted: Inro, environment: dict[str, str]) -> None:
    shown = on_terminal(noted, "search", "cleaned", **environment)
    assert "cleaned" in shown
    assert "\x1b[" not in shown


def test_a_machine_without_compiled_kernels_says_what_it_waits_for(noted: Inro, tmp_path: Path) -> None:
    """Asked of a library that is not there, so that nothing is compiled."""
    nowhere = Inro(noted.environment, tmp_path / "nowhere.inro")
    empty = on_terminal(nowhere, "search", "kiln", NUMBA_CACHE_DIR=str(tmp_path))
    assert "preparing this machine for its first search" in empty
    own = str(tmp_path / "kernels")
    assert "preparing" in on_terminal(noted, "search", "kiln", NUMBA_CACHE_DIR=own)
    assert "preparing" not in on_terminal(noted, "search", "kiln", NUMBA_CACHE_DIR=own)


def test_a_reader_that_has_seen_enough_ends_the_command_quietly(noted: Inro) -> None:
    process = subprocess.Popen(
        command(noted, "sql", "FROM range(300000)"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(noted.environment),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b" range\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == -signal.SIGPIPE


def test_a_worker_that_dies_does_not_take_the_command_with_it() -> None:
    """A write to a dead child must come back as an error, which a signal's default would make the end."""
    program = (
        "import signal, sys\n"
        "from inro_tui.cli import main\n"
        "sys.argv = ['inro', '--version']\n"
        "try:\n    main.main()\nexcept SystemExit:\n    pass\n"
        "sys.exit(signal.getsignal(signal.SIGPIPE) is not signal.SIG_IGN)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=60)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_a_full_disk_is_one_line_and_an_exit_code(noted: Inro) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(noted, "status"), stdout=full, stderr=subprocess.PIPE, env=dict(noted.environment), timeout=60
        )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["inro: the output could not be written: No space left on device"]


def test_ctrl_c_is_one_line_and_130(noted: Inro) -> None:
    process = subprocess.Popen(
        command(noted, "sql", SLOW),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(noted.environment),
        text=True,
    )
    try:
        _until_busy(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "inro: interrupted\n")


def test_a_query_that_cannot_be_stopped_ends_with_the_process(noted: Inro) -> None:
    done = subprocess.run(
        command(noted, "sql", "--seconds", "0.2", ONE_STEP),
        capture_output=True,
        text=True,
        env=dict(noted.environment),
        timeout=60,
    )
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "cannot be stopped" in line and "inro verify" in line


def _until_busy(pid: int) -> None:
    """Waits until DuckDB's threads are at work, as seen by the thread that asks for them, in the command's child."""
    if not Path(f"/proc/{pid}").exists():
        time.sleep(3)
        return
    until = time.monotonic() + 60
    while time.monotonic() < until:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if any(len(list(Path(f"/proc/{child}/task").iterdir())) >= 3 for child in children):
            break
        time.sleep(0.05)
    time.sleep(0.5)
