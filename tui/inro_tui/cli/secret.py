"""Passphrases from a terminal: typed unseen, kept nowhere, and never taken from arguments or the environment.

Both of those other programs can read: arguments in the list of processes, the environment in every child's.
"""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING

from inro.errors import UsageError

if TYPE_CHECKING:
    from inro.store.cipher import Key


def can_ask() -> bool:
    """Whether somebody is there to type."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_key(library: str) -> Key:
    """The key of an encrypted library.

    Raises:
        UsageError: nothing was typed.
    """
    from inro.store.cipher import Key

    return Key(_typed(f"Passphrase of {library}: "))


def new_key() -> Key:
    """A key that is to be used from now on, typed twice.

    Raises:
        UsageError: there is no terminal, nothing was typed, or not the same twice.
    """
    from inro.store.cipher import Key

    if not can_ask():
        raise UsageError("no key was given, and there is no terminal to type one at", "--key-file FILE")
    first = _typed("New passphrase: ")
    key = Key(first)
    if _typed("The same again: ") != first:
        raise UsageError("the two are not the same", "inro encrypt, and type it again")
    return key


def _typed(prompt: str) -> str:
    try:
        return getpass.getpass(prompt, stream=sys.stderr)
    except EOFError:
        return ""
