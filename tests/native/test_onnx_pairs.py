"""A cross-encoder's score of a pair is what its graph says, whatever is beside it and however long it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from encoders import TinyPairs, make_encoder, make_pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from inro_native.onnx_pairs import OnnxPairs

LIMIT = 32
NUMBERS = st.lists(st.integers(0, 39), min_size=1, max_size=10)


def said(numbers: list[int]) -> str:
    return " ".join(f"w{n}" for n in numbers)


def opened(tiny: TinyPairs, *, safe: bool = False) -> OnnxPairs:
    return OnnxPairs(str(tiny.model), str(tiny.tokenizer), max_tokens=LIMIT, threads=1, safe=safe)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyPairs:
    return make_pairs(tmp_path_factory.mktemp("pairs"))


@pytest.fixture(scope="module")
def model(tiny: TinyPairs) -> OnnxPairs:
    return opened(tiny)


@given(NUMBERS, st.lists(NUMBERS, max_size=4))
@settings(deadline=None)
def test_scores_are_what_the_definition_says(
    tiny: TinyPairs, model: OnnxPairs, question: list[int], texts: list[list[int]]
) -> None:
    found = model.scores(said(question), [said(text) for text in texts])
    assert found.tolist() == pytest.approx([tiny.score(question, text) for text in texts], rel=1e-4, abs=1e-3)


def test_two_outputs_are_read_as_for_and_against(tmp_path: Path) -> None:
    tiny = make_pairs(tmp_path, outputs=2)
    assert opened(tiny).scores("w1 w2", ["w3"])[0] == pytest.approx(tiny.score([1, 2], [3]), rel=1e-4)


def test_a_long_text_is_cut_and_a_long_question_leaves_it_half_of_the_room(tiny: TinyPairs, model: OnnxPairs) -> None:
    text = [n % 40 for n in range(100)]
    room = LIMIT - 3
    assert model.scores("w5", [said(text)])[0] == pytest.approx(tiny.score([5], text[: room - 1]), rel=1e-4)
    half = room // 2
    assert model.scores(said(text), [said(text)])[0] == pytest.approx(
        tiny.score(text[:half], text[: room - half]), rel=1e-4
    )


def test_odd_texts_and_safe_settings_pass(tiny: TinyPairs) -> None:
    model = opened(tiny, safe=True)
    assert len(model.scores("\udc00 w1", ["", "nul \0", "😀", "あ" * 100_000])) == 4
    assert model.scores("", ["w1"]).shape == (1,)


def test_files_that_are_no_cross_encoder_are_refused(tiny: TinyPairs, tmp_path: Path) -> None:
    encoder = make_encoder(tmp_path / "encoder")
    with pytest.raises(ValueError, match="not a cross-encoder: its outputs are last_hidden_state"):
        OnnxPairs(str(encoder.model), str(encoder.tokenizer), max_tokens=LIMIT)
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08 not a graph")
    with pytest.raises(ValueError, match="cannot be loaded"):
        OnnxPairs(str(broken), str(tiny.tokenizer), max_tokens=LIMIT)
    with pytest.raises(ValueError, match="not a tokenizer file"):
        OnnxPairs(str(tiny.model), str(broken), max_tokens=LIMIT)
