"""Opening an original where the reader is reading: which command, and at which line.

The stored text is what is shown; the original may differ (frontmatter taken off, a PDF). So the line is
looked up in the original itself, by the words that are on the screen. Starts nothing: it says what to run.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which

_PLUS_LINE = frozenset(
    {
        "vi",
        "vim",
        "nvim",
        "view",
        "gvim",
        "nano",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "mg",
        "ne",
        "pico",
    }
)
_COLON_LINE = frozenset({"hx", "helix", "subl", "zed"})
_GOTO = frozenset({"code", "codium", "code-insiders", "cursor"})
_SAMPLE = 8192
_LARGEST = 16 * 1024 * 1024


def command(path: Path, line: int, environ: Mapping[str, str]) -> list[str] | None:
    """The argument list that opens a file, or None when nothing here can.

    A text opens in `$VISUAL`, else `$EDITOR`, else `vi`; anything else in the desktop's own program, if any.
    """
    if not is_text(path):
        return _desktop(path, environ)
    chosen = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    try:
        argv = shlex.split(chosen)
    except ValueError:
        return None
    if not argv or which(argv[0]) is None:
        return None
    name = Path(argv[0]).name
    if name in _PLUS_LINE:
        return [*argv, f"+{line}", str(path)]
    if name in _COLON_LINE:
        return [*argv, f"{path}:{line}"]
    if name in _GOTO:
        return [*argv, "--goto", f"{path}:{line}"]
    return [*argv, str(path)]


def is_text(path: Path) -> bool:
    """Whether an editor can show the file: no NUL in its first bytes, or a byte order mark of UTF-16."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    return head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\x00" not in head


def line_of(path: Path, text: str, offset: int, encoding: str = "utf-8") -> int:
    """The line, from 1, of the original that shows what the stored text shows at `offset`.

    Where the words stand on several lines, as many are passed over as in the stored text; where they do not
    stand in the original at all, the stored line is the answer.
    """
    stored = text.count("\n", 0, offset) + 1
    begin = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    words = text[begin : end if end >= 0 else len(text)].strip()
    if not words or path.stat().st_size > _LARGEST:
        return stored
    try:
        original = path.read_text(encoding=encoding, errors="replace")
    except LookupError:
        original = path.read_text(encoding="utf-8", errors="replace")
    lines = [number for number, line in enumerate(original.splitlines(), 1) if words in line]
    earlier = sum(words in line for line in text[:begin].splitlines())
    return lines[min(earlier, len(lines) - 1)] if lines else stored


def _desktop(path: Path, environ: Mapping[str, str]) -> list[str] | None:
    if sys.platform == "darwin":
        return ["open", str(path)]
    if (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")) and which("xdg-open"):
        return ["xdg-open", str(path)]
    return None
