"""Where compiled kernels are kept, and whether those that a job needs are there, told from their names alone.

The first sync and the first search on a machine wait for a compiler (measured on one core: 13 and 9 seconds),
once; whoever starts one may want to say so. No compiler is imported to find out. A compilation that was
interrupted half-way looks like a whole one, so the answer is good for a notice and for nothing else.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

from inro.paths import kernel_cache_dir
from inro_native import machine_code

Job: TypeAlias = Literal["sync", "search"]

FILES: Final[dict[Job, tuple[str, ...]]] = {
    "sync": ("spans", "terms", "postings"),
    "search": ("spans", "terms", "bm25"),
}
"""Kernel files that a job always runs, those it comes to last included."""


def are_compiled(job: Job) -> bool:
    """Whether a job finds its kernels compiled since their source was last changed."""
    home = cache_home()
    folders = list(home.glob(machine_code.folder_of(home, "*").name))
    return all(any(next(folder.glob(f"{name}.*"), None) for folder in folders) for name in FILES[job])


def cache_home() -> Path:
    """Where the compiler is to keep its results: `$NUMBA_CACHE_DIR`, else a folder of the user's cache.

    The folder is named after the source of all kernels: numba compiles a kernel again when its own file changes and
    not when a file does that it calls into, so that after an edit or an upgrade it would serve a stale mixture.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given) if given else kernel_cache_dir() / machine_code.source_digest()
