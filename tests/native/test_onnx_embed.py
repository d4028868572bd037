"""Vectors from an ONNX encoder are what the definition says, however texts are batched."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from encoders import TinyEncoder, make_encoder
from hypothesis import given
from hypothesis import strategies as st

from inro_native.onnx_embed import Batch, OnnxEncoder, plan_batches, sound_text

LIMIT = 32


def opened(
    tiny: TinyEncoder,
    *,
    pooling: Literal["mean", "cls"] = "mean",
    dimension: int = 16,
    budget: int = 64,
    safe: bool = False,
) -> OnnxEncoder:
    return OnnxEncoder(
        str(tiny.model),
        str(tiny.tokenizer),
        dimension=dimension,
        pooling=pooling,
        max_tokens=LIMIT,
        threads=1,
        token_budget=budget,
        safe=safe,
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyEncoder:
    return make_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def encoder(tiny: TinyEncoder) -> OnnxEncoder:
    return opened(tiny)


def texts_of(*lengths: int) -> list[str]:
    return [" ".join(f"w{(i * 7 + j * 3) % 40}" for j in range(n)) for i, n in enumerate(lengths)]


@given(st.lists(st.lists(st.integers(0, 39), max_size=40), max_size=20))
def test_mean_pooling_is_what_the_definition_says(
    tiny: TinyEncoder, encoder: OnnxEncoder, numbers: list[list[int]]
) -> None:
    texts = [" ".join(f"w{n}" for n in row) for row in numbers]
    vectors, cut = encoder.encode(texts)
    assert vectors.shape == (len(texts), 16) and vectors.dtype == np.float32
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(vector, tiny.vector(text, "mean", LIMIT), atol=2e-6)
    assert cut.tolist() == [len(row) + 2 > LIMIT for row in numbers]


def test_cls_pooling_reads_the_first_token(tiny: TinyEncoder) -> None:
    texts = texts_of(3, 9, 1)
    vectors, _ = opened(tiny, pooling="cls").encode(texts)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(vector, tiny.vector(text, "cls"), atol=2e-6)


def test_a_file_shaped_like_the_published_bge_m3_goes_through_the_same_loader(tmp_path: Path) -> None:
    """Outputs `token_embeddings` and `sentence_embedding`, 1024 wide, CLS pooling."""
    tiny = make_encoder(tmp_path, "sentence_embedding", 1024)
    texts = texts_of(5, 2, 30, 2)
    vectors, _ = opened(tiny, pooling="cls", dimension=1024).encode(texts)
    assert vectors.shape == (4, 1024)
    for text, vector in zip(texts, vectors, strict=True):
        np.testing.assert_allclose(vector, tiny.vector(text, "cls"), atol=2e-6)


def test_a_model_that_wants_token_types_gets_zeros(tmp_path: Path) -> None:
    tiny = make_encoder(tmp_path, "token_embeddings")
    (text,) = texts_of(6)
    vectors, _ = opened(tiny).encode([text])
    np.testing.assert_allclose(vectors[0], tiny.vector(text, "mean"), atol=2e-6)


def test_safe_settings_give_the_same_vectors(tiny: TinyEncoder, encoder: OnnxEncoder) -> None:
    texts = texts_of(4, 17, 8)
    np.testing.assert_allclose(opened(tiny, safe=True).encode(texts)[0], encoder.encode(texts)[0], atol=2e-6)


@given(st.lists(st.integers(0, 600), max_size=200), st.integers(1, 2048))
def test_batches_hold_every_text_once_and_keep_to_the_budget(lengths: list[int], budget: int) -> None:
    tokens = np.array(lengths, np.int32)
    batches = plan_batches(tokens, budget)
    members = [int(i) for batch in batches for i in batch]
    assert sorted(members) == list(range(len(lengths)))
    assert [lengths[i] for i in members] == sorted(lengths, reverse=True)
    for batch in batches:
        padded = len(batch) * max(1, int(tokens[batch].max()))
        assert padded <= budget or len(batch) == 1


def test_a_stream_says_which_texts_its_vectors_belong_to(tiny: TinyEncoder, encoder: OnnxEncoder) -> None:
    texts = texts_of(*(3 + 5 * i % 28 for i in range(40)))
    seen: set[int] = set()
    for batch in encoder.stream(texts):
        for index, vector in zip(batch.indexes, batch.vectors, strict=True):
            np.testing.assert_allclose(vector, tiny.vector(texts[index], "mean", LIMIT), atol=2e-6)
        seen.update(map(int, batch.indexes))
    assert seen == set(range(40))


def test_a_cancelled_stream_stops_between_batches(encoder: OnnxEncoder) -> None:
    batches: list[Batch] = []
    for batch in encoder.stream(texts_of(*[20] * 30), cancelled=lambda: len(batches) >= 2):
        batches.append(batch)
    assert len(batches) == 2


def test_a_long_text_is_cut_keeps_its_last_special_token_and_is_reported(
    tiny: TinyEncoder, encoder: OnnxEncoder
) -> None:
    exact, long = texts_of(LIMIT - 2, LIMIT + 20)
    (batch,) = encoder.stream([exact, long])
    by_text = dict(zip(batch.indexes.tolist(), range(2), strict=True))
    assert batch.tokens[by_text[0]] == LIMIT and not batch.cut[by_text[0]]
    assert batch.tokens[by_text[1]] == LIMIT + 22 and batch.cut[by_text[1]]
    np.testing.assert_allclose(batch.vectors[by_text[1]], tiny.vector(long, "mean", LIMIT), atol=2e-6)
    assert encoder.count_tokens([exact, long]).tolist() == [LIMIT, LIMIT + 22]


def test_odd_texts_have_vectors(encoder: OnnxEncoder) -> None:
    odd = ["", " \n", "😀👩‍👩‍👧", "\ud83d alone", "nul \0 inside", "あ" * 1_000_000, "w1 " * 300_000]
    vectors, cut = encoder.encode(odd)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert cut.tolist() == [False] * 6 + [True]


def test_no_texts_have_no_vectors(encoder: OnnxEncoder) -> None:
    vectors, cut = encoder.encode([])
    assert vectors.shape == (0, 16) and cut.shape == (0,)
    assert encoder.count_tokens([]).shape == (0,)


@given(st.text(st.characters(), max_size=30))
def test_a_sound_text_can_be_encoded_and_a_sound_one_is_left_alone(text: str) -> None:
    sound = sound_text(text)
    sound.encode("utf-8")
    if not any(0xD800 <= ord(c) < 0xE000 for c in text):
        assert sound == text


def test_a_pair_of_surrogates_becomes_its_character() -> None:
    assert sound_text("a\ud83d\ude00b\udc00") == "a😀b\ufffd"


@pytest.mark.parametrize("broken", ["model", "tokenizer"])
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, broken: str) -> None:
    tiny = make_encoder(tmp_path)
    getattr(tiny, broken).write_bytes(b"not what it should be")
    with pytest.raises(ValueError, match="tokenizer file" if broken == "tokenizer" else "cannot be loaded"):
        opened(tiny)


def test_another_dimension_is_refused(tiny: TinyEncoder) -> None:
    with pytest.raises(ValueError, match="vectors of 16, not of 384"):
        opened(tiny, dimension=384).encode(["w1"])


def test_a_graph_that_is_no_encoder_is_refused(tmp_path: Path) -> None:
    import onnx

    tiny = make_encoder(tmp_path)
    model = onnx.load(str(tiny.model))
    model.graph.output[0].name = "logits"
    model.graph.node[-1].output[0] = "logits"
    onnx.save(model, str(tiny.model))
    with pytest.raises(ValueError, match="outputs are logits"):
        opened(tiny)


def test_a_vector_that_is_not_finite_or_zero_is_refused(tmp_path: Path) -> None:
    for name, value in (("nan", np.nan), ("zero", 0.0)):
        rows = np.full((44, 16), value, np.float32)
        tiny = make_encoder(tmp_path / name, rows=rows)
        with pytest.raises(ValueError, match="not finite or is zero"):
            opened(tiny).encode(["w1"])


def test_token_states_are_those_of_the_text_s_own_tokens(tiny: TinyEncoder, encoder: OnnxEncoder) -> None:
    np.testing.assert_allclose(encoder.token_states("w1 w2 w3"), tiny.states("w1 w2 w3")[1:-1], atol=2e-6)
    assert encoder.token_states("").shape == (0, 16)


def test_a_prefix_is_read_and_its_tokens_are_left_out(tiny: TinyEncoder, encoder: OnnxEncoder) -> None:
    found = encoder.token_states("w7 w8 w1 w2", skip=len("w7 w8 "))
    np.testing.assert_allclose(found, tiny.states("w7 w8 w1 w2")[3:-1], atol=2e-6)


def test_of_a_long_text_the_states_are_of_what_was_read(tiny: TinyEncoder, encoder: OnnxEncoder) -> None:
    (text,) = texts_of(50)
    np.testing.assert_allclose(encoder.token_states(text), tiny.states(text, LIMIT)[1:-1], atol=2e-6)


def test_a_model_that_pools_inside_may_give_states_too(tmp_path: Path) -> None:
    tiny = make_encoder(tmp_path, "sentence_embedding")
    np.testing.assert_allclose(opened(tiny).token_states("w1 w2"), tiny.states("w1 w2")[1:-1], atol=2e-6)
