from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inro.workers.process import Child

CHILDREN = Path(__file__).parent / "children"


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test remembers of the machine stays in its own folder."""
    import os

    models = os.environ.get("INRO_MODELS")
    if models is None:
        from inro import paths

        models = str(paths.models_dir())
    monkeypatch.setenv("INRO_MODELS", models)
    monkeypatch.setenv("INRO_HOME", str(tmp_path / "home"))


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Child]]:
    """Start one of the children of this folder by its module name; all are closed at the end."""
    monkeypatch.syspath_prepend(str(CHILDREN))
    started: list[Child] = []

    def start_one(module: str = "puppet", timeout: float | None = 20.0) -> Child:
        child = Child(module, timeout=timeout)
        started.append(child)
        return child

    yield start_one
    for child in started:
        child.close()
