"""The edge of every worker thread: a result is handed back, an error becomes a message.

This is the one place of the app that catches whatever comes: a thread that dies silently would leave a
screen waiting for ever, and an error in one job must not take the others down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual.message_pump import MessagePump

from inro.errors import InroError
from inro_tui.messages import WorkFailed
from inro_tui.sanitise import clean_line

T = TypeVar("T")


def attempt(owner: MessagePump, job: str, call: Callable[[], T], ticket: int = 0) -> T | None:
    """The value of `call()`, or None after the owner has been told what went wrong."""
    try:
        return call()
    except InroError as error:
        owner.post_message(WorkFailed(job, ticket, clean_line(error.message), clean_line(error.mend)))
    except Exception as error:
        owner.post_message(WorkFailed(job, ticket, clean_line(f"{type(error).__name__}: {error}"), ""))
    return None
