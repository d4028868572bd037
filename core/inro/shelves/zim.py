"""The client of the ZIM child: a question in, articles as readings out.

Rule: a Kiwix file is searched by its own index, whose queries hold all their words, so a question is broken into its
words and the articles that most of them find come first. `libzim` is the user's to install: its licence is the GPL.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inro.errors import ModelError, NotAnIndex, Unreadable, UsageError
from inro.readers import html
from inro.records import Reading
from inro.text.questions import without_asking
from inro.workers.process import Child

MODULE = "inro.shelves.zim_child"
MAGIC = b"ZIM\x04"
HUNG = 60.0
"""Seconds without a reply after which the child counts as hung: opening a file of 100 GB on a slow disk."""
QUERIES = 8
"""Words of a question that are looked for by themselves, the longest first."""
_WORD = re.compile(
    r"[A-Za-z\u00c0-\u024f][\w\u00c0-\u024f-]{2,}|\d[\d.]*\w*|[\u30a1-\u30ff]{2,}|[\u3400-\u9fff々]{1,8}|[\uac00-\ud7a3]{2,}"
)


def is_zim(file: Path) -> bool:
    """Whether a file begins as ZIM files do. Raises OSError."""
    with file.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


class Zim:
    """One ZIM file, open in a child process."""

    def __init__(self, file: Path, module: str = MODULE) -> None:
        """
        Raises:
            UsageError: libzim is not installed.
            NotAnIndex: the file cannot be read, or has no full-text index.
            WorkerCrashed: the file brought the child down.
        """
        if importlib.util.find_spec("libzim") is None:
            raise UsageError("ZIM files need libzim, which is not installed", "pip install 'inro[zim]'")
        self._child = Child(module, timeout=HUNG)
        try:
            try:
                told = self._child.request("open", path=str(file)).header
            except ModelError as e:
                if type(e) is not ModelError:
                    raise
                raise NotAnIndex(f"{file} cannot be read as a ZIM file: {e.message}", "fetch it anew") from e
            if not told.get("searchable"):
                raise NotAnIndex(f"{file} has no full-text index", "take the edition of it that has one")
        except BaseException:
            self._child.close()
            raise

    def articles(self, question: str, limit: int = 12) -> Iterator[tuple[str, Reading]]:
        """Path and reading of the articles for a question, best first; what cannot be read is left out.

        Raises:
            WorkerCrashed, ModelError: the child failed.
        """
        yield from self._read("find", texts=queries(question), limit=limit)

    def sample(self, limit: int = 48) -> Iterator[tuple[str, Reading]]:
        """As `articles`, from all over the file: what is ordinary in it. Raises likewise."""
        yield from self._read("sample", limit=limit)

    def _read(self, what: str, **asked: Any) -> Iterator[tuple[str, Reading]]:
        for frame in self._child.stream(what, **asked):
            path, title = frame.header.get("path"), frame.header.get("title")
            if not isinstance(path, str) or not isinstance(title, str) or len(frame.arrays) != 1:
                raise ModelError(f"{MODULE} sent something else than an article")
            try:
                reading = html.READER.read(frame.arrays[0].tobytes(), f"{path}.html", "utf-8")
            except Unreadable:
                continue
            if reading.text.strip():
                yield path, reading

    def close(self) -> None:
        """End the child."""
        self._child.close()

    def __enter__(self) -> Zim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def queries(question: str) -> list[str]:
    """All its words together, then each by itself, without those that only ask."""
    words = list(dict.fromkeys(_WORD.findall(without_asking(question))))
    alone = sorted(words, key=lambda word: -len(word.encode()))[:QUERIES]
    return list(dict.fromkeys([" ".join(words), *alone])) if words else [question.strip()]
