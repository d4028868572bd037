"""A writer who waits is let pass by readers who come later, and nothing depends on it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from inro import paths
from inro.store import waiting
from inro.store.connect import Store


def test_a_reader_holds_back_while_a_writer_waits_and_not_for_ever(store: Store) -> None:
    with waiting.Sign(store.path) as sign:
        sign.put_up()
        assert waiting._somebody_waits(store.path)
        started = time.monotonic()
        assert store.generation() == 0
        assert time.monotonic() - started >= waiting.GIVE_WAY
    assert not waiting._somebody_waits(store.path)


def test_a_deadline_ends_the_courtesy(store: Store) -> None:
    with waiting.Sign(store.path) as sign:
        sign.put_up()
        waiting.let_pass(store.path, time.monotonic() - 1)


def test_a_sign_is_for_its_own_library(store: Store, tmp_path: Path) -> None:
    others = [tmp_path / f"{n}.inro" for n in range(200)]
    with waiting.Sign(store.path) as sign:
        sign.put_up()
        assert not all(waiting._somebody_waits(other) for other in others)


def test_signs_of_several_writers_are_one(store: Store) -> None:
    with waiting.Sign(store.path) as first:
        first.put_up()
        with waiting.Sign(store.path) as second:
            second.put_up()
            second.put_up()
        assert waiting._somebody_waits(store.path)
    assert not waiting._somebody_waits(store.path)


def test_a_reader_writes_nothing(store: Store) -> None:
    assert store.generation() == 0
    assert not (paths.state_dir() / "waiting").exists()


def test_without_a_state_folder_all_goes_on(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = tmp_path / "taken"
    taken.write_text("no folder")
    monkeypatch.setenv("INRO_HOME", str(taken))
    with store.writing():
        pass
    assert store.generation() == 1


def test_a_writer_is_patient_before_it_says_that_it_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with waiting.Sign(store.path) as sign:
        sign.put_up_when_due()
        assert not waiting._somebody_waits(store.path)
        monkeypatch.setattr(sign, "_patient_until", time.monotonic())
        sign.put_up_when_due()
        assert waiting._somebody_waits(store.path)


def test_only_a_program_that_met_another_leaves_time_between_its_commits(store: Store) -> None:
    with store.writing():
        pass
    assert store._free_again <= time.monotonic()
    hold = (
        "import sys, time, duckdb; c = duckdb.connect(sys.argv[1], read_only=True); print(flush=True); time.sleep(0.5)"
    )
    with subprocess.Popen([sys.executable, "-c", hold, str(store.path)], stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        with store.writing():
            pass
    assert store._free_again > time.monotonic() - waiting.PATIENCE
    assert store.generation() == 2
