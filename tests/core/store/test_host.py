"""Readers of one process share an instance of DuckDB, which holds the file only while one of them reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from inro.errors import NotAnIndex
from inro.store import host, meta
from inro.store.connect import Store

OPEN_ALONE = "import sys, duckdb; duckdb.connect(sys.argv[1]).close()"


def may_be_written_by_others(store: Store) -> bool:
    child = subprocess.run([sys.executable, "-c", OPEN_ALONE, str(store.path)], capture_output=True, check=False)
    return child.returncode == 0


def test_the_file_is_held_from_the_first_reader_to_the_last(store: Store) -> None:
    with store.reading():
        with store.reading():
            assert not may_be_written_by_others(store)
        assert not may_be_written_by_others(store)
    assert may_be_written_by_others(store)


def test_a_file_that_takes_the_name_is_read_by_who_comes_after(store: Store, tmp_path: Path) -> None:
    other = Store.create(tmp_path / "other.inro")
    with other.writing() as con:
        meta.put(con, "mark", "other")
    with store.reading() as con:
        other.path.replace(store.path)
        with store.reading() as later:
            assert meta.get(later, "mark") == "other"
        assert meta.get(con, "mark") == ""
    with store.reading() as con:
        assert meta.get(con, "mark") == "other"


def test_few_instances_are_kept_however_many_libraries_are_read(tmp_path: Path) -> None:
    for number in range(3 * host.IDLE):
        assert Store.create(tmp_path / f"{number}.inro").generation() == 0
    kept = [key for key in host._hosts if key.is_relative_to(tmp_path)]
    assert len(kept) <= host.IDLE + 1


def test_an_instance_that_met_damage_serves_nobody_else(store: Store) -> None:
    with store.writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, md5(range::VARCHAR) || repeat('x', 800) FROM range(3000)")
    whole = store.path.read_bytes()
    middle = len(whole) // 2
    store.path.write_bytes(whole[:middle] + bytes(4096) + whole[middle + 4096 :])
    with pytest.raises(NotAnIndex), store.reading() as con:
        con.execute("SELECT sum(length(text)) FROM texts").fetchall()
    store.path.write_bytes(whole)
    with store.reading() as con:
        assert con.execute("SELECT count(*) FROM texts").fetchone() == (3000,)


def test_what_is_read_through_an_instance_reaches_no_other_file(store: Store, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as con:
        con.execute("CREATE TABLE secrets (word VARCHAR)")
    with store.reading() as con:
        for statement in (f"ATTACH '{tmp_path / 'other.duckdb'}'", "SET allowed_directories = ['/']"):
            with pytest.raises(duckdb.Error):
                con.execute(statement)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_reads_through_an_instance_of_its_own(store: Store) -> None:
    code = """
import os, sys
from pathlib import Path
from inro.store.connect import Store
store = Store(Path(sys.argv[1]))
assert store.generation() == 0
child = os.fork()
if not child:
    os._exit(7 if store.generation() == 0 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(store.path)], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "7", done.stderr
