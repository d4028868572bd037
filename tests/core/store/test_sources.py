"""Roots: remembered by their bytes, found beside the library wherever it is carried."""

from __future__ import annotations

import os
from pathlib import Path

from inro.store import documents, sources
from inro.store.connect import Store


def test_a_root_keeps_its_id_when_it_is_added_again(store: Store, tmp_path: Path) -> None:
    with store.writing() as con:
        first = sources.add(con, tmp_path / "notes", store.path, "{}")
        again = sources.add(con, tmp_path / "x" / ".." / "notes", store.path, '{"hidden": true}')
        other = sources.add(con, tmp_path / "more", store.path, "{}")
        listed = sources.every(con)
    assert first == again != other
    assert [(s.id, s.rules) for s in listed] == [(first, '{"hidden": true}'), (other, "{}")]


def test_a_root_beside_the_library_is_found_where_both_were_carried(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / "notes").mkdir(parents=True)
    store = Store.create(here / "l.inro")
    with store.writing() as con:
        sources.add(con, here / "notes", store.path, "")
    (there / "l.inro").write_bytes(store.path.read_bytes())
    with Store(there / "l.inro").reading() as con:
        assert sources.every(con)[0].root(there / "l.inro") == there / "notes"


def test_a_root_elsewhere_keeps_its_absolute_path(store: Store, tmp_path: Path) -> None:
    far = tmp_path.parent / f"{tmp_path.name}-far"
    with store.writing() as con:
        sources.add(con, far, store.path, "")
        source = sources.every(con)[0]
    assert source.relative == ""
    assert source.root(store.path) == far


def test_a_root_whose_name_is_no_unicode_is_found_by_its_bytes(store: Store, tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    root.mkdir()
    with store.writing() as con:
        sources.add(con, root, store.path, "")
    with store.reading() as con:
        assert sources.every(con)[0].root(store.path) == root
        assert sources.states(con, store.path)[0].present


def test_states_tell_what_is_there_and_what_it_holds(store: Store, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with store.writing() as con:
        notes = sources.add(con, tmp_path / "notes", store.path, "")
        gone = sources.add(con, tmp_path / "gone", store.path, "")
        virtual = sources.add_virtual(con, "an evaluation set")
        assert sources.add_virtual(con, "an evaluation set") == virtual
        sources.mark_synced(con, notes, "synced")
        states = sources.states(con, store.path)
        assert [s.id for s in sources.folders(con)] == [notes, gone]
    assert [(s.id, s.present) for s in states] == [(notes, True), (gone, False), (virtual, True)]
    assert states[0].last_sync.endswith("+00:00")
    assert states[1].last_sync == ""


def test_a_relocated_root_keeps_its_documents(store: Store, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    with store.writing() as con:
        source = sources.add(con, tmp_path / "old", store.path, "")
        sources.relocate(con, source, tmp_path / "new", store.path)
        assert sources.every(con)[0].root(store.path) == tmp_path / "new"
        assert documents.ids_of_source(con, source) == []
