"""What of a root is not wanted: rules given with the root, and the ignore files found inside it.

Patterns are written as in `.gitignore`. The ignore file nearest to a path decides before those above it, and
`.inroignore` before `.gitignore` in the same folder. A folder that is left out is not looked into, so nothing
below it can be taken back in, as in git. Ignore files above the root are not looked at: a root that was
named is wanted, whatever a repository around it thinks. Paths are matched in NFC.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pathspec import GitIgnoreSpec

from inro.records import Rules

IGNORE_FILES = (".inroignore", ".gitignore")
"""In order of precedence within one folder."""

ALWAYS_EXCLUDED: tuple[str, ...] = (
    "*.inro",
    "*.inro.*",
    "~$*",
    "*~",
    "*.swp",
    "*.part",
    "*.crdownload",
    "Thumbs.db",
    "desktop.ini",
    "__pycache__/",
    "node_modules/",
)
"""Indexes, lock and swap files, half downloads, and folders that only programs fill."""


class IgnoreRules:
    """The rules of one root, with the ignore files of the folders on the way to a path."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._exclude = compiled(ALWAYS_EXCLUDED + rules.exclude)
        self._include = compiled(rules.include) if rules.include else None

    def excluded(self, path: str, is_folder: bool) -> bool:
        """Whether the source's own rules leave out this path, given relative to the root with `/`."""
        return self._exclude.match_file(path + "/" if is_folder else path)

    def included(self, path: str) -> bool:
        """Whether a file is among those the source asks for."""
        return self._include is None or self._include.match_file(path)


def stated_encoding(rules: Rules, path: str) -> str | None:
    """The charset that the rules state for a file, if they do."""
    stated = [charset for pattern, charset in rules.encodings if compiled((pattern,)).match_file(path)]
    return stated[-1] if stated else None


@dataclass(frozen=True, slots=True)
class FolderIgnore:
    """The ignore file of one folder, linked to the one that holds above it."""

    folder: str
    """Relative to the root, with a `/` at the end; empty for the root itself."""
    spec: GitIgnoreSpec
    above: FolderIgnore | None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether the nearest ignore file that has an opinion on the path leaves it out."""
        level: FolderIgnore | None = self
        while level is not None:
            inner = path[len(level.folder) :]
            verdict = level.spec.check_file(inner + "/" if is_folder else inner).include
            if verdict is not None:
                return verdict
            level = level.above
        return False


def folder_ignore(folder: str, texts: list[str], above: FolderIgnore | None) -> FolderIgnore | None:
    """The rules that hold in a folder, from the texts of its ignore files in order of precedence."""
    level = above
    for text in reversed(texts):
        lines = tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))
        if lines:
            level = FolderIgnore(folder, compiled(lines), level)
    return level


@lru_cache(maxsize=256)
def compiled(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """The patterns as one matcher; a pattern that git would find invalid is left out, as git does."""
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        valid = [p for p in patterns if _valid(p)]
        return GitIgnoreSpec.from_lines(valid)


def _valid(pattern: str) -> bool:
    try:
        GitIgnoreSpec.from_lines((pattern,))
    except ValueError:
        return False
    return True
