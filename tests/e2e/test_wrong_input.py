"""Wrong input gets one clear line and a non-zero exit; nothing is lost and nothing is half made."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from worlds import Inro, Run


def one_line(run: Run) -> str:
    lines = [line for line in run.err.splitlines() if line.startswith("inro: ")]
    assert run.code != 0
    assert len(lines) == 1, run.err
    assert run.out == ""
    return lines[0]


def notes(folder: Path, count: int = 3) -> Path:
    folder.mkdir()
    for i in range(count):
        (folder / f"note {i}.md").write_text(f"# Note {i}\n\nThe kiln number {i} was cleaned on Monday.\n")
    return folder


def test_a_missing_path(inro: Inro, tmp_path: Path) -> None:
    run = inro("add", tmp_path / "nowhere", check=False)
    assert "nowhere" in one_line(run)
    assert run.code == 2
    assert not inro.library.exists()


def test_a_library_that_is_not_there(inro: Inro) -> None:
    run = inro("search", "kiln", check=False)
    assert "inro add" in one_line(run)
    assert run.code == 3
    assert not inro.library.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"just some text\n", random.Random(0).randbytes(9000), b"DUCK" * 3000],
    ids=["empty", "text", "noise", "almost"],
)
def test_a_file_that_is_not_an_index(inro: Inro, content: bytes) -> None:
    inro.library.write_bytes(content)
    for command in (["search", "kiln"], ["status"], ["sync"], ["show", "1"]):
        run = inro(*command, check=False)
        assert run.code == 3
        assert inro.library.name in one_line(run)
    assert inro.library.read_bytes() == content


def test_a_missing_model_leaves_words_searchable_and_names_what_is_missing(inro: Inro, tmp_path: Path) -> None:
    run = inro("add", notes(tmp_path / "notes"))
    assert "inro models fetch" in run.err
    found = inro("search", "kiln", "--json")
    assert len(found.json) == 3
    dense = inro("search", "kiln", "--lane", "dense", check=False)
    message = one_line(dense)
    assert dense.code == 5
    assert "multilingual-e5-small" in message
    assert "sha256" in message
    assert "inro models fetch" in message


def test_an_unreadable_document_is_an_outcome_and_the_rest_goes_on(inro: Inro, tmp_path: Path) -> None:
    folder = notes(tmp_path / "notes")
    (folder / "broken.md").write_bytes(bytes(range(256)) * 40)
    report = inro("add", folder, "--json").json
    assert report["added"] == 4
    assert report["unreadable"] == 1
    listed = inro("status", "--files", "--outcome", "unreadable", "--json").json
    assert [row["path"] for row in listed] == ["broken.md"]
    assert listed[0]["reason"]
    assert len(inro("search", "kiln", "--json").json) == 3


def test_a_question_to_an_empty_library(inro: Inro, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    inro("add", tmp_path / "empty")
    run = inro("ask", "what is there?", check=False)
    assert run.code == 3
    assert "empty" in one_line(run)


def test_a_document_that_is_not_in_the_library(inro: Inro, tmp_path: Path) -> None:
    inro("add", notes(tmp_path / "notes"))
    for name in ("999", "no such.md"):
        run = inro("show", name, check=False)
        assert run.code == 2
        assert name in one_line(run)


def test_wrong_usage_names_the_help(inro: Inro) -> None:
    run = inro("search", check=False)
    assert run.code == 2
    assert "--help" in one_line(run)


def test_nothing_from_a_document_reaches_the_terminal_raw(inro: Inro, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "trap.md").write_text("# Kiln\x1b]52;c;aGFja2Vk\x07 title\n\nThe kiln \x1b[2J\x9b31m was cleaned.\n")
    inro("add", folder)
    for command in (["search", "kiln"], ["show", "trap.md"], ["search", "kiln", "--json"]):
        shown = inro(*command).out
        assert "\x1b" not in shown
        assert "\x9b" not in shown
        assert "\x07" not in shown
    assert "cleaned" in inro("show", "trap.md").out
