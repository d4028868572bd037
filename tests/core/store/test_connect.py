"""The file is opened for one operation, in one transaction, and by nobody in between."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pytest

from inro.errors import (
    FormatTooNew,
    FormatTooOld,
    LibraryBusy,
    LibraryMissing,
    NotAnIndex,
    UsageError,
    WriteFailed,
)
from inro.store import meta, texts
from inro.store.connect import Connection, Store

Beside = Callable[..., AbstractContextManager[object]]

HOLD_FOR_WRITING = """
import sys, time, duckdb
con = duckdb.connect(sys.argv[1])
print("held", flush=True)
time.sleep(float(sys.argv[2]))
con.close()
"""

HOLD_FOR_READING = HOLD_FOR_WRITING.replace("sys.argv[1])", "sys.argv[1], read_only=True)", 1)


def files_beside(store: Store) -> set[str]:
    return {entry.name for entry in store.path.parent.iterdir()}


def test_a_new_library_is_one_small_file(store: Store) -> None:
    assert files_beside(store) == {"library.inro"}
    assert store.path.stat().st_size < 100_000
    assert store.generation() == 0


def test_creating_over_a_file_is_refused_unless_it_may_exist(store: Store) -> None:
    with store.writing() as con:
        meta.put(con, "mark", "kept")
    with pytest.raises(UsageError, match="already a file"):
        Store.create(store.path)
    again = Store.create(store.path, exist_ok=True)
    with again.reading() as con:
        assert meta.get(con, "mark") == "kept"


def test_creating_makes_the_folders_on_the_way(tmp_path: Path) -> None:
    assert Store.create(tmp_path / "a" / "b" / "l.inro").generation() == 0


def test_creating_below_a_file_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(WriteFailed, match="cannot be made"):
        Store.create(tmp_path / "file" / "l.inro")
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["it's.inro", 'a "b", c.v2.inro', "研究 ノート.inro", "ka\u3099.inro", "a;b--.inro"])
def test_any_file_name_works(tmp_path: Path, name: str) -> None:
    store = Store.create(tmp_path / name)
    with store.writing() as con:
        meta.put(con, "mark", name)
    with store.reading() as con:
        assert meta.get(con, "mark") == name


def test_a_commit_counts_up_the_generation_and_a_quiet_one_does_not(store: Store) -> None:
    with store.writing():
        pass
    assert store.generation() == 1
    with store.writing(quiet=True) as con:
        meta.put(con, "mark", "1")
    assert store.generation() == 1


def test_the_stamp_changes_with_a_commit_and_not_with_a_reading(store: Store) -> None:
    before = store.stamp()
    assert store.generation() == 0
    assert store.stamp() == before
    with store.writing():
        pass
    assert store.stamp() != before


def test_an_exception_leaves_everything_as_it_was(store: Store) -> None:
    def interrupted() -> None:
        with store.writing() as con:
            meta.put(con, "mark", "lost")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with store.reading() as con:
        assert meta.get(con, "mark") == ""
    assert store.generation() == 0
    assert files_beside(store) == {"library.inro"}


def test_no_log_exists_even_inside_a_transaction(store: Store) -> None:
    with store.writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, repeat('x', 900) FROM range(5000)")
        assert files_beside(store) == {"library.inro"}
    assert files_beside(store) == {"library.inro"}


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    store = Store(tmp_path / "none.inro")
    with pytest.raises(LibraryMissing, match=r"no library at .*none\.inro"), store.reading():
        pass
    with pytest.raises(LibraryMissing), store.writing():
        pass
    with pytest.raises(LibraryMissing):
        store.stamp()
    assert not store.path.exists(), "opening creates nothing"


@pytest.mark.parametrize("content", [b"", b"hello", b"x" * 20_000, b"\0" * 8 + b"DUCK" + b"\0" * 9000])
def test_a_file_that_is_something_else_is_refused_and_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.inro"
    path.write_bytes(content)
    with pytest.raises(NotAnIndex), Store(path).reading():
        pass
    with pytest.raises(NotAnIndex), Store(path).writing():
        pass
    assert path.read_bytes() == content


def test_a_folder_is_not_a_library(tmp_path: Path) -> None:
    with pytest.raises(NotAnIndex, match="folder"), Store(tmp_path).reading():
        pass


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE sales (id INTEGER)")
    with pytest.raises(NotAnIndex, match="not an Inro library"), Store(path).reading():
        pass


@pytest.mark.parametrize(("written", "error"), [("999", FormatTooNew), ("0", FormatTooOld), ("x", NotAnIndex)])
def test_another_format_is_named_and_not_migrated(store: Store, written: str, error: type[Exception]) -> None:
    with duckdb.connect(str(store.path)) as con:
        con.execute("UPDATE meta SET value = ? WHERE key = 'format'", [written])
    before = store.path.read_bytes()
    with pytest.raises(error), store.reading():
        pass
    assert store.path.read_bytes() == before


def test_a_reader_waits_for_a_writer_of_another_process(store: Store, beside: Beside) -> None:
    with beside(HOLD_FOR_WRITING, str(store.path), "0.4"):
        assert store.generation() == 0


def test_a_writer_waits_for_a_reader_of_another_process(store: Store, beside: Beside) -> None:
    with beside(HOLD_FOR_READING, str(store.path), "0.4"), store.writing() as con:
        meta.put(con, "mark", "1")
    assert store.generation() == 1


def test_readers_of_several_processes_do_not_wait_for_each_other(store: Store, beside: Beside) -> None:
    with beside(HOLD_FOR_READING, str(store.path), "60"):
        assert Store(store.path, read_deadline=5.0).generation() == 0


def test_past_the_deadline_the_error_names_the_holder(store: Store, beside: Beside) -> None:
    impatient = Store(store.path, read_deadline=0.2, write_deadline=0.2)
    with beside(HOLD_FOR_WRITING, str(store.path), "60") as child:
        pid = str(child.pid)  # type: ignore[attr-defined]
        with pytest.raises(LibraryBusy, match=rf"in use by .*\(PID {pid}\)"), impatient.reading():
            pass
        with pytest.raises(LibraryBusy, match=pid), impatient.writing():
            pass


def test_threads_of_one_process_read_and_write_at_once(store: Store) -> None:
    """Within a process DuckDB would refuse a second configuration of the same file."""
    errors: list[BaseException] = []
    seen: list[int] = []

    def work(writes: bool) -> None:
        try:
            for _ in range(6):
                if writes:
                    with store.writing() as con:
                        meta.count_up(con, "tally")
                else:
                    with store.reading() as con:
                        seen.append(meta.counter(con, "tally"))
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with store.reading() as con:
        assert meta.counter(con, "tally") == 12
    assert len(seen) == 12


def test_a_thread_that_waits_too_long_for_its_own_process_is_told_so(store: Store) -> None:
    impatient = Store(store.path, read_deadline=0.1)
    with store.writing(), pytest.raises(LibraryBusy, match=f"PID {os.getpid()}"), impatient.reading():
        pass


FORBIDDEN = (
    "INSERT INTO meta VALUES ('a', 'b')",
    "CREATE TABLE mine (i INTEGER)",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM '/etc/hostname'",
    "COPY (SELECT 1) TO 'out.csv'",
    "ATTACH 'other.db'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
)


@pytest.mark.parametrize("fts", [False, True])
def test_a_reading_connection_can_do_nothing_but_read(store: Store, fts: bool) -> None:
    with store.reading(fts=fts) as con:
        for statement in FORBIDDEN:
            with pytest.raises(duckdb.Error):
                con.execute(statement)
    assert files_beside(store) == {"library.inro"}


def test_a_users_sql_cannot_change_a_setting(store: Store) -> None:
    with pytest.raises(duckdb.Error, match="locked"), store.reading(fts=True) as con:
        con.execute("SET memory_limit = '100GB'")


def test_reading_with_the_extension_lets_a_users_sql_stem(store: Store) -> None:
    with store.reading(fts=True) as con:
        assert con.execute("SELECT stem('running', 'porter')").fetchone() == ("run",)


def test_the_statement_a_user_got_wrong_is_told_in_duckdbs_words(store: Store) -> None:
    with pytest.raises(duckdb.ParserException), store.reading() as con:
        con.execute("SELEKT 1")


def test_damage_met_while_reading_is_an_error_of_the_file(store: Store) -> None:
    with store.writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, md5(range::VARCHAR) || repeat('x', 800) FROM range(3000)")
    data = bytearray(store.path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 4096] = bytes(4096)
    store.path.write_bytes(bytes(data))
    with pytest.raises(NotAnIndex, match="damaged"), store.reading() as con:
        con.execute("SELECT sum(length(text)) FROM texts").fetchall()


def test_bytes_that_are_no_text_are_damage(store: Store) -> None:
    with store.writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, 'zanthoxylum ' || range FROM range(10)")
    data = bytearray(store.path.read_bytes())
    start, size = 3 * 4096, 16384
    for block in range(start, len(data), size):
        spoilt = bytes(data[block : block + size]).replace(b"zanthoxylum", b"zanthox\xff\xfeum")
        # DuckDB's checksum of a block, mended: what no disk does, but an enemy
        checksum = 5381
        for at in range(8, size, 8):
            checksum ^= int.from_bytes(spoilt[at : at + 8], "little") * 0xBF58476D1CE4E5B9 & 2**64 - 1
        if spoilt != data[block : block + size]:
            data[block : block + size] = checksum.to_bytes(8, "little") + spoilt[8:]
    store.path.write_bytes(bytes(data))
    with pytest.raises(NotAnIndex, match="damaged"), store.reading() as con:
        con.execute("SELECT text FROM texts").fetchall()


def test_a_commit_by_another_process_is_seen_by_the_next_reading(store: Store, beside: Beside) -> None:
    before = store.stamp()
    code = """
import sys
from pathlib import Path
from inro.store.connect import Connection, Store
with Store(Path(sys.argv[1])).writing() as con:
    con.execute("INSERT INTO meta VALUES ('mark', 'theirs')")
print("done", flush=True)
"""
    with beside(code, str(store.path)):
        pass
    assert store.stamp() != before
    with store.reading() as con:
        assert meta.get(con, "mark") == "theirs"


def test_waiting_is_bounded_by_the_deadline(store: Store, beside: Beside) -> None:
    with beside(HOLD_FOR_WRITING, str(store.path), "60"):
        started = time.monotonic()
        with pytest.raises(LibraryBusy), Store(store.path, read_deadline=0.3).reading():
            pass
        assert time.monotonic() - started >= 0.3


def row_groups(con: Connection) -> int:
    found = con.execute("SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('texts')").fetchone()
    assert found is not None
    return int(found[0])


def test_a_commit_leaves_the_rows_of_earlier_ones_as_they_lie_and_a_compact_one_merges_them(store: Store) -> None:
    for i in range(6):
        with store.writing() as con:
            texts.insert(con, [(i, f"text {i}")])
    with store.reading() as con:
        assert row_groups(con) == 6
    with store.writing(compact=True):
        pass
    with store.reading() as con:
        assert row_groups(con) == 1
        assert con.execute("SELECT document, text FROM texts ORDER BY document").fetchall() == [
            (i, f"text {i}") for i in range(6)
        ]
