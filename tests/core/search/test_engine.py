"""The engine: from what is typed to hits that say where they stand and why they were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.errors import LibraryMissing, ModelMissing
from inro.library import Library
from inro.records import Reading

Make = Callable[[Mapping[str, str | Reading]], Library]
Direct = Callable[[str], NDArray[np.float32]]
Give = Callable[[Library, Direct], None]

WORDS = ("silica", "シリカ", "earthquake", "地震", "kiln", "炉")


def direct(text: str) -> NDArray[np.float32]:
    """A vector by topic: the same for the English and the Japanese word."""
    vector = np.full(8, 0.05, np.float32)
    for i, word in enumerate(WORDS):
        vector[i // 2] += text.lower().count(word)
    vector[7] += len(text) % 3 * 0.1
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def no_model(_text: str) -> NDArray[np.float32]:
    raise ModelMissing("no embedder here", "inro models fetch")


def test_hits_stand_where_they_say_and_their_traces_sum_to_their_scores(sample: Library) -> None:
    for query in (
        "S-1041",
        "乾燥庫の湿度",
        "spark plasma sintering",
        "sinter*",
        '"放電プラズマ"',
        "液氮",
        "path:sops 真空",
    ):
        hits = sample.search(query, lane="lexical").hits
        assert hits, query
        for hit in hits:
            text = sample.show(hit.document).text
            assert text[hit.snippet_start : hit.snippet_start + len(hit.snippet)] == hit.snippet
            assert hit.start <= hit.snippet_start <= hit.end
            assert sum(part.value for part in hit.trace) == pytest.approx(hit.score)
            assert all(0 <= a < b <= len(hit.snippet) for a, b in hit.highlights)


def test_a_sample_number_brings_its_own_notes_first(sample: Library) -> None:
    hits = sample.search("S-1041", lane="lexical").hits
    for hit in hits:
        document = sample.show(hit.document)
        declared = [*document.tags, *(value for values in document.fields.values() for value in values)]
        said = " ".join([document.text[hit.start : hit.end], hit.title, hit.heading, hit.path, *declared])
        assert hit.pinned == ("S-1041" in said)
    assert hits[0].pinned


def test_other_spellings_are_marked_in_the_snippet(sample: Library) -> None:
    marked = {
        hit.snippet[a:b].lower() for hit in sample.search("sintring", lane="lexical").hits for a, b in hit.highlights
    }
    assert "sintering" in marked


def test_meaning_finds_what_shares_no_word(make: Make, give_vectors: Give) -> None:
    library = make({"ja.md": "シリカを焼く。", "en.md": "Earthquake drill.", "炉.md": "炉の掃除。"})
    give_vectors(library, direct)
    found = library.engine.search("silica", direct, limit=3, lane="hybrid", fusion="calibrated")
    assert found.hits[0].path == "ja.md"
    assert not found.hints


def test_without_a_model_words_are_searched_and_a_hint_says_so(make: Make) -> None:
    engine = make({"a.md": "kiln"}).engine
    found = engine.search("kiln", no_model, limit=3, lane="hybrid", fusion="calibrated")
    assert [hit.path for hit in found.hits] == ["a.md"]
    assert "no embedder here" in found.hints[0]
    with pytest.raises(ModelMissing):
        engine.search("kiln", no_model, limit=3, lane="dense", fusion="calibrated")


def test_a_question_is_text_and_not_a_query(make: Make, give_vectors: Give) -> None:
    """What is asked may hold quotation marks, stars and colons that condition nothing."""
    library = make({"a.md": "The kiln is cleaned weekly.", "b.md": "Earthquake drill."})
    give_vectors(library, direct)
    found = library.engine.find('-kiln: is it "never" cleaned* path:nowhere?', direct, limit=5)
    assert found.hits[0].path == "a.md"
    assert found.texts[0] == "The kiln is cleaned weekly."
    assert len(found.hits) == len(found.items) == len(found.texts)
    assert found.vector is not None
    assert found.nearest in {hit.chunk for hit in found.hits}


def test_a_rarer_term_has_the_greater_idf(make: Make) -> None:
    library = make({f"{i}.md": "kiln" + (" oven" if i == 0 else "") for i in range(5)})
    found = library.engine.find("kiln oven", None, limit=5)
    keys = library.engine.analyser().terms("kiln oven").keys
    kiln, oven = found.idf(keys[:1])[0], found.idf(keys[-1:])[0]
    assert 0 < kiln < oven


def test_a_ranking_is_the_search_without_texts(sample: Library) -> None:
    for query in ("焼結 -S-1041", "type:md 密度", "tag:SOP"):
        ranking, hints = sample.engine.ranking(
            query, None, limit=10, lane="lexical", fusion="calibrated", per_document=2
        )
        result = sample.search(query, lane="lexical")
        assert [item.chunk for item in ranking.items] == [hit.chunk for hit in result.hits]
        assert hints == result.hints


def test_titles_bring_documents_at_their_beginning(sample: Library) -> None:
    hits = sample.titles("放電プラズマ焼結装置").hits
    assert hits[0].path == "sops/SOP-013 放電プラズマ焼結装置.md"
    assert hits[0].start < 200
    assert sum(part.value for part in hits[0].trace) == pytest.approx(hits[0].score)


def test_an_empty_query_and_an_empty_library_find_nothing(make: Make, sample: Library) -> None:
    assert sample.search("", lane="lexical").hits == ()
    assert sample.search("   ", lane="lexical").hits == ()
    empty = make({})
    assert empty.search("kiln path:a", lane="lexical").hits == ()
    empty.engine.warm()


def test_warming_what_is_not_there_is_no_error_and_searching_it_is(make: Make) -> None:
    library = make({})
    library.path.unlink()
    library.engine.warm()
    with pytest.raises(LibraryMissing):
        library.search("kiln", lane="lexical")


def test_the_ledger_counts_what_was_searched(sample: Library) -> None:
    ledger = sample.search("焼結", lane="lexical").ledger
    assert ledger.searched == ledger.total == sample.status().documents
