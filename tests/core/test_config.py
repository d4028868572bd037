"""The settings file: what it may say, and what is said of a mistake in it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from inro import config
from inro.config import Settings
from inro.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_without_a_file_every_setting_has_its_default(file: Path) -> None:
    assert config.load(file) == Settings()


def test_what_is_set_is_set(file: Path) -> None:
    file.write_text('language = "ja"\nhan = "all"\nthreads = 3\nchat = ""\n')
    assert config.load(file) == Settings(language="ja", han="all", threads=3, chat="")


@pytest.mark.parametrize(
    ("line", "said", "mend"),
    [
        ('langauge = "ja"', "unknown setting: langauge", "language"),
        ('colour = "red"', "unknown setting: colour", "embedder"),
        ('threads = "two"', "threads must be a int", "threads = 2"),
        ("threads = true", "threads must be a int", "threads = 2"),
        ("passages = 0", "at least 1", "passages = 6"),
        ('language = "fr"', "language cannot be 'fr'", 'use "auto" or "en" or "ja"'),
        ('han = "hanja"', "han cannot be 'hanja'", 'use "none" or "simplified" or "shinjitai" or "all"'),
        ("han = 1", "han must be a str", 'han = "none"'),
        ("= 1", "cannot be read", "mend or remove"),
    ],
)
def test_a_mistake_is_refused_with_what_would_be_right(file: Path, line: str, said: str, mend: str) -> None:
    file.write_text(line)
    with pytest.raises(ConfigError) as caught:
        config.load(file)
    assert said in caught.value.message
    assert mend in caught.value.mend


def test_every_setting_says_what_it_is_and_where_from(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('passages = 3\nhan = "all"\n')
    described = {setting.name: setting for setting in config.described(file)}
    assert list(described) == [field.name for field in dataclasses.fields(config.Settings)]
    assert all(setting.meaning.endswith(".") for setting in described.values())
    assert (described["passages"].toml, described["passages"].origin) == ("3", str(file))
    assert (described["han"].toml, described["han"].default) == ('"all"', '"none"')
    assert described["threads"].origin == "default"
