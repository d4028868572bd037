"""The log: one file for many programs, of limited size, for its owner's eyes, with nothing of the library in it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inro import log, paths
from inro.config import Settings
from inro.errors import WorkerCrashed
from inro.library import Library
from inro.workers.machine import Machine
from inro.workers.process import Child
from inro.workers.supervise import Supervisor

SECRET = "zanthoxylum"
"""A word that stands in the note, in its name and in the question."""

WRITE = """
import sys
from inro import log
log.begin("info")
for n in range(200):
    log.info("line", who=sys.argv[1], n=n, of="x" * 60)
"""


@pytest.fixture(autouse=True)
def silent_before_and_after() -> Iterator[None]:
    log.begin("off")
    yield
    log.begin("off")


def everything() -> str:
    return "".join(file.read_text(encoding="utf-8") for file in paths.state_dir().glob("inro.log*"))


def test_nothing_is_written_before_it_begins_and_nothing_below_the_level() -> None:
    log.warning("early")
    assert not log.file().exists()
    log.begin("warning")
    log.info("small talk")
    assert not log.file().exists()
    log.warning("fire", where="cellar 2")
    assert 'WARNING fire where="cellar 2"' in everything()


def test_it_is_its_owners_alone() -> None:
    log.begin("info")
    log.info("one")
    assert stat.S_IMODE(log.file().stat().st_mode) == 0o600
    assert not stat.S_IMODE(log.file().parent.stat().st_mode) & 0o077


def test_a_value_cannot_act_on_a_terminal_or_look_like_a_record() -> None:
    log.begin("debug")
    log.debug("odd", said="a\nb\x1b[31m\u202ec" + "x" * 1000)
    assert len(everything().splitlines()) == 1
    assert all(c.isprintable() for c in everything().rstrip("\n"))
    assert len(everything()) < 2 * log.LONGEST


def test_it_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LARGEST", 4000)
    log.begin("info")
    for n in range(1000):
        log.info("line", n=n)
    sizes = [file.stat().st_size for file in paths.state_dir().glob("inro.log*")]
    assert len(sizes) == 1 + log.FORMER
    assert max(sizes) <= 4000
    assert "n=999" in log.file().read_text()


def test_several_programs_lose_no_line_though_the_file_is_renamed_meanwhile(tmp_path: Path) -> None:
    code = WRITE.replace('log.begin("info")', 'log.begin("info"); log.LARGEST, log.FORMER = 20_000, 20')
    children = [subprocess.Popen([sys.executable, "-c", code, str(n)]) for n in range(3)]
    assert [child.wait(120) for child in children] == [0, 0, 0]
    lines = everything().splitlines()
    assert len(lines) == 600
    assert len({line.split(" line ")[1] for line in lines}) == 600, "each is whole"
    assert len(list(paths.state_dir().glob("inro.log*"))) > 2


def test_a_log_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = tmp_path / "taken"
    taken.write_text("no folder")
    monkeypatch.setenv("INRO_HOME", str(taken))
    log.begin("info")
    log.warning("lost")


def test_what_was_synced_asked_and_crashed_leaves_nothing_of_the_library(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / f"{SECRET}.md").write_text(f"# {SECRET}\n\nThe {SECRET} grows at 38 degrees.\n")
    (notes / f"{SECRET} broken.pdf").write_bytes(b"%PDF-1.7 " + SECRET.encode())
    with Library(tmp_path / "l.inro", Settings(chat="", log_level="info")) as library:
        list(library.add([notes]))
        list(library.ask(f"At how many degrees does {SECRET} grow?"))
        library.search(SECRET)
    # a child that cannot know the operation, crashes over it and says so on its way
    with pytest.raises(WorkerCrashed) as caught:
        _crash_twice(tmp_path)
    assert str(log.file()) in str(caught.value)
    said = everything()
    assert "commit library=l.inro" in said
    assert "refused outcome=unreadable" in said
    assert "sync added=" in said
    assert said.count("crash process=inro.workers.chat_child") == 2
    assert SECRET not in said


def test_at_the_level_debug_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with Library(tmp_path / "l.inro", Settings(chat="", log_level="debug")) as library:
        list(library.add([tmp_path / "broken.pdf"]))
    assert "path=broken.pdf" in everything()


def test_a_command_that_says_nothing_loads_no_logging() -> None:
    code = "import sys, inro.log; inro.log.begin('info'); inro.log.debug('x'); sys.exit('logging' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ).returncode == 0


def _crash_twice(folder: Path) -> None:
    def start(safe: bool) -> Child:
        return Child("inro.workers.chat_child", env={"INRO_TEST": "1"})

    def exchange(child: Child) -> None:
        os.kill(child.pid, 11)
        child.request("load", path=SECRET, context=1, threads=1, safe=True)

    supervisor = Supervisor(start, key="test", machine=Machine(folder / "machine.json"))
    try:
        supervisor.run(exchange)
    finally:
        supervisor.close()
