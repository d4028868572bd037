"""The editor opens the original at the words that are on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from inro_tui import editor


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a few editors that do nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("vim", "hx", "code", "ed", "vi"):
        program = folder / name
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("vim", ["vim", "+7", "FILE"]),
        ("vim -u NONE", ["vim", "-u", "NONE", "+7", "FILE"]),
        ("hx", ["hx", "FILE:7"]),
        ("code -w", ["code", "-w", "--goto", "FILE:7"]),
        ("ed", ["ed", "FILE"]),
    ],
)
def test_each_editor_is_told_the_line_its_own_way(
    tmp_path: Path, bin_folder: Path, chosen: str, expected: list[str]
) -> None:
    note = tmp_path / "a note.md"
    note.write_text("text")
    argv = editor.command(note, 7, {"EDITOR": chosen})
    assert argv == [part.replace("FILE", str(note)) for part in expected]


def test_visual_wins_and_vi_is_the_last_resort(tmp_path: Path, bin_folder: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text("text")
    assert editor.command(note, 1, {"EDITOR": "ed", "VISUAL": "vim"}) == ["vim", "+1", str(note)]
    assert editor.command(note, 1, {}) == ["vi", "+1", str(note)]


@pytest.mark.parametrize("chosen", ["no-such-editor", "vim 'unclosed"])
def test_an_editor_that_cannot_be_run_is_none(tmp_path: Path, bin_folder: Path, chosen: str) -> None:
    note = tmp_path / "n.md"
    note.write_text("text")
    assert editor.command(note, 1, {"EDITOR": chosen}) is None


def test_a_binary_file_is_not_given_to_an_editor(tmp_path: Path, bin_folder: Path) -> None:
    scan = tmp_path / "scan.pdf"
    scan.write_bytes(b"%PDF-1.7\x00\x01")
    assert editor.command(scan, 1, {"EDITOR": "vim"}) in (None, ["open", str(scan)])
    wide = tmp_path / "utf16.txt"
    wide.write_text("text", encoding="utf-16")
    assert editor.is_text(wide)


def test_the_line_is_that_of_the_original_and_not_of_the_stored_text(tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text("---\ntitle: x\n---\n# One\n\nsame words\n\nmore\n\nsame words\n", encoding="utf-8")
    stored = "# One\n\nsame words\n\nmore\n\nsame words\n"
    assert editor.line_of(note, stored, stored.index("more") + 2) == 8
    assert editor.line_of(note, stored, stored.rindex("same")) == 10
    assert editor.line_of(note, "nothing of it\nis there", 20) == 2


def test_the_original_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    note = tmp_path / "n.txt"
    note.write_text("一行目\n乾燥庫の記録\n", encoding="cp932")
    assert editor.line_of(note, "乾燥庫の記録", 0, "cp932") == 2
    assert editor.line_of(note, "乾燥庫の記録", 0, "no-such-codec") == 1
