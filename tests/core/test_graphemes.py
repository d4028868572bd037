"""Cuts never fall inside what a reader sees as one character."""

from __future__ import annotations

import icu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.graphemes import is_boundary, safe_cut


def boundaries(text: str) -> set[int]:
    """Grapheme cluster boundaries by ICU, in code points."""
    string = icu.UnicodeString(text)
    iterator = icu.BreakIterator.createCharacterInstance(icu.Locale.getRoot())
    iterator.setText(string)
    found = {0}
    for units in iterator:
        found.add(len(text.encode("utf-16-le", "surrogatepass")[: units * 2].decode("utf-16-le", "surrogatepass")))
    return found


PIECES = [
    *("a", "。", "漢", "か\u3099", "e\u0301\u0323", "👩‍👩‍👧", "🇯🇵", "🇯", "👍🏽", "각", "ᄀ", "ᅡ", "ᆨ", "葛\U000e0100"),
    *("ﾊ", "ﾞ", "क्ष", "नि", "ำ", "ก", "\u200d", "\u200b", "\r\n", "\n", "\u0600", "\U000110bd", "❤️", "1️⃣"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_every_allowed_cut_is_a_boundary_by_unicode(text: str) -> None:
    allowed = boundaries(text)
    for at in range(1, len(text)):
        if is_boundary(text, at):
            assert at in allowed


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=40).map("".join), st.data())
def test_a_cut_moves_on_and_stays_inside(text: str, data: st.DataObject) -> None:
    wanted = data.draw(st.integers(1, len(text)))
    cut = safe_cut(text, 0, wanted, len(text))
    assert 0 < cut <= len(text)
    assert is_boundary(text, cut)


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("word another words", 15, 13),
        ("あ。いうえおかきくけ", 9, 9),
        ("aaaaaaaaaa", 5, 5),
        ("e" + "\u0301" * 8 + "x", 4, 9),
    ],
)
def test_a_cut_prefers_the_end_of_a_word_nearby(text: str, wanted: int, expected: int) -> None:
    assert safe_cut(text, 0, wanted, len(text)) == expected
