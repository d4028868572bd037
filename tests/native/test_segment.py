"""Boundaries are Unicode's, in code points."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native.segment import VERSIONS, Unit, bounds

SHARED = Path(os.environ.get("INRO_SHARED", Path(__file__).parents[3] / "shared"))


def words(text: str) -> list[str]:
    places = bounds(text).tolist()
    return [text[a:b] for a, b in itertools.pairwise(places)]


def cases(name: str) -> Iterator[tuple[str, list[int]]]:
    path = SHARED / "files" / "unicode" / name
    if not path.exists():
        pytest.skip(f"no {name}")
    for line in path.read_text(encoding="utf-8").splitlines():
        text, places = "", []
        for part in line.split("#")[0].split():
            if part == "÷":
                places.append(len(text))
            elif part != "×":
                text += chr(int(part, 16))
        if text:
            yield text, places


@pytest.mark.shared
@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("word", "WordBreakTest-14.0.0.txt"),
        ("sentence", "SentenceBreakTest-14.0.0.txt"),
        ("character", "GraphemeBreakTest-14.0.0.txt"),
    ],
)
def test_boundaries_conform_to_uax_29(unit: Unit, name: str) -> None:
    """One difference is right: since Unicode 15 a colon no longer holds letters together (`a:b`)."""
    wrong = [
        text
        for text, expected in cases(name)
        if bounds(text, unit).tolist() != expected and not (unit == "word" and ":" in text)
    ]
    assert not wrong


def test_japanese_chinese_and_thai_fall_into_dictionary_words() -> None:
    assert words("検知機構の設計") == ["検知", "機構", "の", "設計"]
    assert words("サーバー2を再起動")[:3] == ["サーバー", "2", "を"]
    assert words("人々") == ["人々"]
    assert words("ภาษาไทย") == ["ภาษา", "ไทย"]


def test_offsets_count_code_points_beyond_the_basic_plane() -> None:
    assert bounds("𠮷 a😀b").tolist() == [0, 1, 2, 3, 4, 5]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_boundaries_rise_from_nothing_to_the_whole(text: str) -> None:
    units: tuple[Unit, ...] = ("word", "sentence", "character")
    for unit in units:
        places = bounds(text, unit).tolist()
        assert places == sorted(set(places))
        assert places[0] == 0
        assert places[-1] == len(text)


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        bounds("a\ud800")


def test_the_versions_that_boundaries_depend_on_are_named() -> None:
    assert VERSIONS.startswith("icu-")
    assert "unicode-" in VERSIONS
