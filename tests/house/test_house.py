"""The house rules that a linter does not know."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import inro

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for container in ("tui/inro_tui", "core/inro", "native/inro_native")
    for path in (ROOT / container).rglob("*.py")
)
SPEAKS = re.compile(r"\b(import|from) (socket|ssl|http|urllib\.request|requests|httpx)\b")
HEAVY = ("numba", "onnxruntime", "llama_cpp", "hnswlib", "textual", "onnx", "tokenizers", "mcp", "pydantic")


def test_there_are_sources() -> None:
    assert len(SOURCES) > 50


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_has_one_job_and_says_which(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert re.match(r'(#!.*\n)?r?"""\S', text), "a module begins with a docstring"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["status"], ["search", "--help"], ["models", "list"], ["mcp", "--help"]]
)
def test_light_commands_import_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    """`inro --help` and `inro status` answer before a model library could even load."""
    library = tmp_path / "small.inro"
    note = tmp_path / "note.md"
    note.write_text("# a note\n\nsome text\n")
    program = (
        "import sys\n"
        "from inro_tui.cli import main\n"
        f"sys.argv = ['inro', '-L', {str(library)!r}, *{arguments!r}]\n"
        "try:\n    main.main()\nexcept SystemExit:\n    pass\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "print('LOADED', loaded, file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "LOADED []" in run.stderr


def test_the_changelog_speaks_of_this_version() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    top = re.search(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert top is not None
    assert declared == inro.__version__ == top[1]


def test_only_the_fetcher_speaks_to_a_network() -> None:
    """The static contract sees imports; this sees the words, deferred imports included."""
    speakers = {
        path.name
        for path in SOURCES
        if re.search(
            r"\b(import|from) (socket|ssl|http|urllib\.request|requests|httpx)\b", path.read_text(encoding="utf-8")
        )
        or '"pip"' in path.read_text(encoding="utf-8")
    }
    assert speakers <= {"fetch.py"}


def test_nothing_is_unpickled_or_executed() -> None:
    for path in SOURCES:
        assert not re.search(r"\b(pickle|marshal|shelve)\b|\b(eval|exec)\(", path.read_text(encoding="utf-8")), path
