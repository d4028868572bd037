"""What the query language does with a library: each form carried out, and nothing typed ever an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inro.library import Library
from inro.records import Block, Reading
from inro.search import scope

Make = Callable[[Mapping[str, str | Reading]], Library]

LAB = {
    "kiln.md": "The kiln was cleaned on Monday. Sintering took five hours.\n",
    "oven.md": "An oven is no kiln. On Monday it was cleaned. The sintered body broke.\n",
    "ja.md": "試料を乾燥庫で保管する。放電プラズマ焼\n結装置を使う。サーバー２を再起動した。\n",
    "ja2.md": "庫の乾燥は毎週おこなう。焼結体は三つに割れた。\n",
    "ids.md": "S-1041 and GPT-4 were compared; S-10411 was not.\n",
}


def paths(library: Library, query: str) -> list[str]:
    hits = library.search(query, limit=50, lane="lexical").hits
    return sorted({hit.path for hit in hits})


def hints(library: Library, query: str) -> str:
    return "\n".join(library.search(query, lane="lexical").hints)


def test_a_phrase_must_be_there_word_for_word(lab: Library) -> None:
    assert paths(lab, "cleaned on Monday") == ["kiln.md", "oven.md"]
    assert paths(lab, '"cleaned on Monday"') == ["kiln.md"]
    assert paths(lab, '"CLEANED  on monday"') == ["kiln.md"]


def test_a_phrase_of_cjk_is_found_across_a_line_end_and_in_any_width_or_kana(lab: Library) -> None:
    assert paths(lab, '"プラズマ焼結装置"') == ["ja.md"]
    assert paths(lab, '"ﾌﾟﾗｽﾞﾏ焼結"') == ["ja.md"]
    assert paths(lab, '"サーバー2を再起動"') == ["ja.md"]
    assert paths(lab, '"サーバー 2 を再起動"') == ["ja.md"]
    assert paths(lab, '"乾燥庫"') == ["ja.md"]


def test_a_phrase_does_not_begin_or_end_inside_a_word(lab: Library) -> None:
    assert paths(lab, '"S-1041"') == ["ids.md"]
    assert paths(lab, '"S-104"') == []
    assert paths(lab, '"iln was"') == []


def test_several_phrases_are_all_required(lab: Library) -> None:
    assert paths(lab, '"on Monday" "five hours"') == ["kiln.md"]
    assert paths(lab, '"five hours" "no kiln"') == []


def test_a_phrase_that_nothing_says_finds_nothing_and_says_so(lab: Library) -> None:
    assert paths(lab, '"cleaned the kiln"') == []
    assert "cleaned the kiln" in hints(lab, '"cleaned the kiln"')


def test_beside_other_words_a_phrase_that_nothing_says_is_searched_by_its_words(lab: Library) -> None:
    assert "kiln.md" in paths(lab, 'kiln "cleaned the kiln"')
    assert "by its words" in hints(lab, 'kiln "cleaned the kiln"')


def test_a_whole_question_in_quotation_marks_is_searched_by_its_words(lab: Library) -> None:
    assert "kiln.md" in paths(lab, '"Who cleaned the kiln?"')


def test_a_phrase_may_stand_in_the_title_or_a_heading(make: Make) -> None:
    head = Block("heading", 0, 14, 1, label="Zone of danger")
    text = "Zone of danger\n\nNothing else.\n"
    titled = Reading(text, "The quarterly report", (head, Block("paragraph", 16, 29)), "test/1")
    library = make({"a.md": titled, "b.md": "A report, quarterly. A danger zone.\n"})
    assert paths(library, '"quarterly report"') == ["a.md"]
    assert paths(library, '"zone of danger"') == ["a.md"]


def test_a_phrase_of_signs_alone_is_not_required(lab: Library) -> None:
    assert paths(lab, 'kiln "--"') == ["kiln.md", "oven.md"]
    assert "not required" in hints(lab, 'kiln "--"')


def test_a_phrase_in_very_many_chunks_is_cut_and_said_to_be(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "ENOUGH", 4)
    monkeypatch.setattr(scope, "_AT_ONCE", 2)
    library = make({f"{i}.md": f"The kiln number {i} is hot.\n" for i in range(9)})
    assert len(paths(library, '"the kiln number"')) == 4
    assert "very many" in hints(library, '"the kiln number"')


def test_an_excluded_word_is_out_exactly_as_written(lab: Library) -> None:
    assert paths(lab, "kiln -sintering") == ["oven.md"]
    assert paths(lab, "kiln -sinter") == ["kiln.md", "oven.md"]
    assert paths(lab, "monday -KILN") == []


def test_an_excluded_phrase_or_cjk_word_is_out(lab: Library) -> None:
    assert paths(lab, 'monday -"no kiln"') == ["kiln.md"]
    assert paths(lab, "乾燥 -乾燥庫") == ["ja2.md"]
    assert paths(lab, "乾燥 -割れ") == ["ja.md"]
    assert paths(lab, "乾燥 -割") == ["ja.md"]
    assert paths(lab, "乾燥 -焼結装置") == ["ja2.md"]


def test_an_excluded_identifier_is_out_in_every_spelling(make: Make) -> None:
    library = make({"a.md": "sample S-1041 broke\n", "b.md": "sample S1041 broke\n", "c.md": "sample S-1042 broke\n"})
    assert paths(library, "broke -S-1041") == ["c.md"]


def test_exclusion_is_by_chunk(make: Make) -> None:
    parts = ["alpha " * 300, "beta " * 300, "alpha gamma " * 200]
    text, blocks = "", []
    for part in parts:
        blocks.append(Block("paragraph", len(text), len(text) + len(part)))
        text += part + "\n\n"
    library = make({"one.md": Reading(text, "One", tuple(blocks), "test/1")})
    found = library.search("alpha -gamma", lane="lexical").hits
    assert found
    assert all("gamma" not in library.show(hit.document).text[hit.start : hit.end] for hit in found)


def test_what_is_left_unread_counts_as_excluded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope, "MOST_READ", 1)
    library = make({"a.md": "焼結体の割れ\n", "b.md": "焼結体の焼結の結体\n", "c.md": "炉の割れ\n"})
    assert "c.md" in paths(library, "割れ -焼結体の割れ")
    assert "a.md" not in paths(library, "割れ -焼結体の割れ")


def test_a_prefix_finds_every_word_that_begins_so(lab: Library) -> None:
    assert paths(lab, "sinter*") == ["kiln.md", "oven.md"]
    assert paths(lab, "S-10*") == ["ids.md"]
    assert paths(lab, "焼結*") == ["ja.md", "ja2.md"]
    assert "zzz" in hints(lab, "zzz* kiln")


def test_a_prefix_counts_once_however_many_words_begin_so(make: Make) -> None:
    library = make(
        {
            "one.md": "The firing went well and nothing else was written down here.\n",
            "all.md": "The fire fired firing fires went well and nothing else here.\n",
        }
    )
    one, every = (
        next(hit.score for hit in library.search("fir*", lane="lexical").hits if hit.path == path)
        for path in ("one.md", "all.md")
    )
    assert every == pytest.approx(one, rel=0.25)


def test_a_mistyped_word_shows_results_for_the_nearest_known_one(lab: Library) -> None:
    assert paths(lab, "sintring kiln") == ["kiln.md", "oven.md"]
    assert "“sintering”" in hints(lab, "monday sintring hours")
    assert paths(lab, "sintring -oven") == ["kiln.md"]


def test_a_word_still_being_typed_shows_what_begins_so(lab: Library) -> None:
    assert paths(lab, "sint") == ["kiln.md", "oven.md"]
    assert "begins with" in hints(lab, "sint")


def test_known_words_short_words_and_identifiers_are_never_changed(lab: Library) -> None:
    assert not hints(lab, "kiln monday")
    assert paths(lab, "S-1O41x GPT-5x") == paths(lab, "gpt")
    assert paths(lab, "kin") == []
    assert not hints(lab, "S-1049")


def test_one_character_is_a_query(lab: Library) -> None:
    assert paths(lab, "庫") == ["ja.md", "ja2.md"]
    assert paths(lab, "置") == ["ja.md"]
    assert "ja.md" in paths(lab, "2")


def test_a_sentence_of_cjk_is_an_or(lab: Library) -> None:
    assert {"ja.md", "ja2.md"} <= set(paths(lab, "乾燥庫の掃除はどのように進めるべきでしょうか"))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("lab") / "lab.inro")
    readings = (
        (path, Reading(text, path, (Block("paragraph", 0, len(text)),), "test/1")) for path, text in LAB.items()
    )
    for _ in library.add_readings("lab", readings, embed=False):
        pass
    return library


PIECES = st.sampled_from(
    [
        "kiln",
        "庫",
        '"',
        "-",
        "*",
        "path:",
        "tag:x",
        "date:2026",
        "field:a>=",
        "field:a=1",
        "source:1",
        " ",
        "(",
        "“",
        "：",
        "-path:?",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=30))
@settings(max_examples=150)
def test_nothing_typed_is_an_error(lab: Library, text: str) -> None:
    result = lab.search(text, lane="lexical")
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))


def test_conditions_hold_for_meaning_too(
    make: Make, give_vectors: Callable[[Library, Callable[[str], NDArray[np.float32]]], None]
) -> None:
    library = make(LAB)

    def direct(text: str) -> NDArray[np.float32]:
        vector = np.array([1.0, len(text) % 7 + 1, len(text) % 5 + 1], np.float32)
        return np.asarray(vector / np.linalg.norm(vector), np.float32)

    give_vectors(library, direct)
    found = library.engine.search('path:ja "焼結"', direct, limit=9, lane="dense", fusion="calibrated").hits
    assert {hit.path for hit in found} == {"ja.md", "ja2.md"}
