"""A key is shown nowhere, and without it an encrypted library gives nothing away."""

from __future__ import annotations

import copy
import pickle
import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from inro.errors import KeyNeeded, PathMissing, UsageError, WrongKey
from inro.store import documents, meta, snapshot, titles
from inro.store.cipher import Key, is_encrypted
from inro.store.connect import Connection, Store

Fill = Callable[[Connection, int], None]

SECRET = "乾燥庫の湿度 glovebox-oxygen"


@pytest.fixture(scope="module")
def key() -> Key:
    return Key("correct horse 電池 staple")


@pytest.fixture
def sealed(tmp_path: Path, key: Key) -> Store:
    made = Store.create(tmp_path / "sealed.inro", key=key)
    with made.writing() as con:
        meta.put(con, "mark", SECRET)
        con.execute("INSERT INTO texts SELECT range, 0, ? || range FROM range(2000)", [SECRET])
        titles.put(con, {1: "furnace glovebox", 2: "乾燥"})
    return Store(made.path, key=key, read_deadline=20.0, write_deadline=20.0)


def test_it_reads_what_it_wrote_and_leaves_nothing_beside(sealed: Store) -> None:
    with sealed.reading() as con:
        assert meta.get(con, "mark") == SECRET
        assert titles.search_titles(con, "furnace", 5)[0][0] == 1
    with sealed.writing() as con:
        meta.put(con, "mark", "second")
    with sealed.reading() as con:
        assert meta.get(con, "mark") == "second"
    assert sealed.generation() == 2
    assert [entry.name for entry in sealed.path.parent.iterdir()] == ["sealed.inro"]
    assert sealed.encrypted()


def test_nothing_of_the_texts_is_in_the_bytes(sealed: Store) -> None:
    data = sealed.path.read_bytes()
    for written in (SECRET, "glovebox", "furnace", "乾燥", "documents", "generation"):
        assert written.encode() not in data
    assert is_encrypted(sealed.path)


def test_another_key_is_refused_and_nothing_else_is_said(sealed: Store) -> None:
    for wrong in ("correct horse 電池 stable", "x"):
        other = Store(sealed.path, key=Key(wrong))
        for use in (other.reading, other.writing):
            with pytest.raises(WrongKey) as said, use():
                pass
            assert str(said.value) == f"wrong key for {sealed.path}"


def test_no_key_is_asked_for_one(sealed: Store) -> None:
    keyless = Store(sealed.path)
    for use in (keyless.reading, keyless.writing):
        with pytest.raises(KeyNeeded, match="--key-file"), use():
            pass


def test_a_key_that_is_not_needed_is_not_looked_at(store: Store) -> None:
    unneeded = Store(store.path, key=Key("unneeded"))
    assert not unneeded.encrypted()
    with unneeded.writing() as con:
        meta.put(con, "mark", "plain")
    with store.reading() as con:
        assert meta.get(con, "mark") == "plain"


@pytest.mark.parametrize("fts", [False, True])
def test_a_reader_can_do_nothing_but_read(sealed: Store, fts: bool) -> None:
    with sealed.reading(fts=fts) as con:
        for statement in (
            "INSERT INTO meta VALUES ('a', 'b')",
            "CREATE TABLE mine (i INTEGER)",
            "SELECT * FROM read_text('/etc/hostname')",
            "SELECT * FROM read_text('https://example.org/')",
            "COPY (SELECT 1) TO 'out.csv'",
            "ATTACH 'other.db'",
            "LOAD httpfs",
            "SET enable_external_access = true",
        ):
            with pytest.raises(duckdb.Error):
                con.execute(statement)
        if fts:
            asked = "SELECT fts_main_titles.match_bm25(document, 'furnace') IS NOT NULL FROM titles ORDER BY document"
            assert con.execute(asked).fetchall() == [(True,), (False,)]


def test_threads_of_one_process_read_and_write_at_once(sealed: Store) -> None:
    errors: list[BaseException] = []

    def work(writes: bool) -> None:
        try:
            for _ in range(3):
                if writes:
                    with sealed.writing() as con:
                        meta.count_up(con, "tally")
                else:
                    with sealed.reading() as con:
                        meta.counter(con, "tally")
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with sealed.reading() as con:
        assert meta.counter(con, "tally") == 6


def test_a_planted_view_is_refused_in_an_encrypted_file_too(sealed: Store, key: Key) -> None:
    from inro.errors import NotAnIndex

    with sealed.writing() as con:
        con.execute("CREATE VIEW library.main.secrets AS SELECT * FROM read_text('/etc/hostname')")
    with pytest.raises(NotAnIndex, match="view secrets"), Store(sealed.path, key=key).reading():
        pass


def test_an_error_never_holds_the_key(tmp_path: Path, key: Key) -> None:
    text = key.attach_option().split("'")[1]
    strange = tmp_path / "a'b\nc.inro"
    strange.write_bytes(b"\0" * 8 + b"DUCK" + (68).to_bytes(8, "little") + (1).to_bytes(8, "little") + b"\0" * 9000)
    for use in (Store(strange, key=key).reading, Store(strange, key=key).writing):
        try:
            with use():
                pass
        except Exception:
            said = traceback.format_exc()
    assert "Error" in said
    assert text not in said
    assert key.hidden_in(f"x {text}")


def test_a_key_has_no_text_form() -> None:
    key = Key("hush")
    assert "hush" not in f"{key!r} {key} {key.__dict__ if hasattr(key, '__dict__') else ''}"
    with pytest.raises(TypeError):
        pickle.dumps(key)
    with pytest.raises(TypeError):
        copy.copy(key)


def test_a_key_file_is_its_text_without_the_last_line_end(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("hush\n")
    assert Key.from_file(file) == Key("hush")
    file.write_bytes(b"\xff\x00 any bytes \r\n")
    assert Key.from_file(file) != Key("hush")
    for useless in (b"", b"\n", b"x" * 70_000):
        file.write_bytes(useless)
        with pytest.raises(UsageError):
            Key.from_file(file)
    with pytest.raises(PathMissing):
        Key.from_file(tmp_path / "none")


def test_rewriting_keeps_every_row_and_id(store: Store, fill: Fill, tmp_path: Path, key: Key) -> None:
    with store.writing() as con:
        fill(con, 5)
        titles.put(con, {1: "note one"})
    sealed = snapshot.rewrite(store, tmp_path / "sealed.inro", key)
    opened = snapshot.rewrite(sealed, tmp_path / "opened.inro", None)
    assert sealed.encrypted() and not opened.encrypted()
    for copy_ in (sealed, opened):
        with store.reading() as before, copy_.reading() as after:
            for table in ("documents", "texts", "chunks", "fields", "links", "titles"):
                asked = f"SELECT * FROM {table} ORDER BY ALL"
                assert after.execute(asked).fetchall() == before.execute(asked).fetchall()
            assert meta.counter(after, meta.NEXT_CHUNK) == meta.counter(before, meta.NEXT_CHUNK)
            assert meta.counter(after, meta.GENERATION) > meta.counter(before, meta.GENERATION)
            assert titles.search_titles(after, "note", 3) == titles.search_titles(before, "note", 3)
            assert [known.title for known in documents.known(after, 1)] == [f"Note {i}" for i in range(1, 6)]
