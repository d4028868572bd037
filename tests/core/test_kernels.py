"""Whether kernels are compiled, told without a compiler, against what the compiler itself does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inro import kernels


def compiled(folder: Path, name: str) -> Path:
    """A file as the compiler leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.some-1.py{sys.version_info.major}{sys.version_info.minor}.nbi"
    file.touch()
    return file


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    return kernels.cache_folder()


def test_the_files_that_are_looked_for_are_kernels() -> None:
    for names in kernels.FILES.values():
        for name in names:
            assert "@njit(cache=True" in (kernels.source_folder() / f"{name}.py").read_text(encoding="utf-8")


def test_an_empty_cache_is_not_compiled(cache: Path) -> None:
    assert not cache.exists()
    assert not kernels.are_compiled("sync")
    assert not kernels.are_compiled("search")


def test_each_job_looks_for_its_own(cache: Path) -> None:
    for name in kernels.FILES["sync"]:
        compiled(cache, name)
    assert kernels.are_compiled("sync")
    assert not kernels.are_compiled("search")


def test_what_is_older_than_its_source_does_not_count(cache: Path) -> None:
    files = [compiled(cache, name) for name in kernels.FILES["search"]]
    assert kernels.are_compiled("search")
    os.utime(files[0], (1, 1))
    assert not kernels.are_compiled("search")


def test_another_python_does_not_count(cache: Path) -> None:
    for name in kernels.FILES["search"]:
        file = compiled(cache, name)
        file.rename(file.with_suffix("").with_suffix(".py27.nbi"))
    assert not kernels.are_compiled("search")


def test_the_folder_is_where_the_compiler_puts_it(cache: Path) -> None:
    from numba.core.caching import UserProvidedCacheLocator

    source = str(kernels.source_folder() / "bm25.py")
    assert UserProvidedCacheLocator.get_suitable_cache_subpath(source) == cache.name


def test_no_compiler_is_imported_to_find_out() -> None:
    program = (
        "import sys, inro.kernels as k; k.are_compiled('search'); sys.exit(bool({'numba', 'numpy'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
