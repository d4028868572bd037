"""A user's notes and a library of them, for an agent to ask; by words alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_client import NOTES

from inro.library import Library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's notes."""
    for name, text in NOTES.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path / "vault"


@pytest.fixture(autouse=True)
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By words alone; the whole path with the real embedder is in tests/e2e."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[Library]:
    """A library of those notes."""
    library = Library(tmp_path / "vault.inro")
    for _ in library.add([folder]):
        pass
    yield library
    library.close()
