"""What a tool is: its words, its schemas, and the function that does it, which may block."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from inro.library import Library
from inro.mcp_server.arguments import Parameter, checked, input_schema


@dataclass(frozen=True, slots=True)
class Desk:
    """What all calls of one server share."""

    library: Library
    read_only: bool = False
    syncing: threading.Lock = field(default_factory=threading.Lock)
    """Held by the one reindex that may run."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call under way."""

    cancel: threading.Event
    """Set when nobody wants the result any more."""
    tell: Callable[[str], None]
    """Says in a line what is being done."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives: for programs, of the tool's shape, and in short for a reader."""

    value: dict[str, Any]
    text: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    title: str
    description: str
    output: dict[str, Any]
    run: Callable[..., Result]
    """`run(desk, job, **arguments)`; raises InroError."""
    parameters: tuple[Parameter, ...] = ()
    writes: bool = False
    """It changes the library, so a read-only server does not have it."""

    @property
    def input(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return input_schema(self.parameters)

    def call(self, desk: Desk, job: Job, given: Mapping[str, object]) -> Result:
        """Check the arguments and do it.

        Raises:
            UsageError: an argument is wrong.
            InroError: it could not be done.
        """
        return self.run(desk, job, **checked(self.parameters, given))
