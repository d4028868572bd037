"""What a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.answer.question import alike, fits, language, read


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("When was the furnace serviced?", "when"),
        ("In what year did it open?", "when"),
        ("炉の点検はいつですか？", "when"),
        ("何年に設立された？", "when"),
        ("会议是什么时候开的？", "when"),
        ("How many samples are there?", "quantity"),
        ("At what temperature is it dried?", "quantity"),
        ("試料は何個ありますか", "quantity"),
        ("乾燥時間はどのくらい？", "quantity"),
        ("一共有多少人？", "quantity"),
        ("Who wrote the report?", "who"),
        ("報告書を書いたのは誰？", "who"),
        ("谁写了报告？", "who"),
        ("Where is the desiccator?", "where"),
        ("乾燥庫はどこにありますか", "where"),
        ("干燥箱在哪里？", "where"),
        ("Why did it crack?", "why"),
        ("なぜ割れたのか", "why"),
        ("为什么会裂开？", "why"),
        ("How do I clean the chamber?", "how"),
        ("洗浄の手順を教えてください", "how"),
        ("如何清洗？", "how"),
        ("What is the sample ID?", "what"),
        ("試料の名前は何？", "what"),
        ("炉の温度", "what"),
    ],
)
def test_the_kind_is_told_from_the_words(text: str, kind: str) -> None:
    assert read(text).kind == kind


def test_the_asking_words_are_told_from_the_subject() -> None:
    text = "乾燥時間は何時間ですか？"
    asking = "".join(text[a:b] for a, b in read(text).asking)
    assert "何時間" in asking and "乾燥" not in asking


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("いつ点検した？", "2026年4月12日に点検した。", "毎回きちんと点検した。"),
        ("When was S-1041 made?", "S-1041 was made on 3 May 2026.", "S-1041 was made with care."),
        ("何個ある？", "全部で３個ある。", "全部そろっている。"),
        ("How long is it dried?", "It is dried for 48 hours.", "It is dried in the oven."),
        ("一共有多少人？", "一共有五百人。", "人都到了。"),
        ("参加者は何人？", "参加者は12人だった。", "会議は3時に始まった。"),
        ("炉の温度は？", "炉は 420 °C に保つ。", "炉は 204 号室にある。"),
        ("保持は何分？", "5 分保持する。", "3 回くり返す。"),
        ("What humidity is allowed?", "Up to 20 % is fine.", "It has been so for 3 years."),
        ("为什么会裂？", "因为太干燥。", "它在架子上。"),
    ],
)
def test_a_sentence_that_has_what_is_asked_fits_better(question: str, right: str, wrong: str) -> None:
    asked = read(question)
    assert fits(asked, right) > fits(asked, wrong)


def test_repeating_the_questions_own_date_or_number_answers_nothing() -> None:
    assert fits(read("2026年4月12日の会議はいつ終わった？"), "2026年4月12日に会議があった。") == 0
    assert fits(read("How many of the 12 samples broke?"), "There were 12 samples.") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How long?", "en"),
        ("乾燥時間はどのくらい", "ja"),
        ("干燥时间多长", "zh"),
        ("건조 시간은?", "ko"),
        ("S-1041の乾燥時間は?", "ja"),
        ("The Japanese word 乾燥庫 means desiccator", "en"),
        ("", "en"),
    ],
)
def test_the_language_is_told_by_script(text: str, expected: str) -> None:
    assert language(text) == expected


def test_a_text_in_kanji_alone_may_be_either() -> None:
    assert alike(language("乾燥時間"), language("乾燥時間は48時間"))
    assert not alike("en", "ja")


@given(st.text(), st.text())
def test_any_text_can_be_read(question: str, sentence: str) -> None:
    asked = read(question)
    assert all(0 <= a < b <= len(question) for a, b in asked.asking)
    assert 0 <= fits(asked, sentence) <= 1
