"""Worlds for the command to run in."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import Inro, make_world


@pytest.fixture
def inro(tmp_path: Path) -> Inro:
    """The command with an empty home and no models."""
    return make_world(tmp_path, tmp_path / "no models")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Inro:
    """The sample library, indexed once with the real models."""
    from inro.sample import folder

    world = make_world(tmp_path_factory.mktemp("sample"), models_folder)
    report = world("add", folder(), "--json").json
    assert report["added"] == 48
    assert report["to_embed"] == 0
    return world
