"""Whatever happens to the process or the medium, the file opens at its last commit."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from inro.store import meta
from inro.store.connect import Store

WRITE_FOREVER = """
import sys
from pathlib import Path
from inro.store import meta, titles
from inro.store.connect import Store
store = Store(Path(sys.argv[1]))
while True:
    with store.writing() as con:
        n = meta.count_up(con, "batches")
        con.execute("INSERT INTO texts SELECT ?, range, md5(range::VARCHAR) FROM range(500)", [n])
        titles.put(con, {n + 1: f"title {n}"})
    print(n, flush=True)
"""


def leave_a_log(path: Path) -> None:
    """Another program that opens the library its own way and dies after a commit."""
    code = """
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("INSERT INTO meta VALUES ('theirs', '1')")
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_killed_writer_leaves_whole_commits_and_a_file_that_opens(store: Store, after: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", WRITE_FOREVER, str(store.path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    told = 0
    for _ in range(after + 1):
        told = int(child.stdout.readline())
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()

    with store.reading() as con:
        batches = meta.counter(con, "batches")
        assert batches >= told + 1, "what was told as committed is there"
        rows = con.execute("SELECT count(*), count(DISTINCT document) FROM texts").fetchone()
        assert rows == (500 * batches, batches), "each batch is whole"
    with store.writing() as con:
        meta.put(con, "mark", "goes on")
    assert [entry.name for entry in store.path.parent.iterdir()] == ["library.inro"]


def test_a_log_left_by_another_program_is_replayed(store: Store) -> None:
    leave_a_log(store.path)
    log = store.path.with_name("library.inro.wal")
    assert log.exists()
    with store.reading() as con:
        assert meta.get(con, "theirs") == "1"
    with store.writing() as con:
        assert meta.get(con, "theirs") == "1"
    assert not log.exists()
    with store.reading() as con:
        assert meta.get(con, "theirs") == "1"
    assert store.notices == []


@pytest.mark.parametrize("writing", [False, True])
def test_a_log_that_cannot_be_replayed_is_set_aside_and_named(store: Store, writing: bool) -> None:
    leave_a_log(store.path)
    log = store.path.with_name("library.inro.wal")
    stale = log.read_bytes()
    with store.writing() as con:
        meta.put(con, "mark", "committed")
    log.write_bytes(stale)

    with store.writing() if writing else store.reading() as con:
        assert meta.get(con, "mark") == "committed"
    assert not log.exists()
    assert "library.inro.wal.broken-1" in store.notices[0]
    assert store.path.with_name("library.inro.wal.broken-1").read_bytes() == stale


@pytest.mark.parametrize("at", [0.1, 0.5, 0.9])
def test_a_damaged_log_never_hides_what_was_committed_before_it(store: Store, at: float) -> None:
    with store.writing() as con:
        meta.put(con, "mark", "committed")
    leave_a_log(store.path)
    log = store.path.with_name("library.inro.wal")
    data = bytearray(log.read_bytes())
    data[int(len(data) * at)] ^= 0xFF
    log.write_bytes(bytes(data))

    with store.reading() as con:
        assert meta.get(con, "mark") == "committed"
    with store.writing() as con:
        meta.put(con, "mark", "goes on")
    assert not log.exists(), "a writer leaves no log, not even another's"
    with store.reading() as con:
        assert meta.get(con, "mark") == "goes on"


def test_a_second_broken_log_does_not_overwrite_the_first(store: Store) -> None:
    log = store.path.with_name("library.inro.wal")
    for n in (1, 2):
        log.write_bytes(b"not a log" * n)
        with store.writing():
            pass
        assert store.path.with_name(f"library.inro.wal.broken-{n}").read_bytes() == b"not a log" * n


def test_a_full_disk_gives_one_clear_line_and_the_file_as_it_was(store: Store) -> None:
    with store.writing() as con:
        meta.put(con, "mark", "before")
    # a limit on file size stands in for a full disk: the write fails with an error of the same kind
    code = """
import resource, signal, sys
from pathlib import Path
from inro.errors import WriteFailed
from inro.store.connect import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    with Store(Path(sys.argv[1])).writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, md5(range::VARCHAR) || repeat('x', 900) FROM range(20000)")
except WriteFailed as e:
    print(e)
"""
    assert resource.RLIMIT_FSIZE is not None
    ran = subprocess.run([sys.executable, "-c", code, str(store.path)], capture_output=True, text=True, check=False)
    assert "as it was" in ran.stdout, ran.stderr
    assert len(ran.stdout.splitlines()) == 1
    with store.reading() as con:
        assert meta.get(con, "mark") == "before"
        assert con.execute("SELECT count(*) FROM texts").fetchone() == (0,)
    with store.writing() as con:
        meta.put(con, "mark", "after")


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_read_only_file_is_readable_and_says_why_it_is_not_writable(store: Store) -> None:
    from inro.errors import WriteFailed

    store.path.chmod(0o444)
    assert store.generation() == 0
    with pytest.raises(WriteFailed, match="read-only"), store.writing():
        pass


@pytest.mark.parametrize("keep", [0, 5000, 12288, 20000, 40000])
def test_a_truncated_file_is_refused_not_crashed_on(store: Store, keep: int) -> None:
    from inro.errors import LibraryError

    with store.writing() as con:
        con.execute("INSERT INTO texts SELECT range, 0, md5(range::VARCHAR) || repeat('x', 900) FROM range(500)")
    store.path.write_bytes(store.path.read_bytes()[:keep])
    with pytest.raises(LibraryError), store.reading() as con:
        con.execute("SELECT sum(length(text)) FROM texts").fetchall()


def test_a_copy_made_between_commits_is_a_library(store: Store, tmp_path: Path) -> None:
    with store.writing() as con:
        meta.put(con, "mark", "copied")
    copy = tmp_path / "elsewhere" / "copy.inro"
    copy.parent.mkdir()
    copy.write_bytes(store.path.read_bytes())
    with Store(copy).reading() as con:
        assert meta.get(con, "mark") == "copied"


def test_duckdb_is_the_pinned_release() -> None:
    """The promise that no log is ever written was checked for this release."""
    assert duckdb.__version__ == "1.5.5"
