"""Models are carried with two commands, and what is said on the way helps."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Run

from inro.models import files
from inro.models.registry import find

from .test_json import as_documented

Typed = Callable[..., Run]
SMALL = "smollm2-135m-instruct"


@pytest.fixture
def with_models(typed: Typed, models_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command sees the real models."""
    monkeypatch.setenv("INRO_MODELS", str(models_folder))
    return models_folder


def test_a_model_is_carried(typed: Typed, with_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "stick.tar"
    run = typed("models", "bundle", SMALL, out)
    assert run.code == 0, run.err
    assert len(run.out.splitlines()) == 1 and SMALL in run.out and str(out) in run.out
    assert "left out: multilingual-e5-small: not asked for" in run.err
    (absent,) = [line for line in run.err.splitlines() if line.startswith("left out, not here: ")]
    assert "bge-m3" in absent and SMALL not in absent
    taken = typed("models", "bundle", SMALL, out)
    assert taken.code == 2 and "--replace" in taken.err and taken.out == ""
    made = as_documented(typed("models", "bundle", SMALL, out, "--replace", "--json"), "models bundle OUT --json")
    assert made["models"] == [SMALL] and made["sha256"] == files.sha256_of(out)

    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "there"))
    ready = as_documented(typed("models", "unbundle", out, "--json"), "models unbundle FILE --json")
    assert ready == [SMALL]
    again = typed("models", "unbundle", out)
    assert again.code == 0 and again.out == "" and f"{SMALL}: done already here" in again.err
    assert typed("models", "verify").code == 0


def test_a_cut_archive_is_one_line(typed: Typed, with_models: Path, tmp_path: Path) -> None:
    out = tmp_path / "stick.tar"
    assert typed("models", "bundle", SMALL, out).code == 0
    os.truncate(out, 5_000_000)
    run = typed("models", "unbundle", out)
    (said,) = run.err.splitlines()
    assert run.code == 5 and run.out == ""
    assert f"ends in {SMALL}/" in said and "inro models bundle" in said
    assert typed("models", "unbundle", tmp_path).code == 2


def test_a_damaged_model_is_named_as_left_out(
    typed: Typed, with_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    shutil.copytree(with_models / SMALL, own / SMALL)
    brought = find("qwen3-1.7b")
    monkeypatch.setenv("INRO_MODELS", str(own))
    files.path(brought, brought.files[0]).parent.mkdir()
    files.path(brought, brought.files[0]).write_bytes(b"GGUF, put here by hand")
    run = typed("models", "bundle", tmp_path / "a.tar")
    assert run.code == 0
    assert "left out: qwen3-1.7b: no hash was ever recorded" in run.err


def test_a_missing_model_says_how_it_can_be_carried(typed: Typed) -> None:
    run = typed("models", "list")
    assert f"{SMALL} is not here. Do: inro models fetch {SMALL}" in run.err
    assert "inro models unbundle" in run.err
    told = typed("doctor").out.splitlines()
    (at,) = [i for i, line in enumerate(told) if f"{SMALL} is not here" in line]
    assert "inro models unbundle" in told[at + 1]
