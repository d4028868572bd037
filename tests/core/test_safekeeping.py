"""A library as a file: whatever is done to it, there is the old whole file or the new whole file."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inro import safekeeping
from inro.errors import KeyNeeded, LibraryBusy, NotAnIndex, NotFound, PathMissing, UsageError, WrongKey
from inro.index import pour as pouring
from inro.library import Library
from inro.store import meta, sources
from inro.store.cipher import Key
from inro.store.connect import Store

Make = Callable[..., Library]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a library of notes, by words alone."""
    monkeypatch.setenv("INRO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))

    def build(name: str, folders: dict[str, dict[str, str]], key: Key | None = None) -> Library:
        library = Library(tmp_path / name / "l.inro", key=key)
        for folder, notes in folders.items():
            root = tmp_path / folder
            root.mkdir(exist_ok=True)
            for note, text in notes.items():
                (root / note).write_text(text, encoding="utf-8")
            list(library.add([root]))
        return library

    return build


@pytest.fixture
def library(make: Make) -> Library:
    return make(
        "home one",
        {
            "lab": {
                "oven.md": "# Oven\n\nThe oven S-1041 dries samples.\n",
                "乾燥.md": "# 乾燥庫\n\n試料を保管する。\n",
            },
            "diary": {"today.md": "# Today\n\nA zanthoxylum secret.\n"},
        },
    )


def paths(library: Library) -> set[str]:
    return {row.path for row in library.files()}


def found(library: Library, query: str) -> list[str]:
    return [hit.path for hit in library.search(query, lane="lexical").hits]


def only_file(folder: Path) -> str:
    (entry,) = folder.iterdir()
    return entry.name


def test_a_copy_is_the_library(library: Library, tmp_path: Path) -> None:
    report = safekeeping.copy(library, tmp_path / "backup" / "b.inro")
    copy = Library(tmp_path / "backup" / "b.inro")
    assert copy.path.read_bytes() == library.path.read_bytes()
    assert (report.documents, report.encrypted) == (3, False)
    assert report.bytes == copy.path.stat().st_size
    assert found(copy, "oven") == found(library, "oven") == ["oven.md"]
    assert only_file(copy.path.parent) == "b.inro"


def test_a_copy_into_a_folder_has_the_librarys_name(library: Library, tmp_path: Path) -> None:
    (tmp_path / "stick").mkdir()
    safekeeping.copy(library, tmp_path / "stick")
    assert only_file(tmp_path / "stick") == "l.inro"


def test_a_copy_takes_no_other_files_place_unasked(library: Library, tmp_path: Path) -> None:
    taken = tmp_path / "taken.inro"
    taken.write_text("mine")
    with pytest.raises(UsageError, match="already a file"):
        safekeeping.copy(library, taken)
    assert taken.read_text() == "mine"
    safekeeping.copy(library, taken, replace=True)
    assert paths(Library(taken)) == paths(library)
    with pytest.raises(UsageError, match="the library itself"):
        safekeeping.copy(library, library.path, replace=True)


def test_a_copy_of_one_source_holds_nothing_of_the_other(library: Library, tmp_path: Path) -> None:
    part = tmp_path / "part.inro"
    safekeeping.copy(library, part, only=[str(tmp_path / "lab")])
    assert paths(Library(part)) == {"oven.md", "乾燥.md"}
    assert list(Library(part).verify()) == []
    data = part.read_bytes()
    for trace in (b"zanthoxylum", b"diary", b"today"):
        assert trace in library.path.read_bytes()
        assert trace not in data
    with pytest.raises(NotFound):
        safekeeping.copy(library, tmp_path / "none.inro", only=["9"])


def test_a_damaged_library_is_not_copied_and_nothing_is_left(library: Library, tmp_path: Path) -> None:
    with library.store.writing() as con:
        con.execute("UPDATE chunks SET stop = 1000000 WHERE id = 1")
    with pytest.raises(NotAnIndex, match="chunk 1 is not inside"):
        safekeeping.copy(library, tmp_path / "backup" / "b.inro")
    assert list((tmp_path / "backup").iterdir()) == []


def test_a_copy_takes_in_what_another_program_left_in_its_log(library: Library, tmp_path: Path) -> None:
    code = """
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("INSERT INTO meta VALUES ('theirs', '1')")
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", code, str(library.path)], check=False)
    assert library.path.with_name("l.inro.wal").exists()
    safekeeping.copy(library, tmp_path / "backup" / "b.inro")
    assert only_file(tmp_path / "backup") == "b.inro"
    with Store(tmp_path / "backup" / "b.inro").reading() as con:
        assert meta.get(con, "theirs") == "1"


def test_a_full_disk_leaves_no_half_copy(library: Library, tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from inro import safekeeping
from inro.errors import WriteFailed
from inro.library import Library
from inro.store.cipher import Key
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
library, place = Library(Path(sys.argv[1])), Path(sys.argv[2])
for work in (
    lambda: safekeeping.copy(library, place / "b.inro"),
    lambda: safekeeping.copy(library, place / "b.inro", only=["1"]),
    lambda: safekeeping.encrypt(library, Key("k"), into=place / "b.inro"),
    lambda: safekeeping.encrypt(library, Key("k")),
):
    try:
        work()
    except WriteFailed as e:
        print(e)
"""
    assert resource.RLIMIT_FSIZE is not None
    before = library.path.read_bytes()
    command = [sys.executable, "-c", code, str(library.path), str(tmp_path / "full")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert len(ran.stdout.splitlines()) == 4, ran.stderr
    assert list((tmp_path / "full").iterdir()) == []
    assert library.path.read_bytes() == before
    assert only_file(library.path.parent) == "l.inro"


def test_merging_brings_what_is_not_there(make: Make) -> None:
    mine = make("one", {"a": {"oven.md": "The oven is hot.\n", "same.md": "The same words.\n"}})
    theirs = make("two", {"b": {"trap.md": "The trap is cold.\n", "copy of same.md": "The same words.\n"}})
    before = mine.store.generation()
    report = safekeeping.merge(mine, [theirs])
    assert (report.taken, report.duplicates, report.made.documents) == (1, 1, 3)
    assert paths(mine) == {"oven.md", "same.md", "trap.md"}
    assert found(mine, "trap") == ["trap.md"]
    assert mine.store.generation() > before
    assert list(mine.verify()) == []
    assert only_file(mine.path.parent) == "l.inro"


def test_merging_into_a_new_file_leaves_all_others_alone(make: Make, tmp_path: Path) -> None:
    shards = [make(f"shard {n}", {f"part {n}": {f"{n}.md": f"Text number {n}.\n"}}) for n in range(3)]
    before = [shard.path.read_bytes() for shard in shards]
    into = tmp_path / "new" / "merged.inro"
    report = safekeeping.merge(shards[0], shards, into=into)
    assert report.taken == 3
    assert paths(Library(into)) == {"0.md", "1.md", "2.md"}
    assert [shard.path.read_bytes() for shard in shards] == before
    with pytest.raises(UsageError, match="already a file"):
        safekeeping.merge(shards[0], shards, into=into)
    with pytest.raises(UsageError, match="into itself"):
        safekeeping.merge(shards[0], [shards[0]])


def test_words_of_another_analyser_are_made_anew(make: Make) -> None:
    mine = make("one", {"a": {"oven.md": "The oven is hot.\n"}})
    theirs = make("two", {"b": {"trap.md": "The trap is cold.\n"}})
    with theirs.store.writing() as con:
        meta.put(con, "analyser", "icu 1, long ago")
    own = mine.status().analyser
    safekeeping.merge(mine, [theirs])
    assert mine.status().analyser == own
    assert found(mine, "trap") == ["trap.md"]
    assert list(mine.verify()) == []


def test_a_library_that_changes_meanwhile_is_merged_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = make("one", {"a": {"oven.md": "The oven is hot.\n"}})
    theirs = make("two", {"b": {"trap.md": "The trap is cold.\n"}})
    came_between: list[int] = []
    poured = pouring.pour

    def pour(store: Store, into: Store, **options: object) -> object:
        if len(came_between) < 1:
            came_between.append(1)
            with mine.store.writing() as con:
                meta.put(con, "mark", "not lost")
        return poured(store, into)

    monkeypatch.setattr(pouring, "pour", pour)
    safekeeping.merge(mine, [theirs])
    with mine.store.reading() as con:
        assert meta.get(con, "mark") == "not lost"
    assert paths(mine) == {"oven.md", "trap.md"}


def test_a_library_that_never_rests_is_told_so(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = make("one", {"a": {"oven.md": "The oven is hot.\n"}})
    monkeypatch.setattr(Store, "give_way", lambda *_: False)
    with pytest.raises(LibraryBusy):
        safekeeping.encrypt(mine, Key("k"))
    assert paths(mine) == {"oven.md"}
    assert only_file(mine.path.parent) == "l.inro"


def test_encrypting_in_place_and_back(library: Library) -> None:
    everything = paths(library)
    key = Key("a passphrase")
    report = safekeeping.encrypt(library, key)
    assert report.encrypted
    assert any("disk" in note for note in report.notes)
    assert b"zanthoxylum" not in library.path.read_bytes()
    with pytest.raises(KeyNeeded):
        Library(library.path).status()
    with pytest.raises(WrongKey):
        Library(library.path, key=Key("another")).status()
    sealed = Library(library.path, key=key)
    assert paths(sealed) == everything
    assert found(sealed, "zanthoxylum") == ["today.md"]
    assert list(sealed.verify()) == []
    list(sealed.sync())
    assert only_file(library.path.parent) == "l.inro"
    with pytest.raises(UsageError, match="already"):
        safekeeping.encrypt(sealed, key)

    copied = safekeeping.copy(sealed, library.path.parent / "copy.inro", only=["1"])
    assert copied.encrypted and b"oven" not in Path(copied.library).read_bytes()
    safekeeping.decrypt(sealed)
    assert paths(Library(library.path)) == everything
    with pytest.raises(UsageError, match="not encrypted"):
        safekeeping.decrypt(Library(library.path))


def test_a_reader_in_the_middle_goes_on_with_the_file_it_has(library: Library) -> None:
    reader = """
import sys
from pathlib import Path
from inro.store.connect import Store
with Store(Path(sys.argv[1])).reading() as con:
    print("open", flush=True)
    sys.stdin.readline()
    print(con.execute("SELECT count(*) FROM documents").fetchone()[0], flush=True)
"""
    command = [sys.executable, "-c", reader, str(library.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "open\n"
        library.store.write_deadline = 0.2
        with pytest.raises(LibraryBusy):
            safekeeping.encrypt(library, Key("k"))
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline() == "3\n"
    assert not library.store.encrypted()


def test_a_new_library_with_a_key_is_encrypted_from_the_first(make: Make) -> None:
    sealed = make("sealed", {"a": {"oven.md": "The zanthoxylum oven.\n"}}, key=Key("k"))
    assert sealed.store.encrypted()
    assert b"zanthoxylum" not in sealed.path.read_bytes()
    assert found(sealed, "oven") == ["oven.md"]


def test_a_source_that_moved_keeps_everything(library: Library, tmp_path: Path) -> None:
    (tmp_path / "lab").rename(tmp_path / "moved")
    before = library.show("oven.md").document
    moved = safekeeping.relocate(library, str(tmp_path / "lab"), tmp_path / "moved")
    assert (moved.documents, moved.found) == (2, 2)
    *_, last = library.sync()
    assert last.report is not None
    assert (last.report.unchanged, last.report.added, last.report.removed) == (3, 0, 0)
    assert library.show("oven.md").document == before


def test_a_source_is_not_moved_to_where_it_is_not(library: Library, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="none of the 2 files"):
        safekeeping.relocate(library, "1", tmp_path / "empty")
    with pytest.raises(UsageError, match="source 2 already"):
        safekeeping.relocate(library, "1", tmp_path / "diary")
    with pytest.raises(PathMissing):
        safekeeping.relocate(library, "1", tmp_path / "nowhere")
    with pytest.raises(NotFound):
        safekeeping.relocate(library, "7", tmp_path / "empty")
    with library.store.reading() as con:
        assert sources.every(con)[0].raw == os.fsencode(tmp_path / "lab")
    assert safekeeping.relocate(library, "1", tmp_path / "empty", anyway=True).found == 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_a_copy_that_is_killed_leaves_the_old_one(library: Library, tmp_path: Path) -> None:
    place = tmp_path / "backup" / "b.inro"
    safekeeping.copy(library, place)
    before = place.read_bytes()
    code = """
import os, sys
from pathlib import Path
from inro import safekeeping
from inro.library import Library
safekeeping._check = lambda *_: os.kill(os.getpid(), 9)
safekeeping.copy(Library(Path(sys.argv[1])), Path(sys.argv[2]), replace=True)
"""
    ran = subprocess.run([sys.executable, "-c", code, str(library.path), str(place)], check=False)
    assert ran.returncode == -signal.SIGKILL
    assert place.read_bytes() == before
