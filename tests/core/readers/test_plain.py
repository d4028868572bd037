"""Plain text, source code and tables of delimited values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.readers import csv, plain, source
from inro.records import Block


def headings(text: str) -> list[tuple[int, str]]:
    return [(b.level, b.label) for b in plain.text_blocks(text) if b.kind == "heading"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第1章　総則\n\n本文である。\n", [(1, "第1章　総則")]),
        ("第三節 乾燥\n本文である。\n", [(2, "第三節 乾燥")]),
        ("■ 目的\n試料を乾燥する。\n", [(2, "目的")]),
        ("【注意】\n触らないこと。\n", [(2, "注意")]),
        ("1. はじめに\n\n本文。\n\n1.2 背景\n\n本文。\n", [(1, "1. はじめに"), (2, "1.2 背景")]),
        ("Title of it\n===========\nbody\n", [(1, "Title of it")]),
        (
            "####\nBook\n####\n\nOne\n===\n\nDeep\n~~~~\ntext\n\nTwo\n===\n",
            [(1, "Book"), (2, "One"), (3, "Deep"), (2, "Two")],
        ),
        ("夏季休業の連絡\n\n■ 期間\n八月十日から。\n", [(1, "夏季休業の連絡"), (2, "期間")]),
        ("Chapter 3: Furnaces\n\nbody\n", [(1, "Chapter 3: Furnaces")]),
    ],
)
def test_lines_shaped_like_headings_are_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "■ りんご\n■ みかん\n■ ぶどう\n",
        "第1章では、装置の概要を述べる。\n",
        "3 ml of water was added\n\nthen more\n",
        "1. first thing to do.\n2. second thing to do.\n",
        "Part 9 of the standard says so.\n",
        "長い文が続いていて、句点で終わる普通の段落である。\n次の行。\n",
        "---\n\n---\n",
        "only line\n",
        "山路を登りながら、こう考えた。\n\n智に働けば角が立つ。\n",
        "two lines\ntogether\n\nthen more.\n",
        "lower case words\n\nthen more.\n",
    ],
)
def test_lists_sentences_and_quantities_are_no_headings(text: str) -> None:
    assert headings(text) == []


def test_headers_at_the_top_become_fields() -> None:
    reading = plain.read(b"Title: Furnace log\nDate: 2026-04-01\n\nBody text.\n", "log.txt")
    assert reading.title == "Furnace log"
    assert reading.fields["date"] == ("2026-04-01",)


@given(st.text(st.sampled_from("ab1.■第章【】=-:： \n\t日本語。"), max_size=200))
def test_blocks_of_plain_text_cover_it(text: str) -> None:
    assert_covers(text, plain.text_blocks(text))


@given(st.text(st.sampled_from('ab,"\n\t;{}() '), max_size=200))
def test_blocks_of_tables_and_code_cover_them(text: str) -> None:
    reading = csv.read(text.encode(), "a.csv")
    assert_covers(reading.text, reading.blocks)
    assert all(reading.text.count(c) >= text.count(c) for c in "ab(){}")
    assert_covers(text, source.read(text.encode(), "a.py").blocks)


def assert_covers(text: str, blocks: tuple[Block, ...]) -> None:
    at = 0
    for block in blocks:
        assert at <= block.start < block.end <= len(text)
        at = block.end
    covered = "".join(text[b.start : b.end] for b in blocks)
    assert "".join(covered.split()) == "".join(text.split())


def test_each_record_of_a_table_names_its_columns() -> None:
    text = 'id,note\n1,"first\nsecond"\n2,plain\n3,\n'
    reading = csv.read(text.encode(), "a.csv")
    assert reading.fields["columns"] == ("id", "note")
    assert reading.text == "id | note\nid: 1 | note: first second\nid: 2 | note: plain\nid: 3"


def test_a_table_of_bare_numbers_is_kept_as_written_and_no_record_is_cut() -> None:
    text = 'id,value\n1,"2\n3"\n2,7\n3,8\n'
    reading = csv.read(text.encode(), "a.csv")
    assert reading.text == text
    assert reading.fields["columns"] == ("id", "value")
    assert [text[b.start : b.end] for b in reading.blocks] == ["id,value", '1,"2\n3"', "2,7\n3,8"]


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_file() -> None:
    text = 'a,b\n1,"open\n' + "2,x\n" * 40000
    assert csv.read(text.encode(), "a.csv").text == text
    words = 'name,note\nx,"open\n' + "y,z\n" * 300
    assert csv.read(words.encode(), "a.csv").text == words
    assert csv.delimiter_of("a;b;c\n1;2,5;3\n") == ";"


def test_a_function_stays_together_and_indentation_is_kept() -> None:
    text = "import os\n\n\ndef one():\n    a = 1\n\n    return a\n\n\ndef two():\n    pass\n"
    pieces = [text[b.start : b.end] for b in source.read(text.encode(), "src/a.py").blocks]
    assert pieces == ["import os", "def one():\n    a = 1\n\n    return a", "def two():\n    pass"]
    assert source.read(text.encode(), "src/a.py").title == "a.py"
