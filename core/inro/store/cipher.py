"""The key of an encrypted library: made from what a person knows or keeps, shown nowhere.

DuckDB encrypts every block with AES-256 in GCM. A passphrase is too weak a key by itself, so it is stretched
first (scrypt, 32 MB and a tenth of a second a try); the text of a key file is stretched the same way, so that
one may stand for the other. There is no salt of our own, since the file has no unencrypted place for one:
DuckDB adds the file's when it derives the key of the blocks.

Knows no connection; the key's text leaves it for the `ATTACH` statement, and for the system's keyring (`ring`).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from inro.errors import PathMissing, UsageError

LARGEST_KEY_FILE: Final = 64 * 1024
"""Bytes; whatever is longer was named by mistake."""

_COST, _BLOCK, _LANES = 2**15, 8, 1
_DOMAIN = b"inro library key 1"

_MAGIC_AT, _MAGIC = 8, b"DUCK"
_FLAGS_AT = _MAGIC_AT + len(_MAGIC) + 8
_ENCRYPTED = 1


class Key:
    """A stretched key. Has no text form: not in a message, a log, a traceback or a copy of the object."""

    __slots__ = ("__passphrase",)

    def __init__(self, passphrase: str) -> None:
        """The key of a passphrase; the stretching is left to the first use.

        Raises:
            UsageError: it is empty.
        """
        if not passphrase:
            raise UsageError("the key is empty", "type a passphrase, or name a file that holds one")
        self.__passphrase = passphrase

    @classmethod
    def from_file(cls, file: Path) -> Key:
        """The key in a file: all of it, but for line ends at its end.

        Raises:
            PathMissing: there is no such file.
            UsageError: it cannot be read, is empty, or is no key file by its size.
        """
        try:
            with file.open("rb") as stream:
                data = stream.read(LARGEST_KEY_FILE + 1)
        except FileNotFoundError as e:
            raise PathMissing(f"there is no key file {file}", "check the path") from e
        except OSError as e:
            raise UsageError(f"the key file {file} cannot be read: {e.strerror}", "check the path") from e
        if len(data) > LARGEST_KEY_FILE:
            raise UsageError(f"the key file {file} is longer than {LARGEST_KEY_FILE // 1024} KB", "check the path")
        # any bytes make a key, not only those of text
        return cls(data.rstrip(b"\r\n").decode("utf-8", "surrogateescape"))

    def attach_option(self) -> str:
        """The option of DuckDB's `ATTACH`; never to be logged or put in a message."""
        return f"ENCRYPTION_KEY '{_stretched(self.__passphrase)}'"

    def hand_to(self, keeper: Callable[[str], object]) -> None:
        """Give the passphrase to what is to keep it, the system's keyring; to nothing else."""
        keeper(self.__passphrase)

    def hidden_in(self, message: str) -> bool:
        """Whether a text would give the key away."""
        return _stretched(self.__passphrase) in message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.__passphrase == other.__passphrase

    def __hash__(self) -> int:
        return hash(self.__passphrase)

    def __repr__(self) -> str:
        return "Key(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be stored")


def is_encrypted(file: Path) -> bool:
    """Whether a file says of itself that it is an encrypted DuckDB file; False if it cannot be read.

    Closing a file gives up every lock this process holds on it, so this is only for a file that no thread has
    open: `Store` takes a turn of its own for it.
    """
    try:
        with file.open("rb") as stream:
            head = stream.read(_FLAGS_AT + 8)
    except OSError:
        return False
    return (
        len(head) == _FLAGS_AT + 8
        and head[_MAGIC_AT:].startswith(_MAGIC)
        and bool(int.from_bytes(head[_FLAGS_AT:], "little") & _ENCRYPTED)
    )


@lru_cache(maxsize=4)
def _stretched(passphrase: str) -> str:
    raw = hashlib.scrypt(
        passphrase.encode("utf-8", "surrogateescape"),
        salt=_DOMAIN,
        n=_COST,
        r=_BLOCK,
        p=_LANES,
        maxmem=2 * 128 * _COST * _BLOCK,
        dklen=32,
    )
    return base64.b64encode(raw).decode("ascii")
