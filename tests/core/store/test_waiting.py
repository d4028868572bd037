"""A writer who waits is let pass by readers who come later, and nothing depends on it."""

from __future__ import annotations

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
