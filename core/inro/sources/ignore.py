"""What of a root is not wanted: rules given with the root, and the ignore files found inside it.

Patterns are written as in `.gitignore`. The ignore file nearest to a path decides before those above it, and
`.inroignore` before `.gitignore` in the same folder. A folder that is left out is not looked into, so nothing
below it can be taken back in, as in git. Ignore files above the root are not looked at: a root that was
named is wanted, whatever a repository around it thinks. Paths are matched in NFC.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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


class Patterns:
    """The patterns of one file or one rule.

    Nearly all paths of a source match no pattern at all, so one regular expression of all of them is asked first;
    only where it matches, and patterns may take back what others say, does the order of the patterns matter.
    """

    def __init__(self, spec: GitIgnoreSpec) -> None:
        self._spec = spec
        said = [p for p in spec.patterns if p.include is not None and p.regex is not None]
        self._only_include = all(p.include for p in said)
        self._any = _any_of([p.regex for p in said if p.regex is not None])

    def verdict(self, path: str) -> bool | None:
        """What the last pattern that matches says of a path relative to where they hold; None if none matches."""
        if self._any is not None and self._any.search(path) is None:
            return None
        if self._any is not None and self._only_include:
            return True
        return self._spec.check_file(path).include

    def match(self, path: str) -> bool:
        """Whether the patterns, taken together, mean this path."""
        return self.verdict(path) is True


class IgnoreRules:
    """The rules of one root, with the ignore files of the folders on the way to a path."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._exclude = compiled(ALWAYS_EXCLUDED + rules.exclude)
        self._include = compiled(rules.include) if rules.include else None

    def excluded(self, path: str, is_folder: bool) -> bool:
        """Whether the source's own rules leave out this path, given relative to the root with `/`."""
        return self._exclude.match(path + "/" if is_folder else path)

    def included(self, path: str) -> bool:
        """Whether a file is among those the source asks for."""
        return self._include is None or self._include.match(path)


def stated_encoding(rules: Rules, path: str) -> str | None:
    """The charset that the rules state for a file, if they do."""
    stated = [charset for pattern, charset in rules.encodings if compiled((pattern,)).match(path)]
    return stated[-1] if stated else None


@dataclass(frozen=True, slots=True)
class FolderIgnore:
    """The ignore file of one folder, linked to the one that holds above it."""

    folder: str
    """Relative to the root, with a `/` at the end; empty for the root itself."""
    patterns: Patterns
    above: FolderIgnore | None

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether the nearest ignore file that has an opinion on the path leaves it out."""
        level: FolderIgnore | None = self
        while level is not None:
            inner = path[len(level.folder) :]
            verdict = level.patterns.verdict(inner + "/" if is_folder else inner)
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
def compiled(patterns: tuple[str, ...]) -> Patterns:
    """The patterns as one matcher; a pattern that git would find invalid is left out, as git does."""
    try:
        spec = GitIgnoreSpec.from_lines(patterns)
    except ValueError:
        spec = GitIgnoreSpec.from_lines([p for p in patterns if _valid(p)])
    return Patterns(spec)


_ANYWHERE = "^(?:.+/)?"
"""How the expression of a pattern without a slash begins: it is tried at each folder of a path."""
_NAMED = re.compile(r"\(\?P<\w+>")


def _any_of(expressions: Sequence[re.Pattern[str]]) -> re.Pattern[str] | None:
    """One expression that is found in a text if any of these is; None if they cannot be joined."""
    flags = {expression.flags for expression in expressions}
    if len(flags) > 1:
        return None
    # A name may stand in an expression once, and which part matched is of no interest.
    sources = [_NAMED.sub("(?:", expression.pattern) for expression in expressions]
    anywhere = [source.removeprefix(_ANYWHERE) for source in sources if source.startswith(_ANYWHERE)]
    rest = [f"(?:{source})" for source in sources if not source.startswith(_ANYWHERE)]
    if anywhere:
        rest.append(f"{_ANYWHERE}(?:{'|'.join(f'(?:{one})' for one in anywhere)})")
    try:
        return re.compile("|".join(rest) if rest else r"(?!)", *flags)
    except re.error:
        return None


def _valid(pattern: str) -> bool:
    try:
        GitIgnoreSpec.from_lines((pattern,))
    except ValueError:
        return False
    return True
