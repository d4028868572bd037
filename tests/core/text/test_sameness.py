"""Copies are told from rows of a table: by what differs, not by how much."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.sameness import same

PROSE = (
    "The drying oven is heated to the set point before the first tray goes in, and the door stays closed for the whole "
    "run. When the tray comes out it is weighed at once, since the powder takes water from the air within minutes. "
    "The balance is read twice and the mean of both readings goes into the book together with the time of day."
)
NOTE = "試料は乾燥庫に入れる前に外側の水分を拭き取り、シリカゲルの色を確かめてから棚に置く。扉は静かに閉める。" * 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PROSE, PROSE),
        (PROSE, PROSE.replace(", ", ",\n").replace("oven", "**oven**")),
        (PROSE, PROSE.replace("weighed at once", "weighed straight away")),
        (PROSE, "> " + PROSE.replace(". ", ".\n> ")),
        (PROSE, PROSE.replace("readings", "read-\nings")),
        (NOTE, NOTE.replace("、", "，\n")),
        (NOTE, NOTE.replace("に入れる前に外側の", "へ入れる前に外側の", 1)),
        ("ＡＢＣ　１２３", "ABC 123"),
        ("カタカナ", "ｶﾀｶﾅ"),
        ("", ""),
    ],
)
def test_what_is_set_in_another_way_is_the_same(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("S-1041", "S-1042"),
        ("1.5 mm", "15 mm"),
        ("-5 °C", "5 °C"),
        ("温度-5", "温度5"),
        ("≤ 5 Pa", "≥ 5 Pa"),
        ("5 %", "5 ‰"),
        ("10:30", "10:31"),
        ("type a", "type b"),
        ("Tanaka", "Suzuki"),
        ("HCl", "HBr"),
        ("第十八条", "第十九条"),
        ("田中", "鈴木"),
        ("アルミ", "チタン"),
        ("使う", "使わない"),
        ("加熱する", "加熱しません"),
        ("可以打开", "不可打开"),
        ("it is safe", "it is not safe"),
        ("it can be opened", "it can't be opened"),
        ("the stable form", "the unstable form"),
        ("один", "два"),
    ],
)
@pytest.mark.parametrize("frame", ["{}", PROSE + " {}", PROSE + " {} " + PROSE, NOTE + "{}。" + NOTE])
def test_one_number_name_or_negation_tells_texts_apart_however_much_they_share(
    one: str, other: str, frame: str
) -> None:
    assert not same(frame.format(one), frame.format(other))


def test_another_text_is_another() -> None:
    assert not same(PROSE, PROSE[: len(PROSE) // 2])
    assert not same(PROSE, "")
    assert not same(PROSE, PROSE.replace("drying oven", "vacuum chamber").replace("powder", "paste") + " it is done.")


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from([PROSE, NOTE]))
def test_no_two_rows_that_differ_in_a_number_are_the_same(one: int, other: int, around: str) -> None:
    assert same(f"| {one} | {around} |", f"| {other} | {around} |") == (one == other)


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_can_be_compared_both_ways(one: str, other: str) -> None:
    assert same(one, one)
    assert same(one, other) == same(other, one)
