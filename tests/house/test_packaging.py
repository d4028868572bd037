"""What is built can be installed anywhere: the wheel and the sdist hold everything the program needs."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return folder


def test_the_wheel_runs_from_another_folder(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "PYTHONSAFEPATH": "1"}
    where = "import inro, inro_tui, inro_native, inro.models.registry as r, inro.sample as s; print(inro.__file__); "
    run = subprocess.run(
        [sys.executable, "-c", where + "print(len(r.load()), len(list(s.folder().rglob('*.*'))))"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    place, counts = run.stdout.splitlines()
    assert place.startswith(str(tmp_path / "site"))
    models, notes = map(int, counts.split())
    assert models >= 3
    assert notes >= 40
    assert (tmp_path / "site" / "inro_tui" / "app.tcss").is_file()


def test_the_sdist_holds_what_building_and_testing_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    needed = {"models.toml", "constraints.txt", "Makefile", ".ci/run", "docs/cli.md", "tests/conftest.py", "LICENSE"}
    assert needed <= names
