"""A copy is sent in the form the terminal can take, or kept in a file, and never called done."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest

from inro_tui import clipboard

HI = base64.b64encode(b"hi").decode()


def test_a_plain_terminal_gets_one_bare_request() -> None:
    assert clipboard.request("hi", {}) == f"\x1b]52;c;{HI}\x07"


def test_tmux_gets_the_request_bare_and_wrapped_with_its_escapes_doubled() -> None:
    asked = clipboard.request("hi", {"TMUX": "/tmp/x,1,0"})
    assert asked == f"\x1b]52;c;{HI}\x07\x1bPtmux;\x1b\x1b]52;c;{HI}\x07\x1b\\"


def test_screen_gets_it_in_pieces_that_it_does_not_cut() -> None:
    text = "乾燥庫" * 100
    asked = clipboard.request(text, {"STY": "1.pts"})
    assert asked is not None
    pieces = asked.split("\x1b\\")[:-1]
    assert all(piece.startswith("\x1bP") and len(piece) <= 254 for piece in pieces)
    inner = "".join(piece.removeprefix("\x1bP") for piece in pieces)
    payload = inner.removeprefix("\x1b]52;c;").removesuffix("\x07")
    assert base64.b64decode(payload).decode() == text


def test_the_longest_request_is_sent_and_one_more_byte_is_not() -> None:
    fits = clipboard.LIMIT // 4 * 3
    assert clipboard.request("x" * fits, {}) is not None
    assert clipboard.request("x" * (fits + 1), {}) is None


@pytest.mark.parametrize(("size", "went"), [(10, "terminal"), (80_000, "file")])
def test_the_text_is_always_in_the_file_too(tmp_path: Path, size: int, went: str) -> None:
    sent: list[str] = []
    copy = clipboard.copy("字" * size, sent.append, tmp_path / "new", {})
    assert copy.went == went
    assert copy.characters == size
    assert copy.file is not None
    assert copy.file.read_text(encoding="utf-8") == "字" * size
    assert stat.S_IMODE(copy.file.stat().st_mode) == 0o600
    assert bool(sent) == (went == "terminal")


def test_what_is_copied_cannot_act_where_it_is_pasted(tmp_path: Path) -> None:
    copy = clipboard.copy("safe\x1b[201~\x07\u202e text\n", None, tmp_path, {})
    assert copy.file is not None
    assert copy.file.read_text(encoding="utf-8") == "safe text\n"


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert clipboard.copy("x", None, blocked / "below", {}).went == "nowhere"
