"""Colour for stdout: only on a terminal, never under `NO_COLOR`, and only for text already made plain."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from inro_tui.sanitise import clean_mapped

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Paint:
    """Wraps text in SGR codes, or leaves it as it is."""

    on: bool

    @classmethod
    def for_stdout(cls) -> Paint:
        """Whether stdout is a terminal whose user wants colour."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(sys.stdout.isatty() and wanted)

    def bold(self, text: str) -> str:
        """Text that leads the eye."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """Text that stands back."""
        return self._wrap("2", text)

    def warn(self, text: str) -> str:
        """Text to be wary of."""
        return self._wrap("33", text)

    def foreign(self, text: str) -> str:
        """Text that is not from the user's own library."""
        return self._wrap("35", text)

    def highlighted(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        """A snippet on one line, its matched spans marked."""
        cleaned = clean_mapped(text)
        parts: list[str] = []
        at = 0
        for start, end in cleaned.spans(spans):
            parts += [cleaned.text[at:start], self._wrap("1;36", cleaned.text[start:end])]
            at = end
        return _SPACES.sub(" ", "".join([*parts, cleaned.text[at:]])).strip()

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text
