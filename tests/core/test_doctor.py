"""The doctor says what was found, what was expected and what to do, and never fails itself."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from inro import log
from inro.config import Settings
from inro.doctor import examine, machine
from inro.index import intake, pipeline, upkeep, wear
from inro.library import Library
from inro.records import Check
from inro.store import documents, meta
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.workers.machine import Machine

INTEL = "processor : 0\nmodel name : Some Xeon\nflags : fpu avx2 avx512f avx512_vnni amx_tile amx_int8\n"
ARM = "processor : 0\nFeatures : fp asimd asimddp\n"


def told(checks: list[Check], name: str) -> Check:
    (check,) = [check for check in checks if check.name == name]
    return check


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A library of nine notes, made by words alone."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))
    notes = tmp_path / "notes"
    notes.mkdir()
    for n in range(9):
        (notes / f"{n}.md").write_text(f"# Note {n}\n\nText of note {n}.\n")
    with Library(tmp_path / "l.inro", Settings()) as library:
        list(library.add([notes]))
        return library.store


@pytest.mark.parametrize(
    ("described", "offers"),
    [(INTEL, "Some Xeon: AVX2, AVX-512, AVX-512 VNNI, AMX"), (ARM, "NEON, dot products"), ("", "threads")],
)
def test_the_processor_is_named_with_what_it_offers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, described: str, offers: str
) -> None:
    (tmp_path / "cpuinfo").write_text(described)
    monkeypatch.setattr(machine, "_CPUINFO", tmp_path / "cpuinfo")
    assert offers in machine.processor(1).found


def test_more_threads_than_there_are_is_told_with_what_to_set() -> None:
    check = machine.processor(10_000)
    assert not check.ok
    assert "threads = " in check.mend


def test_safe_settings_in_force_are_told_apart_from_those_of_other_versions(tmp_path: Path) -> None:
    kept = Machine(tmp_path / "machine.json")
    assert "none in force" in machine.safe_settings(kept).found
    kept.remember_safe("chat some.gguf llama-cpp-python-0.0.1")
    assert "none in force" in machine.safe_settings(kept).found
    assert "1 remembered of other versions" in machine.safe_settings(kept).found
    kept.remember_safe(f"chat some.gguf llama-cpp-python-{metadata.version('llama-cpp-python')}")
    check = machine.safe_settings(kept)
    assert "in force after a crash: chat some.gguf" in check.found
    assert str(kept.file) in check.found


def test_dead_weight_is_measured_and_gone_after_upkeep(store: Store) -> None:
    with store.reading() as con:
        (lexical,) = wear.measure(con)
        gone = documents.ids_of_source(con, 1)[:6]
        contents = meta.counter(con, meta.CONTENTS)
    assert (lexical.lane, lexical.units, lexical.rows, lexical.deleted) == ("lexical", 1, 9, 0)
    intake.commit(store, intake.prepare(store, [], Analyser(), removed=gone), contents)
    check = told(list(examine(store.path)), "lexical")
    assert not check.ok
    assert "6 of 9 deleted (67%)" in check.found
    assert "inro sync" in check.mend
    upkeep.keep(store)
    with store.reading() as con:
        (lexical,) = wear.measure(con)
    assert (lexical.rows, lexical.deleted, lexical.is_due) == (3, 0, False)
    assert told(list(examine(store.path)), "lexical").ok


def test_the_log_is_named_and_models_that_are_not_here_come_with_the_command(store: Store) -> None:
    list(pipeline.sync(store, None))
    checks = list(examine(store.path))
    assert str(log.file()) in told(checks, "log").found
    missing = told(checks, "chat")
    assert not missing.ok
    assert "inro models fetch" in missing.mend


def test_there_must_be_room_where_the_library_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from inro import doctor

    monkeypatch.setattr(doctor, "LEAST_FREE", 1 << 62)
    check = told(list(examine(store.path)), "library disk")
    assert not check.ok
    assert str(store.path.parent) in check.mend


def test_a_damaged_library_is_a_finding(store: Store) -> None:
    data = bytearray(store.path.read_bytes())
    data[3 * 4096 :] = bytes(len(data) - 3 * 4096)
    store.path.write_bytes(bytes(data))
    check = told(list(examine(store.path)), "library")
    assert not check.ok
    assert check.mend
