"""Both languages say everything, in characters of certain width, and every key is named once."""

from __future__ import annotations

import dataclasses
import string
import unicodedata
from collections.abc import Iterator

import pytest

from inro_tui import keys
from inro_tui.strings import ENGLISH, Strings, choose
from inro_tui.strings_ja import JAPANESE


def sayings(strings: Strings) -> Iterator[tuple[str, str]]:
    """Every text of a language with its name."""
    for field in dataclasses.fields(strings):
        value = getattr(strings, field.name)
        if isinstance(value, str):
            yield field.name, value
        else:
            for key, text in value.items():
                yield f"{field.name}.{key}", text


def braces(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_both_languages_say_the_same_things_with_the_same_braces() -> None:
    english, japanese = dict(sayings(ENGLISH)), dict(sayings(JAPANESE))
    assert english.keys() == japanese.keys()
    assert {name: braces(text) for name, text in english.items()} == {
        name: braces(text) for name, text in japanese.items()
    }


def test_nothing_was_left_in_english() -> None:
    english = dict(sayings(ENGLISH))
    same = {name for name, text in sayings(JAPANESE) if text == english[name]}
    assert same == {"ledger_time", "ledger_rank"}


@pytest.mark.parametrize("strings", [ENGLISH, JAPANESE], ids=["en", "ja"])
def test_no_character_is_of_ambiguous_width(strings: Strings) -> None:
    for name, text in sayings(strings):
        doubtful = [c for c in text if unicodedata.east_asian_width(c) == "A"]
        assert not doubtful, name


@pytest.mark.parametrize(
    ("environ", "setting", "language"),
    [
        ({}, "", "en"),
        ({"LANG": "ja_JP.UTF-8"}, "", "ja"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "", "en"),
        ({"LANG": "C.UTF-8", "INRO_LANG": "ja"}, "auto", "ja"),
        ({"INRO_LANG": "ja"}, "en", "en"),
        ({"LANG": "jam_JM"}, "", "en"),
    ],
)
def test_the_language_is_the_setting_then_the_variable_then_the_locale(
    environ: dict[str, str], setting: str, language: str
) -> None:
    assert choose(environ, setting).language == language


def test_every_key_has_one_id_and_words_in_both_languages() -> None:
    ids = [key.id for key in keys.KEYS]
    assert len(set(ids)) == len(ids)
    assert set(ids) == set(ENGLISH.keys) == set(JAPANESE.keys)
    assert {key.area for key in keys.KEYS} == set(ENGLISH.help_areas)


def test_no_key_is_bound_twice_in_one_area() -> None:
    for area in ENGLISH.help_areas:
        pressed = [name for key in keys.KEYS if key.area == area for name in key.keys.split(",")]
        assert len(set(pressed)) == len(pressed), area


def test_no_key_is_one_that_tmux_screen_or_the_line_keeps() -> None:
    pressed = {name for key in keys.KEYS for name in key.keys.split(",")}
    kept = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+z", "ctrl+c", "ctrl+h", "ctrl+i", "ctrl+j", "ctrl+m"}
    assert not pressed & kept
    assert not [name for name in pressed if "alt+" in name or "super+" in name]


def test_each_function_key_has_another_beside_it() -> None:
    for key in keys.KEYS:
        names = key.keys.split(",")
        if all(name[0] == "f" and name[1:].isdigit() for name in names):
            assert key.id == "app.help"


@pytest.mark.parametrize(
    ("name", "shown"), [("ctrl+p", "^P"), ("f2", "F2"), ("question_mark", "?"), ("G", "G"), ("escape", "Esc")]
)
def test_keys_are_written_as_people_write_them(name: str, shown: str) -> None:
    assert keys.display(name) == shown


def test_a_key_that_is_not_ours_cannot_be_moved() -> None:
    assert keys.keymap_for({"app.quit": "f10", "app.format_disk": "x"}) == {"app.quit": "f10"}
