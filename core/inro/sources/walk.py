"""Listing the files of a root: each file once, by rule, with everything left out told and why.

Names are kept twice: as the raw bytes that open the file, and as NFC text that is matched and shown, so that
a name in NFD or in bytes that are no UTF-8 works like any other. Links are followed last and only inside the
root; what they lead to is read once, under its own name where it has one. A folder that cannot be listed is
told as `Skipped(folder=True)`: nothing may be concluded about what is below it. Only metadata is read here,
never a file's content, so a file that is still in the cloud is not fetched.
"""

# Names are raw bytes here, which pathlib does not take.
# ruff: noqa: PTH112, PTH113, PTH116, PTH118, PTH119, PTH123, PTH202

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inro.errors import PathMissing, Unreadable
from inro.records import Rules
from inro.sources.ignore import IGNORE_FILES, FolderIgnore, IgnoreRules, folder_ignore

_DATALESS = 0x40000000
"""`SF_DATALESS` of macOS: the name is here, the content is not."""
_LARGEST_IGNORE_FILE = 1 << 20
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that is to be in the library."""

    path: str
    """Relative to the root with `/`, NFC, undecodable bytes as U+FFFD: for matching and for people."""
    raw: bytes
    """Relative to the root as the file system spells it: the file's identity, and what opens it."""
    size: int
    """Bytes."""
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in the root that is not taken in, and why; what the rules leave out is not told."""

    path: str
    raw: bytes
    reason: str
    folder: bool = False
    """A folder that could not be listed: files known below it must not be taken for deleted."""


def walk(root: Path, rules: Rules | None = None) -> Iterator[FoundFile | Skipped]:
    """The files of a folder, or the one file that `root` is.

    The order is fixed: by raw name, a folder's files before its subfolders, links last.

    Raises:
        PathMissing: the root is not there, or went away meanwhile; nothing is known about its files then.
    """
    base = os.fsencode(root)
    try:
        info = os.stat(base)
    except OSError as e:
        raise root_missing(root) from e
    if stat.S_ISDIR(info.st_mode):
        return _Walk(root, base, rules or Rules()).run()
    name = os.path.basename(base)
    return iter((_judge(name, display_path(name), info, rules or Rules()),))


def root_missing(root: Path) -> PathMissing:
    """The error for a root that is not there."""
    return PathMissing(f"the folder or file is not there: {root}", "mount or restore it, then run `inro sync`")


def display_path(raw: bytes) -> str:
    """A raw path as NFC text that is safe to store and match: undecodable bytes become U+FFFD."""
    text = raw.decode("utf-8", "replace")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def read_bytes(root: Path, found: FoundFile, max_bytes: int | None = None) -> bytes:
    """The content of a file that `walk` found, opened by its raw name.

    Raises:
        Unreadable: it cannot be opened or read, is no regular file any more, or has grown past `max_bytes`.
    """
    base = os.fsencode(root)
    path = os.path.join(base, found.raw) if os.path.isdir(base) else base
    limit = max(found.size, max_bytes if max_bytes is not None else Rules().max_bytes)
    try:
        # Without O_NONBLOCK, a file that was replaced by a pipe would block here for ever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unreadable(f"no regular file any more: {found.path}", "run `inro sync` again")
            data = file.read(limit + 1)
    except PermissionError as e:
        raise Unreadable(f"permission denied: {found.path}", "give yourself the right to read it") from e
    except OSError as e:
        raise Unreadable(f"{e.strerror or 'cannot be read'}: {found.path}", "check the medium it is on") from e
    if len(data) > limit:
        raise Unreadable(f"grew while it was read: {found.path}", "run `inro sync` again")
    return data


def _judge(raw: bytes, path: str, info: os.stat_result, rules: Rules) -> FoundFile | Skipped:
    """What a regular or special file is to the library, by its metadata alone."""
    if not stat.S_ISREG(info.st_mode):
        return Skipped(path, raw, "not a regular file")
    if getattr(info, "st_flags", 0) & _DATALESS:
        return Skipped(path, raw, "still in the cloud: download it first")
    if info.st_size > rules.max_bytes:
        return Skipped(path, raw, f"larger than {rules.max_bytes / 1048576:g} MB")
    return FoundFile(path, raw, info.st_size, info.st_mtime_ns)


class _Walk:
    """One run over one root: the folders still to list, and what was seen."""

    def __init__(self, root: Path, base: bytes, rules: Rules) -> None:
        self._root = root
        self._base = base
        self._rules = rules
        self._ignore = IgnoreRules(rules)
        self._seen: set[tuple[int, int]] = set()
        self._links: list[tuple[bytes, FolderIgnore | None]] = []
        self._real_base = os.path.realpath(base)

    def run(self) -> Iterator[FoundFile | Skipped]:
        yield from self._folder(b"", None)
        # Last, so that a target inside the root is read under its own name and not under the link's.
        while self._links:
            raw, ignore = self._links.pop(0)
            yield from self._link(raw, ignore)
        if not os.path.isdir(self._base):
            raise root_missing(self._root)

    def _folder(self, start: bytes, above: FolderIgnore | None) -> Iterator[FoundFile | Skipped]:
        stack: list[tuple[bytes, FolderIgnore | None]] = [(start, above)]
        while stack:
            raw, ignore = stack.pop()
            if raw.count(b"/") >= _DEEPEST:
                yield Skipped(display_path(raw), raw, "nested too deeply", folder=True)
                continue
            try:
                with os.scandir(os.path.join(self._base, raw) if raw else self._base) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
                info = os.stat(os.path.join(self._base, raw))
            except OSError as e:
                if not raw:
                    raise root_missing(self._root) from e
                yield Skipped(display_path(raw), raw, f"folder not readable: {e.strerror}", folder=True)
                continue
            if (info.st_dev, info.st_ino) in self._seen:
                continue
            self._seen.add((info.st_dev, info.st_ino))
            prefix = raw + b"/" if raw else b""
            # A name is normalised alone: nothing composes over the slash.
            shown = display_path(prefix)
            below = self._ignore_files(prefix, {entry.name for entry in entries}, ignore)
            folders: list[tuple[bytes, FolderIgnore | None]] = []
            for entry in entries:
                name = prefix + entry.name
                if entry.name.startswith(b".") and not self._rules.hidden:
                    if entry.name.endswith(b".icloud"):
                        yield Skipped(display_path(name), name, "still in the cloud: download it first")
                    continue
                try:
                    if entry.is_symlink():
                        self._links.append((name, below))
                    elif entry.is_dir(follow_symlinks=False):
                        if self._wanted(shown + display_path(entry.name), True, below):
                            folders.append((name, below))
                    elif self._wanted(path := shown + display_path(entry.name), False, below):
                        yield self._file(name, path, entry.stat(follow_symlinks=False))
                except OSError as e:
                    yield Skipped(display_path(name), name, e.strerror or "not readable")
            stack.extend(reversed(folders))

    def _ignore_files(self, prefix: bytes, names: set[bytes], above: FolderIgnore | None) -> FolderIgnore | None:
        if not self._rules.ignore_files:
            return above
        texts = []
        for ignore_file in IGNORE_FILES:
            if ignore_file.encode() in names:
                path = os.path.join(self._base, prefix + ignore_file.encode())
                try:
                    if os.path.isfile(path) and os.path.getsize(path) <= _LARGEST_IGNORE_FILE:
                        with open(path, "rb") as file:
                            text = file.read(_LARGEST_IGNORE_FILE).decode("utf-8", "replace")
                            texts.append(unicodedata.normalize("NFC", text.removeprefix("\ufeff")))
                except OSError:
                    continue
        return folder_ignore(display_path(prefix), texts, above) if texts else above

    def _wanted(self, path: str, is_folder: bool, ignore: FolderIgnore | None) -> bool:
        if self._ignore.excluded(path, is_folder):
            return False
        if ignore is not None and ignore.ignores(path, is_folder):
            return False
        return is_folder or self._ignore.included(path)

    def _file(self, raw: bytes, path: str, info: os.stat_result) -> FoundFile | Skipped:
        self._seen.add((info.st_dev, info.st_ino))
        return _judge(raw, path, info, self._rules)

    def _link(self, raw: bytes, ignore: FolderIgnore | None) -> Iterator[FoundFile | Skipped]:
        path = display_path(raw)
        full = os.path.join(self._base, raw)
        try:
            target = os.path.realpath(full, strict=True)
            info = os.stat(target)
        except OSError:
            yield Skipped(path, raw, "link to nothing")
            return
        inside = target == self._real_base or target.startswith(self._real_base.rstrip(b"/") + b"/")
        is_folder = stat.S_ISDIR(info.st_mode)
        if not self._wanted(path, is_folder, ignore):
            return
        if not inside:
            yield Skipped(path, raw, "link that leads out of the source")
        elif (info.st_dev, info.st_ino) in self._seen:
            yield Skipped(path, raw, "link to what is read under its own name")
        elif is_folder:
            yield from self._folder(raw, ignore)
        else:
            yield self._file(raw, path, info)
