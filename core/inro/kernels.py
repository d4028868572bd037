"""Whether this machine has the compiled kernels that a job needs, told from the names in their cache alone.

The first sync and the first search on a machine wait for a compiler (measured on one core: 13 and 9 seconds),
once; whoever starts one may want to say so. No compiler is imported to find out. A compilation that was
interrupted half-way looks like a whole one, so the answer is good for a notice and for nothing else.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Final, Literal, TypeAlias

import inro_native
from inro.paths import kernel_cache_dir

Job: TypeAlias = Literal["sync", "search"]

FILES: Final[dict[Job, tuple[str, ...]]] = {
    "sync": ("spans", "terms", "postings"),
    "search": ("spans", "terms", "bm25"),
}
"""Kernel files that a job always runs, those it comes to last included."""


def are_compiled(job: Job) -> bool:
    """Whether a job finds its kernels compiled, by this Python, after their source was last changed."""
    folder = cache_folder()
    return all(_is_compiled(source_folder() / f"{name}.py", folder) for name in FILES[job])


def cache_home() -> Path:
    """Where the compiler is to keep its results: `$NUMBA_CACHE_DIR`, else a folder of the user's cache.

    The folder is named after the source of all kernels: numba compiles a kernel again when its own file changes and
    not when a file does that it calls into, so that after an edit or an upgrade it would serve a stale mixture.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    digest = hashlib.sha256()
    for file in sorted(source_folder().glob("*.py")):
        digest.update(file.read_bytes())
    return kernel_cache_dir() / digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where the compiler keeps what it made of `inro_native`; it need not exist.

    Named as numba names it: after the source's folder and the SHA-1 of that folder's path.
    """
    source = source_folder()
    digest = hashlib.sha1(str(source).encode(), usedforsecurity=False).hexdigest()
    return cache_home() / f"{source.name}_{digest}"


def source_folder() -> Path:
    """Where the kernels' source is."""
    # not resolved: the compiler hashes the path as it was imported
    return Path(os.path.abspath(next(iter(inro_native.__path__))))  # noqa: PTH100


def _is_compiled(source: Path, folder: Path) -> bool:
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    changed = source.stat().st_mtime_ns
    return any(index.stat().st_mtime_ns >= changed for index in folder.glob(f"{source.stem}.*.{python}.nbi"))
