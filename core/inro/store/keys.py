"""Which key the settings lead to for a library: that of a key file, or what the system's keyring holds for it."""

from __future__ import annotations

from pathlib import Path

from inro.config import Settings
from inro.store.cipher import Key
from inro.store.connect import Store


def chosen(library: Path, settings: Settings) -> Key | None:
    """The key to open a library with, and to encrypt one with that is made; None where the settings name none.

    Raises:
        PathMissing, UsageError: the key file, or the keyring, cannot be read.
    """
    if settings.key_file:
        return Key.from_file(Path(settings.key_file).expanduser())
    if settings.key_source == "keyring" and library.exists() and Store(library).encrypted():
        from inro.store import ring

        # a ring may ask to be unlocked, so not for a library that needs no key
        return ring.stored(library)
    return None
