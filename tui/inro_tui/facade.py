"""What the app asks of the product: the shape of `inro.library.Library`, written down on this side.

Every call may block, so every call is made from a worker thread. The app is built against this protocol
so that a test can hand it a library in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from inro.records import (
    AnswerEvent,
    DocumentView,
    Drift,
    FileOutcome,
    Outcome,
    Progress,
    SearchResult,
    Status,
    Turn,
)


class Model(Protocol):
    """One model of the list, as far as the app shows it."""

    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def installed(self) -> bool: ...
    @property
    def note(self) -> str: ...


class Facade(Protocol):
    """The one object the app talks to."""

    @property
    def path(self) -> Path: ...
    def search_stream(self, query: str, *, limit: int = 10) -> Iterator[SearchResult]: ...
    def titles(self, query: str, *, limit: int = 10) -> SearchResult: ...
    def ask(
        self, question: str, *, history: Sequence[Turn] = (), cancel: threading.Event | None = None
    ) -> Iterator[AnswerEvent]: ...
    def show(self, document: int | str) -> DocumentView: ...
    def add(self, paths: Sequence[Path], *, cancel: threading.Event | None = None) -> Iterator[Progress]: ...
    def sync(self, *, full: bool = False, cancel: threading.Event | None = None) -> Iterator[Progress]: ...
    def status(self, *, look: bool = True) -> Status: ...
    def drift(self) -> Drift | None: ...
    def files(self, outcome: Outcome | None = None) -> tuple[FileOutcome, ...]: ...
    def models(self) -> Sequence[Model]: ...
    def warm(self) -> None: ...
    def close(self) -> None: ...
