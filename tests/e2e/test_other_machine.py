"""A library carried to a machine that has none of its notes and another ICU: everything but a sync works there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from worlds import Inro, make_world

from inro.sample import folder
from inro.store import meta
from inro.store.connect import Store

OTHER_ICU = "inro-1 icu-40.0 unicode-3.2"


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Inro:
    here = tmp_path_factory.mktemp("here")
    notes = here / "notes"
    shutil.copytree(folder(), notes)
    made = make_world(here, models_folder)
    made("add", notes)
    there = tmp_path_factory.mktemp("there") / "deeper" / "still"
    there.mkdir(parents=True)
    world = make_world(there, models_folder)
    world.library.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(made.library, world.library)
    shutil.rmtree(here)
    with Store(world.library).writing() as con:
        meta.put(con, "analyser", OTHER_ICU)
    return world


def test_it_is_searched_by_words_and_by_meaning(carried: Inro) -> None:
    before = carried.library.read_bytes()
    assert carried("search", "S-1041", "--json").json[0]["pinned"]
    assert carried("search", "乾燥庫の温度", "--json").json
    assert carried("search", "真空炉の加熱", "--lane", "dense", "--json").json
    assert carried.library.read_bytes() == before, "looking changes nothing"


def test_a_document_is_shown_from_its_stored_text(carried: Inro) -> None:
    hit = carried("search", "S-1041", "--json").json[0]
    shown = carried("show", str(hit["document"]), "--json").json
    assert shown["text"][hit["start"] : hit["end"]]
    assert "S-1041" in shown["text"]


def test_an_answer_cites_spans_of_stored_text(carried: Inro) -> None:
    answer = carried("ask", "Below what pressure may the vacuum furnace be heated?", "--json").json
    assert not answer["refused"]
    (first, *_) = answer["sources"]
    text = carried("show", str(first["document"]), "--json").json["text"]
    assert "5e-3 Pa" in text[first["start"] : first["end"]]


def test_status_says_what_is_offline_and_whose_words_the_index_has(carried: Inro) -> None:
    status = carried("status", "--json").json
    assert [source["present"] for source in status["sources"]] == [False]
    assert "offline" in carried("status").out


def test_a_sync_keeps_what_is_offline_and_makes_the_words_anew(carried: Inro) -> None:
    report = carried("sync", "--json").json
    assert report["removed"] == 0
    assert any("not there now" in note for note in report["notes"])
    assert any("words were indexed anew" in note for note in report["notes"])
    assert carried("search", "S-1041", "--json").json[0]["pinned"]
    assert carried("verify", "--json").json == []
