"""Sentences: spans that say one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.sentences import sentences

ALPHABET = "今日は晴。！？「」（） Fig. 3 e.g. Dr.\n\n- #|:1.AbC.\"'…．\u3000\r\f"
texts = st.text(alphabet=st.one_of(st.sampled_from(ALPHABET), st.characters(codec=None)), max_size=80)


def split(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences(text)]


@given(texts)
def test_spans_are_ordered_disjoint_not_blank_and_cover_all_that_is_not_blank(text: str) -> None:
    covered = [False] * len(text)
    previous = 0
    for start, end in sentences(text):
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        covered[start:end] = [True] * (end - start)
        previous = end
    assert all(is_covered or c.isspace() for c, is_covered in zip(text, covered, strict=True))


@pytest.mark.parametrize(
    "expected",
    [
        ["今日は晴れ。", "明日は雨！", "本当？", "はい"],
        ["明日は雨！", "「はい。」と言った。", "終わり。"],
        ["彼は「行く。」と言った。", "（後で。）", "来た。"],
        ["我来了。", "你呢？", "“好。”", "他说。"],
    ],
)
def test_full_width_stops_end_a_sentence_with_the_quotes_they_close(expected: list[str]) -> None:
    assert split("".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["The pressure is 0.3 MPa.", "It rises."],
        ["See Fig. 3 and Eq. (4).", "Then stop."],
        ["Metals, e.g. Copper, are soft.", "So is i.e. Lead."],
        ["Dr. A. Smith et al. (2020) left.", "Who?", "Nobody!"],
        ['He said "Go."', "Then he left."],
        ["No. 5 is here.", "No.", "It is not."],
        ["Version 2026.4.10 is out.", "Get it."],
    ],
)
def test_a_full_stop_inside_a_number_or_after_an_abbreviation_ends_nothing(expected: list[str]) -> None:
    assert split(" ".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["# Heading", "Body text"],
        ["intro", "- item one", "- item two"],
        ["1. first", "2. second"],
        ["・一つ", "・二つ"],
        ["| a | b |", "| c | d |"],
        ["Name: X", "Phone: Y"],
        ["日時：今日", "場所：ここ"],
        ["第1条 目的", "第2条 定義"],
    ],
)
def test_lines_that_begin_something_are_sentences_of_their_own(expected: list[str]) -> None:
    assert split("\n".join(expected)) == expected


def test_a_blank_line_ends_a_sentence() -> None:
    assert split("見出し\n\n本文が続く\n \n終わり") == ["見出し", "本文が続く", "終わり"]


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    assert split("検知\n機構は動く。次。") == ["検知\n機構は動く。", "次。"]
    wrapped = "This line of prose was wrapped at the margin by an editor\nand goes on until here. Then more"
    assert split(wrapped) == [wrapped[:81], "Then more"]


def test_a_line_far_shorter_than_its_neighbours_was_not_wrapped() -> None:
    long = "This line of prose is as wide as lines are in this paragraph"
    assert split(f"Short title\n{long}") == ["Short title", long]


def test_nothing_has_no_sentences() -> None:
    assert sentences("") == []
    assert sentences(" \n\u3000\n") == []
