"""The sentences chosen for an answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.answer.evidence import Evidence, Passage
from inro.answer.extract import Extract, extract
from inro.answer.question import read
from inro.answer.relevance import query_terms
from inro.text.analyse import Analyser

MakePassage = Callable[..., Passage]
MakeEvidence = Callable[..., Evidence]

OVEN = (
    "The vacuum oven stands in room 204. Samples are dried in it for 48 hours at 80 °C. "
    "It was serviced on 3 May 2026 by Tanaka. Ask before you open it."
)
KILN = (
    "焼結炉は第二実験棟にある。昇温速度は毎分5℃である。焼結は1,450℃で2時間行う。"
    "前回の点検は2026年4月12日に行った。点検は鈴木さんが担当した。"
)
BOX = "干燥箱在三楼的实验室里。样品需要干燥四十八小时。干燥温度是八十摄氏度。李伟负责管理。"


def extracted(question: str, evidence: Evidence, analyser: Analyser, limit: int = 4) -> Extract:
    asked = read(question)
    return extract(asked, query_terms(asked, analyser, evidence.weigh), evidence.passages, analyser, limit=limit)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How long are samples dried in the vacuum oven?", "48 hours"),
        ("When was the vacuum oven serviced?", "3 May 2026"),
        ("Where is the vacuum oven?", "room 204"),
        ("焼結炉の前回の点検はいつですか？", "2026年4月12日"),
        ("焼結は何度で行う？", "1,450℃"),
        ("点検を担当したのは誰？", "鈴木"),
        ("样品需要干燥多长时间？", "四十八小时"),
        ("谁负责管理干燥箱？", "李伟"),
    ],
)
def test_the_sentence_that_answers_is_the_best_one(
    question: str, wanted: str, passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    found = extracted(question, evidence(passage(OVEN), passage(KILN), passage(BOX)), analyser)
    best = max(found.excerpts, key=lambda e: e.score)
    assert wanted in best.text


def test_sentences_are_verbatim_and_in_order(passage: MakePassage, evidence: MakeEvidence, analyser: Analyser) -> None:
    pool = evidence(passage(KILN), passage(OVEN))
    found = extracted("焼結炉の点検と焼結の温度", pool, analyser)
    assert len(found.excerpts) > 1
    places = [(e.passage, e.start) for e in found.excerpts]
    assert places == sorted(places)
    for e in found.excerpts:
        assert pool.passages[e.passage].text[e.start : e.end] == e.text


def test_no_more_sentences_than_asked_for(passage: MakePassage, evidence: MakeEvidence, analyser: Analyser) -> None:
    pool = evidence(passage("The oven is hot. The oven is red. The oven is big. The oven is old."))
    assert len(extracted("the oven", pool, analyser, limit=2).excerpts) == 2
    assert len(extracted("the oven", pool, analyser, limit=1).excerpts) == 1


def test_the_same_sentence_in_two_documents_is_quoted_once(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    text = "Samples are dried for 48 hours."
    found = extracted("How long are samples dried?", evidence(passage(text), passage(text)), analyser)
    assert [e.passage for e in found.excerpts] == [0]


def test_a_subject_that_only_the_title_names_counts(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    pool = evidence(
        passage("It was founded in 1921.", "Chess club"),
        passage("It was founded in 1875.", "Zeppelin works"),
    )
    found = extracted("When were the Zeppelin works founded?", pool, analyser)
    assert "1875" in max(found.excerpts, key=lambda e: e.score).text
    assert found.window > 0.6


def test_a_pinned_passage_is_preferred(passage: MakePassage, evidence: MakeEvidence, analyser: Analyser) -> None:
    row = "S-1041 has a density of 3.95 g/cm3."
    pool = evidence(passage("S-1042 has a density of 3.90 g/cm3."), passage(row, pinned=True))
    assert extracted("What density does S-1041 have?", pool, analyser, limit=1).excerpts[0].text == row


def test_a_sentence_that_names_another_thing_is_not_quoted(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    text = "S-1041 has a density of 3.95. S-1042 has a density of 3.90. S-1041 and S-1043 were sintered. It is dense."
    found = extracted("What density does S-1041 have?", evidence(passage(text, pinned=True)), analyser)
    quoted = [e.text for e in found.excerpts]
    assert max(found.excerpts, key=lambda e: e.score).text == "S-1041 has a density of 3.95."
    assert not any("S-1042" in q for q in quoted)
    unknown = extracted("What density does S-1099 have?", evidence(passage(text)), analyser)
    assert any("S-1042" in e.text for e in unknown.excerpts), "where nothing is named, nothing is left out"


def test_a_heading_names_what_is_asked_for_and_is_no_answer(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    text = "# S-1042 の放電プラズマ焼結\n\n圧力は 50 MPa、保持は 5 分。\n\n## 保持時間\n\n前回と同じとした。"
    found = extracted(
        "S-1042の保持時間は？", evidence(passage(text, "S-1042 の放電プラズマ焼結", pinned=True)), analyser
    )
    assert "5 分" in max(found.excerpts, key=lambda e: e.score).text
    assert not any("S-1042" in e.text or e.text.startswith("#") for e in found.excerpts)


def test_what_stands_under_a_title_that_names_the_thing_is_about_it(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    other = "Contacts were cut from S-1041 with a saw."
    pool = evidence(passage("It was pressed at 50 MPa.", "Sintering of S-1041"), passage(other, "Contacts"))
    best = max(extracted("What pressure was used for S-1041?", pool, analyser).excerpts, key=lambda e: e.score)
    assert "50 MPa" in best.text


def test_being_about_the_named_thing_makes_no_sentence_an_answer(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    text = "The pressure was 50 MPa. It was dark grey outside. Later it was cut."
    pool = evidence(passage(text, "Sintering of S-1041", pinned=True))
    found = extracted("What pressure was used for S-1041?", pool, analyser)
    assert [e.text for e in found.excerpts] == ["The pressure was 50 MPa."]


def test_the_line_under_a_tables_head_is_no_sentence(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    found = extracted("the oven", evidence(passage("| oven | room |\n|---|---|\n| oven | 204 |")), analyser, limit=9)
    assert all(any(map(str.isalnum, e.text)) for e in found.excerpts)


def test_the_window_tells_how_much_of_the_question_is_there(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    pool = evidence(passage(OVEN))
    here = extracted("How long are samples dried in the vacuum oven?", pool, analyser)
    not_here = extracted("How much did the quantum gyroscope cost?", pool, analyser)
    assert here.window > 0.7 > 0.3 > not_here.window


def test_the_subject_is_what_the_question_names_first(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    pool = evidence(
        passage("オランダの公式の英語表記はネザーランドである。"), passage("ラオスの首都はビエンチャンである。")
    )
    named = extracted("オランダの公式の英語表記は何？", pool, analyser)
    other = extracted("ラオスの公式の英語表記は何？", pool, analyser)
    assert named.subject == pytest.approx(1.0)
    assert other.subject < named.subject
    assert named.passage >= named.window > other.window


def test_a_whole_passage_holds_what_far_apart_sentences_hold(
    passage: MakePassage, evidence: MakeEvidence, analyser: Analyser
) -> None:
    text = "The vacuum oven is new. It is grey. It is tall. It came late. Its door is heavy. The gasket is red."
    found = extracted("vacuum oven gasket", evidence(passage(text)), analyser)
    assert found.passage == pytest.approx(1.0)
    assert found.window < 0.9


def test_across_languages_meaning_decides(passage: MakePassage, evidence: MakeEvidence, analyser: Analyser) -> None:
    """No word is shared; the sentence vectors say which one is meant."""
    pool = evidence(passage(KILN), vector=np.array([1.0, 0.0], np.float32))

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        angle = [0.2 if "昇温速度" in t else 1.2 for t in texts]
        return np.array([[np.cos(a), np.sin(a)] for a in angle], np.float32)

    asked = read("What heating is used?")
    terms = query_terms(asked, analyser, pool.weigh)
    found = extract(asked, terms, pool.passages, analyser, embed=embed, vector=pool.question_vector)
    assert "昇温速度" in max(found.excerpts, key=lambda e: e.score).text


@pytest.mark.parametrize("text", ["", " \n ", "\ud800\0", "。" * 50, "a" * 100_000])
def test_any_passage_can_be_read(text: str, passage: MakePassage, evidence: MakeEvidence, analyser: Analyser) -> None:
    for question in ("How long?", "", "？？", "いつ"):
        found = extracted(question, evidence(passage(text)), analyser)
        assert 0 <= found.window <= 1


def test_nothing_comes_of_no_passages(evidence: MakeEvidence, analyser: Analyser) -> None:
    assert extracted("When?", evidence(), analyser) == Extract((), 0.0, 0.0, 0.0)
