"""Numbers, quantities and dates: what is the same and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.answer.numerals import kanji_value
from inro.answer.values import supports, values


def stated(claim: str, source: str) -> bool:
    """Whether all values of the claim, of which there must be one, are in the source."""
    claims = values(claim).all
    assert claims, f"no value seen in {claim!r}"
    return all(supports(c, values(source, liberal=True)) for c in claims)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("300 kPa", "圧力は0.3 MPaとした。"),
        ("0.3 MPa", "300kPa"),
        ("三十個", "30"),
        ("30", "三十"),
        ("12", "１２本"),
        ("１，２００", "1200"),
        ("1,200 g", "1.2 kg"),
        ("48 hours", "48時間乾燥した"),
        ("two days", "48 h"),
        ("2.5 million dollars", "$2,500,000"),
        ("3万5千円", "35,000円"),
        ("¥35,000", "3.5万円"),
        ("1.2×10⁻³ Pa", "0.0012 Pa"),
        ("10–20 °C", "between 10 °C and 20 °C"),
        ("25 °C", "298.15 K"),
        ("1社", "一社のみ"),
        ("第1回", "第一回"),
        ("1 of", "one of the ovens"),
        ("0042", "code 0042"),
        ("2019年-2020年", "2019年から2020年"),
        ("-20 °C", "−20℃の冷凍庫"),
        ("25%", "25 percent"),
        ("3割", "30%"),
        ("0.3 MPa", "| 圧力 (MPa) | 0.3 |"),
        ("five hundred", "500 people"),
        ("twenty-five samples", "25 samples"),
        ("五百人", "500人"),
        ("三個", "three samples"),
        ("12 April 2026", "2026-04-12"),
        ("April 12, 2026", "2026年4月12日"),
        ("2026/4/12", "12th of April 2026"),
        ("令和8年4月", "2026-04-12"),
        ("二〇二六年四月", "2026-04-12"),
        ("April 2026", "2026/04/12 09:30"),
        ("1674年", "一六七四年"),
        ("in 2004", "2004年3月1日"),
        ("昭和64年", "1989年"),
        ("4月12日", "2026-04-12"),
        ("5μL", "5 µL"),
        ("12.04.2026", "2026年4月12日"),
        ("4/12/2026", "2026-04-12"),
        ("4/12/2026", "2026年12月4日"),
        ("half an hour", "30 minutes"),
        ("1時間半", "90分"),
        ("2時間30分", "150分"),
        ("2 hours and 30 minutes", "2.5 h"),
        ("1h30min", "90 min"),
        ("一个半小时", "90分钟"),
        ("30分", "2時間30分"),
        ("15:30", "午後3時30分"),
        ("3:30 p.m.", "15:30"),
        ("12:05 am", "午前0時5分"),
        ("下午三点", "15:00"),
        ("半年", "6か月"),
        ("1年半", "18か月"),
        ("20 °C", "68 °F"),
        ("3割5分", "35%"),
        ("百分之五", "5%"),
        ("二分之一", "0.5"),
        ("三分の一", "1/3"),
        ("1/2", "0.5"),
        ("3e-3 Pa", "3×10^-3 Pa"),
        ("1990s", "1990年代"),
        ("minus 5 °C", "-5 °C"),
        ("マイナス5度", "-5℃"),
        ("零下5度", "-5 °C"),
        ("5 mg/mL", "5 g/L"),
        ("第三章", "第3章"),
    ],
)
def test_the_same_value_in_another_form_is_found(claim: str, source: str) -> None:
    assert stated(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("30", "29.7"),
        ("0.3 MPa", "0.3 kPa"),
        ("0.3 MPa", "3 MPa"),
        ("48 hours", "48 minutes"),
        ("25 °C", "25 K"),
        ("12 April 2026", "2026-04-13"),
        ("April 2026", "May 2026"),
        ("4月12日", "12月4日"),
        ("三十", "三百"),
        ("-20 °C", "20 °C"),
        ("2005", "2004年3月1日"),
        ("35,000円", "35,000ドル"),
        ("1 000 001", "1,000,000"),
        ("5 °C", "minus 5 °C"),
        ("minus 5 °C", "5 °C"),
        ("2時間30分", "2時間"),
        ("2時間", "1時間半"),
        ("午後3時30分", "3:30"),
        ("15:30", "15:45"),
        ("百分之五", "5"),
        ("1/3", "0.5"),
        ("5.4.2026", "2026-04-06"),
        ("1社", "工業の一角を占める"),
        ("1月", "雨季の一種である"),
        ("1 kiln", "one of the ovens"),
        ("0002", "2000 samples, of which 2 broke"),
        ("04公分", "4公分"),
        ("2007年111月14日", "2007年11月14日"),
        ("気温は-5度", "気温は5度"),
    ],
)
def test_another_value_is_not_found(claim: str, source: str) -> None:
    assert not stated(claim, source)


@pytest.mark.parametrize("text", ["一般に言えば", "三角形の", "no numbers here", "十分に乾かす", "one of them"])
def test_numerals_inside_words_are_no_claim(text: str) -> None:
    assert values(text).numbers == ()


@given(st.integers(0, 10**12 - 1))
def test_kanji_numerals_are_read_by_place_and_by_word(n: int) -> None:
    by_place = "".join("〇一二三四五六七八九"[int(d)] for d in str(n))
    assert kanji_value(by_place) == n
    assert kanji_value(in_words(n)) == n


def in_words(n: int) -> str:
    """The usual spelling: 三千五十, 一万二千."""
    if n == 0:
        return "零"
    text = ""
    for unit, name in ((10**8, "億"), (10**4, "万"), (1, "")):
        part = n // unit % 10**4
        if part:
            for ten, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
                digit = part // ten % 10
                if digit:
                    text += ("" if digit == 1 and sign else "〇一二三四五六七八九"[digit]) + sign
            text += name
    return text


@given(st.integers(0, 10**15), st.sampled_from(["{:d}", "{:,d}"]))
def test_digits_are_read_with_and_without_separators(n: int, form: str) -> None:
    (number,) = values(form.format(n)).numbers
    assert number.value == n


@given(st.integers(0, 10**9))
def test_a_quantity_equals_itself_in_the_thousandth_unit(thousandths: int) -> None:
    assert stated(f"{thousandths // 1000}.{thousandths % 1000:03d} kPa", f"{thousandths} Pa")


@given(st.text())
def test_any_text_can_be_read_and_spans_point_at_it(text: str) -> None:
    for liberal in (False, True):
        found = values(text, liberal=liberal)
        assert len(found.text) == len(text)
        for value in found.all:
            assert found.text[value.start : value.end] == value.text
