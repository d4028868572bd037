"""Two small libraries without any model: the user's own, and a stranger's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from inro import config
from inro.library import Library

OWN = {
    "kiln.md": "# The kiln\n\nHeat K-204 at 5 °C/min to 900 °C.\n",
    "glovebox.md": "# The glovebox\n\nOxygen stays below 0.1 ppm.\n",
}
THEIRS = {
    "desiccator.md": "# The desiccator\n\nSilica gel of the desiccator is regenerated at 120 °C for three hours.\n\n"
    "Ask Jane Doe, jane@lab.example, 03-1234-5678.\n",
    "balance.md": "# The balance\n\nThe balance is levelled on Mondays.\n",
}
QUESTION = "At what temperature is silica gel of the desiccator regenerated?"


def made(folder: Path, name: str, notes: Mapping[str, str]) -> Library:
    """A library of these notes, searched by words."""
    (folder / name).mkdir()
    for file, text in notes.items():
        (folder / name / file).write_text(text, encoding="utf-8")
    library = Library(folder / f"{name}.inro", replace(config.Settings(), chat=""))
    for _ in library.add([folder / name]):
        pass
    return library


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))
    return made(tmp_path, "own", OWN)


@pytest.fixture
def theirs(tmp_path: Path, own: Library) -> Path:
    return made(tmp_path, "theirs", THEIRS).path
