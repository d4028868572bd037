"""What the store's tests share: an empty library, documents to put in it, and a second process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from inro.records import Block, Chunk, Link, Reading
from inro.store import chunks, documents, meta
from inro.store.connect import Connection, Store

Fill: TypeAlias = Callable[[Connection, int], None]
Beside: TypeAlias = Callable[..., AbstractContextManager["subprocess.Popen[bytes]"]]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty library with short patience, so that a test that waits fails soon."""
    made = Store.create(tmp_path / "library.inro")
    return Store(made.path, read_deadline=20.0, write_deadline=20.0)


def reading(text: str, title: str = "Title") -> Reading:
    """A reading with one of everything a reading may carry."""
    return Reading(
        text=text,
        title=title,
        blocks=(Block("heading", 0, min(7, len(text)), 1), Block("paragraph", min(7, len(text)), len(text))),
        reader="test/1",
        fields={"author": ("A. Nonym", "无名"), "date": ("2026-04-01",)},
        tags=("乾燥", "drying"),
        links=(Link("wiki", "Other#Part", 0, 3), Link("url", "https://example.org", 1, 4)),
    )


@pytest.fixture
def fill() -> Fill:
    """Puts `n` documents of two chunks each into an open library, ids from 1."""

    def put(con: Connection, n: int) -> None:
        documents.insert(
            con,
            [
                documents.NewDocument(
                    id=i,
                    source=1,
                    path=f"folder/note {i}.md",
                    raw=f"folder/note {i}.md".encode(),
                    hash=f"{i:032x}",
                    size=100 + i,
                    mtime_ns=1_700_000_000_000_000_000 + i,
                    reading=reading(f"# Note {i}\n第{i}章 本文である。" * 3, f"Note {i}"),
                )
                for i in range(1, n + 1)
            ],
        )
        chunks.insert(
            con,
            [
                chunks.NewChunk(
                    id=2 * i + half - 1,
                    document=i,
                    chunk=Chunk(half, half * 5, half * 5 + 10, ("Top", "下"), None if half else 3, 7),
                    hash=(2**64 - i, half),
                    segment=1,
                    block=1 if half else None,
                )
                for i in range(1, n + 1)
                for half in (0, 1)
            ],
        )
        meta.put(con, meta.NEXT_DOCUMENT, str(n))
        meta.put(con, meta.NEXT_CHUNK, str(2 * n))

    return put


@contextmanager
def another_process(code: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process that runs `code`, which must print a line once it is ready; killed at the end."""
    child = subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE)
    assert child.stdout is not None
    try:
        assert child.stdout.readline(), "the other process did not start"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


@pytest.fixture
def beside() -> Beside:
    """Starts another process for the length of a `with` block."""
    return another_process
