"""A command from nothing: what it loads, told by what it imports and not by the clock."""

from __future__ import annotations

import subprocess
import sys

from worlds import Inro

NEVER = ("numba", "onnxruntime", "llama_cpp", "hnswlib", "textual")


def imported(world: Inro, *arguments: str) -> set[str]:
    """The packages that a command imports."""
    line = [sys.executable, "-X", "importtime", "-m", "inro_tui.cli.main", "-L", str(world.library), *arguments]
    run = subprocess.run(line, env=dict(world.environment), capture_output=True, text=True, check=True, timeout=300)
    names = (row.rpartition("|")[2].strip() for row in run.stderr.splitlines() if row.startswith("import time:"))
    return {name.partition(".")[0] for name in names}


def test_a_search_loads_no_compiler_once_its_kernels_are_there(noted: Inro) -> None:
    """By words, that it knows and that it does not, and with what nothing matches."""
    for words in ("kiln", "cleanedd", "炉 S-1041"):
        imported(noted, "search", words, "--lane", "lexical")
        loaded = imported(noted, "search", words, "--lane", "lexical")
        assert "inro_native" in loaded
        assert not loaded & set(NEVER)
