"""Han characters that count as one: what each setting joins, and what none of them may do to a character."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native import chars, folding, han, kanji
from inro_native.han import Meeting, forms
from inro_native.names import NUMERALS

MEETINGS: tuple[Meeting, ...] = get_args(Meeting)
every = pytest.mark.parametrize("meeting", MEETINGS)
points = st.lists(st.one_of(st.characters(codec=None), st.sampled_from("國国檢検检齒歯齿髮發发髙高弁辯")).map(ord)).map(
    lambda found: np.array(found, np.uint32)
)


def meet(meeting: Meeting, characters: str) -> bool:
    return np.unique(forms(meeting)[chars.code_points(characters)]).size == 1


@pytest.mark.parametrize(
    ("characters", "meetings"),
    [
        ("國国", {"simplified", "shinjitai", "all"}),
        ("檢检", {"simplified", "all"}),
        ("檢検", {"shinjitai", "all"}),
        ("検检", {"all"}),
        ("齒歯", {"shinjitai", "all"}),
        ("齒歯齿", {"all"}),
        ("髙高", {"shinjitai", "all"}),
        ("﨑崎", {"shinjitai", "all"}),
        ("𠮷吉", {"shinjitai", "all"}),
        ("發髮发", {"simplified", "all"}),
        ("辨瓣辯弁", {"shinjitai", "all"}),
        ("说説說", {"simplified", "all"}),
        ("高吉", set()),
        ("日曰", set()),
    ],
)
def test_forms_meet_only_where_it_is_asked_for(characters: str, meetings: set[Meeting]) -> None:
    assert {meeting for meeting in MEETINGS if meet(meeting, characters)} == meetings


def test_what_meets_anywhere_meets_when_all_do() -> None:
    everything = forms("all")
    for meeting in MEETINGS:
        table = forms(meeting)
        assert (everything[table] == everything).all()


@every
def test_a_form_that_was_folded_stays(meeting: Meeting) -> None:
    table = forms(meeting)
    assert (table[table] == table).all()
    assert not table.flags.writeable


@every
def test_only_ideographs_change_and_into_ideographs(meeting: Meeting) -> None:
    table, classes = forms(meeting), chars.classes()
    changed = np.flatnonzero(table != np.arange(table.size))
    assert (classes[changed] == chars.HAN).all()
    assert (classes[table[changed]] == chars.HAN).all()


@every
def test_the_numerals_and_the_sign_of_ordinals_are_left_alone(meeting: Meeting) -> None:
    known = np.append(NUMERALS, chars.code_points("第"))
    assert (forms(meeting)[known] == known).all()


@every
def test_normalisation_and_folding_do_not_undo_each_other(meeting: Meeting) -> None:
    table = forms(meeting)
    for point in np.flatnonzero(table != np.arange(table.size)).tolist():
        assert folding.normalise(chr(table[point])) == chr(table[point])


def test_simplified_forms_stand_for_the_traditional_and_new_forms_for_the_old() -> None:
    assert [chr(c) for c in forms("simplified")[chars.code_points("國檢齒龍發")]] == list("国检齿龙发")
    assert [chr(c) for c in forms("shinjitai")[chars.code_points("國檢齒龍發")]] == list("国検歯竜発")


def test_each_old_form_has_one_new_form_that_is_itself_no_old_one() -> None:
    groups = f"{kanji.JOYO} {kanji.OTHERS}".split()
    old = [character for group in groups for character in group[:-1]]
    assert len(old) == len(set(old))
    assert not set(old) & {group[-1] for group in groups}
    assert all(folding.normalise(character) == character for group in groups for character in group)


@every
@given(points)
def test_the_key_form_keeps_its_length_and_is_its_own_key_form(meeting: Meeting, points: np.ndarray) -> None:
    keyed = folding.key_form(points, meeting)
    assert keyed.shape == points.shape
    assert keyed.dtype == np.uint32
    assert (folding.key_form(keyed, meeting) == keyed).all()


def test_another_way_to_meet_is_refused() -> None:
    with pytest.raises(ValueError, match="hanja"):
        han.forms("hanja")
