"""Keys in the system's own keyring: Secret Service or KWallet on Linux, the Keychain on macOS.

Which keyring that is, and whether it is open, is the `keyring` package's business, an extra that a user installs. A key
is kept under the library's path, since an encrypted file has nothing else to be known by; a library that has moved is
asked for by `inro encrypt --keyring` again. The key goes from the ring into a `Key` and from there nowhere else.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from inro.errors import UsageError
from inro.store.cipher import Key

SERVICE = "inro library"
"""What the entries are called in the keyring."""


def stored(library: Path) -> Key | None:
    """The key kept for a library; None if there is none.

    Raises:
        UsageError: there is no keyring, it stays locked, or the package is not installed.
    """
    ring = _ring()
    try:
        found = ring.get_password(SERVICE, _account(library))
    except _errors() as e:
        raise _refused(e) from None
    return Key(found) if found else None


def keep(library: Path, key: Key) -> None:
    """Put a library's key in, in the place of any other, and make sure that it is there.

    Raises:
        UsageError: as for `stored`; or the key is no text.
    """
    ring = _ring()
    try:
        key.hand_to(lambda text: ring.set_password(SERVICE, _account(library), _text(text)))
    except _errors() as e:
        raise _refused(e) from None
    if stored(library) != key:
        raise UsageError("the system's keyring did not keep the key", "--key-file FILE")


def forget(library: Path) -> None:
    """Take a library's key out, if it is there; a ring that refuses keeps it."""
    with suppress(UsageError, *_errors()):
        _ring().delete_password(SERVICE, _account(library))


def _account(library: Path) -> str:
    return str(library.resolve())


def _text(passphrase: str) -> str:
    try:
        passphrase.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "the key file holds bytes that are no text, which no keyring keeps", "--key-file FILE"
        ) from None
    return passphrase


def _ring() -> Any:
    """The keyring of this machine."""
    try:
        import keyring
        from keyring.backends import fail
    except ImportError:
        raise UsageError(
            "the key is in the system's keyring, and what asks it is not installed", "pip install 'inro[keyring]'"
        ) from None
    ring = keyring.get_keyring()
    if isinstance(ring, fail.Keyring):
        raise UsageError("there is no keyring on this machine", "--key-file FILE, or the setting key_file")
    return ring


def _errors() -> tuple[type[Exception], ...]:
    try:
        from keyring.errors import KeyringError
    except ImportError:
        return ()
    return (KeyringError,)


def _refused(error: Exception) -> UsageError:
    # by its kind alone: what a backend says is another program's text
    return UsageError(f"the system's keyring refused ({type(error).__name__})", "unlock it, or --key-file FILE")
