"""Mail addresses, telephone numbers and chosen names are masked; dates, standards and measures are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.shelves.masking import masked, names_of


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("Write to jane.doe@lab.example.", "Write to [mail]."),
        ("連絡先：ｙａｍａｄａ＠ｌａｂ．ｊｐまで", "連絡先：[mail]まで"),
        ("電話は03-1234-5678です。", "電話は03-1234-5678です。".replace("03-1234-5678", "[phone]")),
        ("０９０－１２３４－５６７８", "[phone]"),
        ("(03) 1234-5678", "[phone]"),
        ("Call +44 20 7946 0958, or (212) 555-0123", "Call [phone], or [phone]"),
        ("手机 13812345678", "手机 [phone]"),
    ],
)
def test_what_is_personal_is_masked(text: str, safe: str) -> None:
    assert masked(text) == safe


@pytest.mark.parametrize(
    "text",
    ["2026-04-12", "2026-04-12 10:30", "JIS C 0920-2003", "0.1-0.3 MPa", "ISO 9001-2015", "K-204", "900 °C", "10-15 %",
     "3.1415926535", "S-1041", "1,234,567-890", "0 5 10 15", "v1.2.3@main"],
)  # fmt: skip
def test_what_is_not_personal_stays(text: str) -> None:
    assert masked(text) == text


def test_names_are_masked_however_they_are_set() -> None:
    names = names_of("山田 太郎, Jane Doe、Li")
    assert names == ("山田 太郎", "Jane Doe", "Li")
    assert masked("山田太郎と山田　太郎とjane  doe。Lithium is no Li.", names) == (
        "[name]と[name]と[name]。Lithium is no [name]."
    )


@given(st.text(alphabet="ab @.0159-+()０９＠山 ", max_size=60))
def test_a_second_masking_changes_nothing(text: str) -> None:
    once = masked(text, ("山",))
    assert masked(once, ("山",)) == once
