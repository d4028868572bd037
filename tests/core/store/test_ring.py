"""The system's keyring keeps a library's key, and nothing else does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from inro import log, safekeeping
from inro.config import Settings
from inro.errors import KeyNeeded, UsageError, WriteFailed
from inro.library import Library
from inro.store import meta, ring
from inro.store.cipher import Key
from inro.store.connect import Store

keyring = pytest.importorskip("keyring", reason="keyring is not installed: pip install 'inro[keyring]'")

Held: TypeAlias = dict[tuple[str, str], str]
PASSPHRASE = "quartz 窓 seventeen"


@pytest.fixture
def backend() -> Iterator[Callable[[type[Exception] | None], Held]]:
    """Makes the keyring one of the package's own kind that holds its entries in memory, or fails in a way."""
    from keyring.backend import KeyringBackend

    former = keyring.get_keyring()

    def use(fails: type[Exception] | None = None) -> Held:
        held: Held = {}

        class InMemory(KeyringBackend):  # type: ignore[misc]
            priority = 1

            def get_password(self, service: str, username: str) -> str | None:
                if fails:
                    raise fails(PASSPHRASE)
                return held.get((service, username))

            def set_password(self, service: str, username: str, password: str) -> None:
                if fails:
                    raise fails(PASSPHRASE)
                held[service, username] = password

            def delete_password(self, service: str, username: str) -> None:
                del held[service, username]

        keyring.set_keyring(InMemory())
        return held

    yield use
    keyring.set_keyring(former)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    made = Store.create(tmp_path / "l.inro")
    with made.writing() as con:
        meta.put(con, "mark", "secret mark")
    return Library(made.path, Settings(chat="", key_source="keyring"))


def mark(path: Path) -> str:
    with Library(path, Settings(key_source="keyring")).store.reading() as con:
        return meta.get(con, "mark")


def test_an_encrypted_library_opens_by_the_key_in_the_ring(library: Library, backend: Any) -> None:
    held = backend()
    safekeeping.encrypt(library, Key(PASSPHRASE), in_ring=True)
    assert list(held) == [(ring.SERVICE, str(library.path.resolve()))]
    assert library.store.encrypted() or Store(library.path).encrypted()
    assert mark(library.path) == "secret mark"
    held.clear()
    with pytest.raises(KeyNeeded, match="key_source"):
        mark(library.path)


def test_decrypting_takes_the_key_out_again(library: Library, backend: Any) -> None:
    held = backend()
    safekeeping.encrypt(library, Key(PASSPHRASE), in_ring=True)
    safekeeping.decrypt(Library(library.path, library.settings))
    assert not held
    assert mark(library.path) == "secret mark"


def test_a_key_that_is_in_use_can_be_put_in_later(library: Library, backend: Any, tmp_path: Path) -> None:
    held = backend()
    safekeeping.encrypt(library, Key(PASSPHRASE))
    safekeeping.keep_key(Library(library.path, Settings(), key=Key(PASSPHRASE)))
    assert list(held.values()) == [PASSPHRASE]
    assert mark(library.path) == "secret mark"


def test_a_plain_library_asks_no_ring(library: Library, backend: Any) -> None:
    from keyring.errors import KeyringLocked

    backend(KeyringLocked)
    assert mark(library.path) == "secret mark"


def test_nothing_is_left_in_the_ring_if_nothing_was_encrypted(
    library: Library, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = backend()

    def full(*_: object) -> None:
        raise WriteFailed("no space left")

    monkeypatch.setattr(safekeeping, "_rewrite", full)
    with pytest.raises(WriteFailed):
        safekeeping.encrypt(library, Key(PASSPHRASE), in_ring=True)
    assert not held


def test_a_locked_ring_is_one_line_without_what_the_ring_said(library: Library, backend: Any) -> None:
    from keyring.errors import KeyringLocked

    backend(KeyringLocked)
    with pytest.raises(UsageError, match="KeyringLocked") as caught:
        ring.keep(library.path, Key(PASSPHRASE))
    assert PASSPHRASE not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_machine_without_a_ring_says_so(library: Library, backend: Any) -> None:
    from keyring.backends import fail

    backend()
    keyring.set_keyring(fail.Keyring())
    with pytest.raises(UsageError, match=r"no keyring on this machine.*Do: --key-file"):
        ring.keep(library.path, Key(PASSPHRASE))


def test_without_the_package_it_says_what_to_install(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(UsageError, match=r"inro\[keyring\]"):
        ring.stored(library.path)
    ring.forget(library.path)


def test_a_key_that_is_no_text_is_not_cut_to_fit(library: Library, backend: Any, tmp_path: Path) -> None:
    held = backend()
    (tmp_path / "key").write_bytes(b"\xff\xfe key")
    with pytest.raises(UsageError, match="no text"):
        ring.keep(library.path, Key.from_file(tmp_path / "key"))
    assert not held


def test_the_key_is_in_no_file_of_this_machine(library: Library, backend: Any, tmp_path: Path) -> None:
    backend()
    log.begin("debug")
    try:
        safekeeping.encrypt(library, Key(PASSPHRASE), in_ring=True)
        assert mark(library.path) == "secret mark"
    finally:
        log.begin("off")
    assert log.file().exists()
    for file in (*tmp_path.rglob("*"), *log.file().parent.rglob("*")):
        if file.is_file():
            assert PASSPHRASE.encode() not in file.read_bytes(), file
