"""The command line as it is typed: in this process where only words matter, in another where signals and pipes do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from worlds import Inro, Run, make_world

Typed = Callable[..., Run]

NOTES = {
    "kiln.md": "---\ntags: [oven]\nversion: 2\n---\n# The kiln\n\nIt was cleaned on Monday. See [[glovebox]].\n\n"
    "## Heating\n\nHeat K-204 at 5 °C/min to 900 °C.\nHold it for 2 h.\n",
    "glovebox.md": "# The glovebox\n\nOxygen stays below 0.1 ppm. グローブボックスの酸素濃度を測る。\n",
    "trap.md": "# Trap\x1b]52;c;aGk=\x07\n\nThe trap \x1b[2J\x9b31m\u202e\u2028 was cleaned.\n",
}


def write_notes(folder: Path) -> Path:
    """Three small notes, one of them hostile."""
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Inro:
    """A library of the notes, without any model."""
    folder = tmp_path_factory.mktemp("noted")
    world = make_world(folder, folder / "no models")
    world("add", write_notes(folder / "notes"))
    return world


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Inro:
    """A library of the notes, with the real models."""
    folder = tmp_path_factory.mktemp("embedded")
    world = make_world(folder, models_folder)
    world("add", write_notes(folder / "notes"))
    return world


@pytest.fixture
def typed(noted: Inro, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Typed:
    """Runs a command in this process, on the library of notes unless another is named."""
    monkeypatch.setenv("INRO_LIBRARY", str(noted.library))
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))

    def run(*arguments: str | Path) -> Run:
        from inro_tui.cli.main import main

        with _arguments(monkeypatch, [str(argument) for argument in arguments]):
            capsys.readouterr()
            code = 0
            try:
                main()
            except SystemExit as stop:
                assert stop.code is None or isinstance(stop.code, int)
                code = stop.code or 0
            shown = capsys.readouterr()
        return Run(code, shown.out, shown.err)

    return run


@contextmanager
def _arguments(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["inro", *arguments])
        yield
