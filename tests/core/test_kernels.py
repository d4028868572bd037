"""Whether kernels are compiled, told without a compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inro import kernels
from inro_native import machine_code


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return tmp_path


def compiled(cache: Path, name: str) -> None:
    """A kernel's code as it is kept, for some machine."""
    file = machine_code.folder_of(cache, "some-machine") / f"{name}.scan-123"
    file.parent.mkdir(exist_ok=True)
    file.touch()


def test_the_files_that_are_looked_for_are_kernels() -> None:
    for names in kernels.FILES.values():
        for name in names:
            assert "@kernel(" in (machine_code.source_folder() / f"{name}.py").read_text(encoding="utf-8")


def test_an_empty_cache_is_not_compiled(cache: Path) -> None:
    assert not kernels.are_compiled("sync")
    assert not kernels.are_compiled("search")


def test_each_job_looks_for_its_own(cache: Path) -> None:
    for name in kernels.FILES["sync"]:
        compiled(cache, name)
    assert kernels.are_compiled("sync")
    assert not kernels.are_compiled("search")


def test_what_was_made_of_other_source_does_not_count(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in kernels.FILES["search"]:
        compiled(cache, name)
    assert kernels.are_compiled("search")
    monkeypatch.setattr(machine_code, "source_digest", lambda: "0" * 16)
    assert not kernels.are_compiled("search")


def test_a_search_leaves_what_is_looked_for(cache: Path) -> None:
    program = (
        "from inro_native import spans; import numpy as np\n"
        "points = np.array([97], np.uint32)\n"
        "spans.scan(points, np.full(1 << 17, 1, np.uint8), np.array([0, 1]), np.array([1]))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    home = kernels.cache_home()
    assert [file.name for file in home.glob(f"{machine_code.folder_of(home, '*').name}/spans.*")]


def test_no_compiler_is_imported_to_find_out() -> None:
    program = (
        "import sys, inro.kernels as k; k.are_compiled('search'); sys.exit(bool({'numba', 'numpy'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
