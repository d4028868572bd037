"""The library as a file among files, from the command line; and a key that no program can overhear."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Inro, Run

from .test_json import as_documented

Typed = Callable[..., Run]

PASSPHRASE = "correct-horse-電池"


@pytest.fixture
def library(typed: Typed, noted: Inro, tmp_path: Path) -> Path:
    """A copy of the library of notes, to be changed."""
    made = as_documented(typed("copy", tmp_path / "own" / "l.inro", "--json"), "copy DEST --json")
    assert made["documents"] == 3
    return tmp_path / "own" / "l.inro"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "key"
    file.write_text(PASSPHRASE + "\n")
    return file


def test_a_copy_is_told_in_one_line(typed: Typed, library: Path, tmp_path: Path) -> None:
    run = typed("-L", library, "copy", tmp_path / "again.inro", "--source", "1", "--without-vectors")
    assert run.code == 0, run.err
    assert len(run.out.splitlines()) == 1
    assert "3 documents" in run.out
    assert typed("-L", library, "copy", tmp_path / "again.inro").code == 2
    assert typed("-L", library, "copy", tmp_path / "again.inro", "--replace").code == 0


def test_without_a_keyring_nothing_is_encrypted_for_one(
    typed: Typed, library: Path, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    run = typed("-L", library, "encrypt", "--keyring", "--key-file", key_file)
    assert run.code == 2
    assert len(run.err.splitlines()) == 1
    assert "keyring" in run.err
    assert PASSPHRASE not in run.err
    assert typed("-L", library, "status").code == 0


def test_merge(typed: Typed, library: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "new.md").write_text("# New\n\nA zanthoxylum.\n")
    other = tmp_path / "other.inro"
    typed("-L", other, "add", tmp_path / "more")
    merged = as_documented(typed("-L", library, "merge", other, "--json"), "merge LIBRARY --json")
    assert (merged["taken"], merged["made"]["documents"]) == (1, 4)
    again = typed("-L", library, "merge", other)
    assert again.out.startswith("1 there already\n")
    assert "new.md" in typed("-L", library, "search", "zanthoxylum").out


def test_relocate(typed: Typed, library: Path, noted: Inro, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "kiln.md").write_text("# The kiln\n")
    told = as_documented(typed("-L", library, "relocate", "1", moved, "--json"), "relocate SOURCE PATH --json")
    assert (told["documents"], told["found"]) == (3, 1)
    assert str(moved) in typed("-L", library, "status").out
    assert typed("-L", library, "relocate", "9", moved).code == 2


def test_encrypt_and_decrypt_with_a_key_file(typed: Typed, library: Path, key_file: Path) -> None:
    made = as_documented(typed("-L", library, "encrypt", "--key-file", key_file, "--json"), "encrypt --json")
    assert made["encrypted"]
    refused = typed("-L", library, "status")
    assert refused.code == 3
    assert "is encrypted. Do: --key-file" in refused.err
    opened = typed("-L", library, "--key-file", key_file, "search", "K-204")
    assert "kiln.md" in opened.out
    key_file.write_text("another")
    wrong = typed("-L", library, "--key-file", key_file, "status")
    assert (wrong.code, wrong.out) == (3, "")
    assert wrong.err == f"inro: wrong key for {library}\n"
    key_file.write_text(PASSPHRASE)
    checked = typed("-L", library, "doctor", "--key-file", key_file)
    assert "BAD library" not in checked.out
    back = as_documented(typed("-L", library, "decrypt", "--key-file", key_file, "--json"), "decrypt --json")
    assert not back["encrypted"]
    assert typed("-L", library, "status").code == 0


def test_the_setting_names_the_key_file(
    typed: Typed, library: Path, key_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INRO_HOME", str(tmp_path / "home"))
    typed("-L", library, "encrypt", "--key-file", key_file)
    settings = tmp_path / "home" / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'key_file = "{key_file}"\n')
    assert "documents  3" in typed("-L", library, "status").out
    key_file.unlink()
    assert "there is no key file" in typed("-L", library, "status").err


def test_without_a_terminal_no_passphrase_is_made_up(typed: Typed, library: Path) -> None:
    run = typed("-L", library, "encrypt")
    assert run.code == 2
    assert "Do: --key-file FILE" in run.err


def at_a_terminal(command: list[str], environment: dict[str, str], answers: list[str]) -> tuple[int, str]:
    """Runs a command on a terminal of its own and types an answer at each `: `; (exit code, all that was shown)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command[0], command, environment)
    shown, waiting = b"", list(answers)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
        if waiting and shown.rstrip(b" ").endswith(b":"):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace")


def test_a_passphrase_is_typed_unseen(noted: Inro, library: Path, typed: Typed, key_file: Path) -> None:
    command = [sys.executable, "-m", "inro_tui.cli.main", "-L", str(library)]
    environment = {**noted.environment, "TERM": "dumb"}
    code, shown = at_a_terminal([*command, "encrypt"], environment, [PASSPHRASE, PASSPHRASE])
    assert code == 0, shown
    assert "encrypted" in shown
    code, opened = at_a_terminal([*command, "status"], environment, [PASSPHRASE])
    assert code == 0, opened
    assert "documents  3" in opened
    code, refused = at_a_terminal([*command, "status"], environment, ["something else"])
    assert code == 3
    assert refused.splitlines()[-1].startswith("inro: wrong key for")
    for text in (shown, opened, refused):
        assert PASSPHRASE not in text
    assert typed("-L", library, "status", "--key-file", key_file).code == 0


def test_two_passphrases_that_differ_change_nothing(noted: Inro, library: Path) -> None:
    before = library.read_bytes()
    command = [sys.executable, "-m", "inro_tui.cli.main", "-L", str(library), "encrypt"]
    code, shown = at_a_terminal(command, {**noted.environment, "TERM": "dumb"}, ["one", "two"])
    assert code == 2
    assert "not the same" in shown
    assert library.read_bytes() == before


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads another process's memory map")
def test_no_file_and_no_process_list_holds_the_key(noted: Inro, library: Path, key_file: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment = {**noted.environment, "INRO_HOME": str(home)}
    command = [sys.executable, "-m", "inro_tui.cli.main", "-L", str(library), "--key-file", str(key_file)]
    for arguments in (["encrypt"], ["search", "K-204"], ["sql", "SELECT * FROM duckdb_settings()"]):
        ran = subprocess.run([*command, *arguments], env=environment, capture_output=True, check=True, timeout=120)
        assert PASSPHRASE.encode() not in ran.stdout + ran.stderr
    held = [path for path in (*home.rglob("*"), *library.parent.iterdir()) if path.is_file()]
    assert held
    assert not [path for path in held if PASSPHRASE.encode() in path.read_bytes()]
