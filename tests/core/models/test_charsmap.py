"""A compiled character map does in `tokenizers` what the plain map says."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.models.charsmap import compile_charsmap

points = st.characters(exclude_characters="\0", exclude_categories=["Cs", "Mn", "Me", "Mc", "Cf", "Lm", "Sk"])


def normalise(characters: dict[str, str], text: str) -> str:
    from tokenizers import Tokenizer

    charsmap = base64.b64encode(compile_charsmap(characters)).decode()
    tokenizer = Tokenizer.from_str(
        json.dumps(
            {
                "version": "1.0",
                "truncation": None,
                "padding": None,
                "added_tokens": [],
                "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap},
                "pre_tokenizer": None,
                "post_processor": None,
                "decoder": None,
                "model": {"type": "WordLevel", "vocab": {"x": 0}, "unk_token": "x"},
            }
        )
    )
    normalised: str = tokenizer.normalizer.normalize_str(text)
    return normalised


@given(st.dictionaries(points, st.text(points, max_size=4), max_size=60), st.data())
def test_every_character_becomes_what_the_map_says(characters: dict[str, str], data: st.DataObject) -> None:
    mixed = points if not characters else st.sampled_from(sorted(characters)) | points
    text = data.draw(st.text(mixed.filter(lambda c: c not in "\r\n"), max_size=30))
    # spaced, because the library looks at clusters and only ever replaces the head of one
    spaced = " ".join(text)
    assert normalise(characters, spaced) == "".join(characters.get(c, c) for c in spaced)


def test_a_map_of_thousands_is_exact() -> None:
    characters = {chr(0x4E00 + 3 * i): chr(0x3400 + i) * (i % 3) for i in range(5000)}
    text = "".join(chr(0x4E00 + i) for i in range(0, 15000, 7))
    assert normalise(characters, text) == "".join(characters.get(c, c) for c in text)


@pytest.mark.parametrize(("key", "value"), [("ab", "c"), ("", "c"), ("\0", "c"), ("a", "b\0")])
def test_what_the_form_cannot_say_is_refused(key: str, value: str) -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        compile_charsmap({key: value})
