"""The command runs in a child of this process, so that a crash of compiled code ends in a sentence.

A library made by an enemy, or one whose blocks a bad disk exchanged, can bring DuckDB down with it. The child is a
fork, which costs a millisecond or two; everything else is as if it were not there: signals sent to this process reach
the child, those of the terminal reach both by themselves, the exit code is the child's, and the child never outlives
its parent. Where signals cannot be waited for (outside Linux), the command runs as it is.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE})
"""Signals by which compiled code dies of itself."""

CRASHED = 3
"""The exit code then: the library cannot be used."""

_PASSED_ON = frozenset(
    {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT}
)
_SENT_BY_A_PROCESS = 0
_PR_SET_PDEATHSIG = 1


def main() -> NoReturn:
    """The entry point of the installed command."""
    run(_command)


def run(command: Callable[[], object]) -> NoReturn:
    """Run a command in a child and end as it ended."""
    if not hasattr(signal, "sigwaitinfo"):
        command()
        sys.exit(0)
    watched = _PASSED_ON | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _live_no_longer_than(parent)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        command()
        sys.exit(0)
    _end_as(_wait(child, watched))


def _command() -> None:
    from inro_tui.cli.main import main as command

    command()


def _wait(child: int, watched: frozenset[signal.Signals]) -> int:
    """The child's exit code; minus the signal if one ended it."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        told = signal.sigwaitinfo(watched)
        # what the terminal sends goes to the whole group: the child has it already. A terminal that is gone is told
        # to the first process of the session alone, and this may be that one
        from_terminal = told.si_code > _SENT_BY_A_PROCESS and told.si_signo != signal.SIGHUP
        if told.si_signo in _PASSED_ON and not from_terminal:
            os.kill(child, told.si_signo)


def _end_as(code: int) -> NoReturn:
    if code >= 0:
        os._exit(code)
    died_of = signal.Signals(-code)
    if died_of in CRASHES:
        where = _record(died_of.name)
        print(
            f"inro: compiled code crashed ({died_of.name}): the library may be damaged, or made to do that. "
            f"Do: inro verify, or restore a copy{where}",
            file=sys.stderr,
            flush=True,
        )
        os._exit(CRASHED)
    # as the command alone would have ended: by SIGPIPE behind `head`, by SIGTERM, by SIGKILL
    if died_of is not signal.SIGKILL:
        signal.signal(died_of, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {died_of})
    os.kill(os.getpid(), died_of)
    os._exit(128 + died_of)


def _record(signal_name: str) -> str:
    """Write down the crash and say where, unless the user wants no log."""
    from inro import config, log
    from inro.errors import InroError

    with suppress(InroError):
        level = config.load().log_level
        log.begin(level)
        log.warning("crash", process="inro", how=f"killed by {signal_name}")
        return f"; crashes are in {log.file()}" if level != "off" else ""
    return ""


def _live_no_longer_than(parent: int) -> None:
    import ctypes
    import resource

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        # it died before it could be asked for
        os._exit(128 + signal.SIGKILL)
    # a crash is told in a sentence, not in a file of all that was in memory, notes and key included
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


if __name__ == "__main__":
    main()
