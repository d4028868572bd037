"""Sources on the command line: what is taken in, what changed since, what is watched, what is forgotten."""

from __future__ import annotations

import json
import os
import plistlib
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Inro, Run, make_world

from inro_tui.cli import units

Typed = Callable[..., Run]


@pytest.fixture
def world(tmp_path: Path) -> Inro:
    """A home without models, and four files in `notes`."""
    notes = tmp_path / "notes"
    (notes / "old").mkdir(parents=True)
    (notes / "kiln.md").write_text("# The kiln\n\nHeat it slowly.\n", encoding="utf-8")
    (notes / "draft.md").write_text("# A draft\n\nNot to be found.\n", encoding="utf-8")
    (notes / ".hidden.md").write_text("# Hidden\n", encoding="utf-8")
    (notes / "old" / "memo.txt").write_bytes("乾燥庫の記録".encode("euc_jp"))
    return make_world(tmp_path, tmp_path / "no models")


def paths(world: Inro) -> set[str]:
    return {row["path"] for row in world("status", "--files", "--json").json if row["outcome"] == "ok"}


def test_patterns_say_what_is_taken_in(world: Inro) -> None:
    notes = world.library.parent / "notes"
    world("add", notes, "--exclude", "draft*", "--hidden", "--encoding", "old/*=euc_jp")
    assert paths(world) == {"kiln.md", ".hidden.md", "old/memo.txt"}
    assert "乾燥庫の記録" in world("show", "old/memo.txt").out
    world("add", notes, "--include", "*.md")
    assert paths(world) == {"kiln.md", "draft.md"}


def test_a_charset_that_does_not_exist_is_refused_with_examples(world: Inro) -> None:
    run = world("add", world.library.parent / "notes", "--encoding", "kanji", check=False)
    assert run.code == 2
    assert "cp932" in run.err
    assert not world.library.exists()


def test_what_changed_since_is_told_by_status_and_with_results(world: Inro) -> None:
    notes = world.library.parent / "notes"
    world("add", notes)
    assert "since then" not in world("status").out
    (notes / "new.md").write_text("# New\n", encoding="utf-8")
    (notes / "draft.md").unlink()
    assert "since then 1 new, 1 gone: inro sync" in world("status").out
    assert world("status", "--json").json["drift"] == {"added": 1, "changed": 0, "removed": 1}
    assert "2 changed since" in world("search", "kiln", "--lane", "lexical").out


def test_a_forgotten_source_is_gone_and_its_files_are_not(world: Inro) -> None:
    notes = world.library.parent / "notes"
    world("add", notes)
    assert world("forget", notes, "--json").json == {"documents": 3}
    assert world("status", "--json").json["sources"] == []
    assert (notes / "kiln.md").exists()
    assert world("forget", notes, check=False).code == 2


def test_a_watch_syncs_what_changes_until_it_is_told_to_end(world: Inro) -> None:
    notes = world.library.parent / "notes"
    world("add", notes)
    command = [sys.executable, "-m", "inro_tui.cli.main", "-L", str(world.library), "watch", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(world.environment)
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["unchanged"] == 3
        (notes / "new.md").write_text("# New\n\nWritten while it watched.\n", encoding="utf-8")
        assert json.loads(process.stdout.readline())["added"] == 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert "watching 1 sources" in process.stderr.read()
    assert "new.md" in paths(world)


def test_a_systemd_unit_holds_the_command_with_its_library_quoted() -> None:
    unit = units.systemd(Path('/srv/my "lab" 100%/notes.inro'), 15)
    line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
    assert line.endswith('-L "/srv/my \\"lab\\" 100%%/notes.inro" sync')
    assert "OnUnitInactiveSec=15min" in unit


def test_a_launchd_agent_is_a_property_list() -> None:
    agent = plistlib.loads(units.launchd(Path("/srv/<lab>&co/notes.inro"), 15).encode())
    assert agent["ProgramArguments"][-3:] == ["-L", "/srv/<lab>&co/notes.inro", "sync"]
    assert agent["StartInterval"] == 900


def test_the_printed_unit_runs_this_program(typed: Typed) -> None:
    run = typed("watch", "--print-unit", "systemd")
    found = re.search(r"^ExecStart=(\S+)", run.out, re.M)
    assert found is not None
    assert os.access(found[1], os.X_OK)
