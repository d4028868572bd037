"""Every test owns its world: its own home, no network, the developer's settings kept out."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

from inro.kernels import cache_home
from inro.paths import models_dir

# Compiled kernels and fetched models are the two things worth sharing between tests and with the user:
# both are read as they were found before the home is moved.
MODELS = models_dir()
os.environ["NUMBA_CACHE_DIR"] = str(cache_home())

settings.register_profile("inro", deadline=None, max_examples=100, derandomize=bool(os.environ.get("CI")))
settings.load_profile("inro")


@pytest.fixture(autouse=True)
def own_world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own for every test, inherited by the processes it starts."""
    home = tmp_path_factory.mktemp("home")
    for name in ("INRO_LIBRARY", "INRO_LANG", "NO_COLOR", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("INRO_HOME", str(home))
    monkeypatch.setenv("INRO_MODELS", str(MODELS))
    yield home


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test opens a socket to anywhere; the event loop's own pair is not one of these."""

    def refuse(_self: socket.socket, address: object) -> NoReturn:
        raise AssertionError(f"a socket was opened to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


@pytest.fixture(scope="session")
def models_folder() -> Path:
    """The folder of fetched models; the test is skipped where they were not fetched."""
    if not (MODELS / "multilingual-e5-small").is_dir():
        pytest.skip("the default models are not here: make models")
    return MODELS


@pytest.fixture(scope="session")
def shared() -> Path:
    """The measuring data beside the checkout; the test is skipped where it is absent."""
    folder = Path(os.environ.get("INRO_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "eval").is_dir():
        pytest.skip("the measuring data is not here: set INRO_SHARED")
    return folder
