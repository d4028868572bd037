"""The command as a user runs it: another process, a pipe, a home of its own, no network for it or its children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WATCH_SOCKETS = '''
"""Loaded by every Python process of the test: refuses sockets and writes down who asked."""
import os, socket

def refuse(self, address, *rest):
    with open(os.environ["SOCKET_LOG"], "a") as log:
        log.write(f"{address}\\n")
    raise OSError("the network is off")

socket.socket.connect = refuse
socket.socket.connect_ex = refuse
socket.socket.sendto = refuse
socket.getaddrinfo = lambda *a, **k: refuse(None, a)
'''


@dataclass(frozen=True)
class Run:
    """What one command printed and returned."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout, read as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Inro:
    """The command, in a world of its own."""

    environment: Mapping[str, str]
    library: Path
    prefix: Sequence[str] = ()

    def __call__(self, *arguments: str | Path, check: bool = True) -> Run:
        command = [*self.prefix, sys.executable, "-m", "inro_tui.cli.main", "-L", str(self.library)]
        done = subprocess.run(
            [*command, *map(str, arguments)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            env=dict(self.environment),
        )
        assert "Traceback" not in done.stderr, done.stderr
        if check:
            assert done.returncode == 0, done.stderr
        return Run(done.returncode, done.stdout, done.stderr)

    def socket_attempts(self) -> str:
        """Every address any process of this world tried to reach."""
        log = Path(self.environment["SOCKET_LOG"])
        return log.read_text() if log.exists() else ""


def cut_off() -> list[str]:
    """The prefix that runs a command without any network interface, where this machine allows it."""
    probe = subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True)
    return ["unshare", "--map-root-user", "--net"] if probe.returncode == 0 else []


def make_world(folder: Path, models: Path) -> Inro:
    """A fresh home; the kernels' cache is shared with the other tests."""
    guard = folder / "guard"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(WATCH_SOCKETS)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("INRO_", "XDG_"))}
    environment = kept | {
        "INRO_HOME": str(folder / "home"),
        "INRO_MODELS": str(models),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(guard), os.environ.get("PYTHONPATH", "")])),
        "SOCKET_LOG": str(folder / "sockets.log"),
    }
    try:
        prefix = cut_off()
    except FileNotFoundError:
        prefix = []
    return Inro(environment, folder / "library.inro", prefix)
