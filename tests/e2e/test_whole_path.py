"""From a folder of notes to a cited answer, by the command line, on the real models, with the network cut."""

from __future__ import annotations

import pytest
from worlds import Inro

pytestmark = pytest.mark.models


def paths(hits: list[dict[str, object]]) -> list[str]:
    return [str(hit["path"]) for hit in hits]


def test_a_sample_number_finds_its_own_notes_first(sample: Inro) -> None:
    hits = sample("search", "S-1041", "--json").json
    assert "S-1041" in hits[0]["path"]
    assert hits[0]["pinned"]


def test_a_japanese_question_finds_an_english_note(sample: Inro) -> None:
    hits = sample("search", "シリカゲルは何度で再生しますか", "--json").json
    assert "inventory/Desiccators and drying agents.md" in paths(hits)[:3]


def test_an_english_question_finds_a_japanese_note(sample: Inro) -> None:
    hits = sample("search", "what should I do in an earthquake", "--json").json
    assert "sops/SOP-020 地震のときの行動.md" in paths(hits)[:3]


def test_the_lanes_can_be_asked_alone(sample: Inro) -> None:
    lexical = sample("search", "乾燥庫", "--lane", "lexical", "--json").json
    dense = sample("search", "dry cabinet", "--lane", "dense", "--json").json
    assert all("乾燥庫" in hit["snippet"] + hit["title"] + hit["heading"] for hit in lexical[:1])
    assert any("乾燥庫" in hit["title"] for hit in dense)


@pytest.mark.parametrize("fusion", ["calibrated", "rrf"])
@pytest.mark.parametrize("query", ["S-1041 密度", "硝酸の薄め方", "contact resistance of nickel", "退火"])
def test_a_trace_sums_to_its_score(sample: Inro, fusion: str, query: str) -> None:
    hits = sample("search", query, "--fusion", fusion, "--json").json
    assert hits
    for hit in hits:
        assert sum(part["value"] for part in hit["trace"]) == pytest.approx(hit["score"], abs=1e-4)


def test_at_most_two_chunks_of_a_document(sample: Inro) -> None:
    hits = sample("search", "S-1041", "-n", "50", "--json").json
    shown = paths(hits)
    assert max(shown.count(path) for path in shown) <= 2


def test_a_snippet_is_a_verbatim_slice_of_the_document(sample: Inro) -> None:
    for hit in sample("search", "硝酸で表面を処理する", "--json").json:
        text = sample("show", str(hit["document"]), "--json").json["text"]
        start = hit["snippet_start"]
        assert text[start : start + len(hit["snippet"])] == hit["snippet"]
        assert hit["start"] <= start <= hit["end"]


def test_an_answer_cites_spans_that_hold_what_it_says(sample: Inro) -> None:
    answer = sample("ask", "Below what pressure may the vacuum furnace be heated?", "--json").json
    assert not answer["refused"]
    assert "5e-3" in answer["answer"]
    cited = {n for sentence in answer["sentences"] for n in sentence["citations"]}
    sources = {source["n"]: source for source in answer["sources"]}
    assert cited
    assert cited <= set(sources)
    assert any("SOP-016" in sources[n]["path"] for n in cited)
    for source in sources.values():
        text = sample("show", str(source["document"]), "--json").json["text"]
        assert text[source["start"] : source["end"]] == source["quote"]


def test_what_the_library_does_not_hold_is_refused(sample: Inro) -> None:
    answer = sample("ask", "What is the growth rate of the gallium nitride crystals?", "--json").json
    assert answer["refused"]
    assert answer["misses"]


def test_a_second_sync_has_nothing_to_do(sample: Inro) -> None:
    report = sample("sync", "--json").json
    assert (report["added"], report["changed"], report["chunks"], report["embedded"]) == (0, 0, 0, 0)
    assert report["unchanged"] == 48


def test_the_file_is_sound_and_complete(sample: Inro) -> None:
    assert sample("verify").out == "no faults\n"
    assert not sample.library.with_name(sample.library.name + ".wal").exists()
    status = sample("status", "--json").json
    assert status["chunks"] == status["vectors"]


def test_no_process_tried_to_reach_a_network(sample: Inro) -> None:
    """Runs after the others of this file have searched, asked and synced in the same world."""
    sample("ask", "グローブボックスの酸素濃度はいくつ以下か")
    assert sample.socket_attempts() == ""
