"""The sample library: the notes of a small materials laboratory, in Japanese, English and Chinese.

Written for Inro to be tried and tested on: sample numbers, procedures, tables whose rows differ by one
digit, the same thing under three names in three languages, and questions that the notes do not answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Example:
    """Something to type, and why."""

    why: str
    command: Literal["search", "ask"]
    text: str


EXAMPLES = (
    Example("a sample number finds its own notes first", "search", "S-1041"),
    Example("a Japanese question finds an English note", "search", "シリカゲルは何度で再生しますか"),
    Example("an English question finds a Japanese note", "search", "what should I do in an earthquake"),
    Example("an answer, cited", "ask", "Below what pressure may the vacuum furnace be heated?"),
    Example("no answer, and it says so", "ask", "What is the growth rate of the gallium nitride crystals?"),
)


def folder() -> Path:
    """Where the sample notes are, inside the installed package."""
    return Path(str(resources.files(__package__))) / "library"
