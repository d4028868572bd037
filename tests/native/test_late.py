"""MaxSim over int8 tokens is what its definition says, but for the rounding of the text's vectors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from inro_native.late import Tokens, encode, maxsim

Floats = NDArray[np.float32]

NUMBERS = st.floats(-1, 1, width=32, allow_subnormal=False)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """A question and a text, tokens of the same width."""
    width = draw(st.integers(1, 40))
    shape = st.tuples(st.integers(0, 6), st.just(width))
    return draw(arrays.arrays(np.float32, shape, elements=NUMBERS)), draw(
        arrays.arrays(np.float32, shape, elements=NUMBERS)
    )


def by_definition(question: Floats, text: Floats) -> float:
    """Every token of the question with its nearest of the text, one at a time."""
    if not len(question) or not len(text):
        return 0.0

    def cosine(a: Floats, b: Floats) -> float:
        lengths = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
        return float(a.astype(np.float64) @ b.astype(np.float64)) / lengths if lengths else 0.0

    return sum(max(cosine(q, t) for t in text) for q in question) / len(question)


@given(pairs())
@settings(max_examples=150, deadline=None)
def test_the_score_is_the_definition_s_to_within_the_rounding(pair: tuple[Floats, Floats]) -> None:
    question, text = pair
    width = question.shape[1]
    # half a step of at most 1/127 in every number, against a unit vector
    bound = 0.5 / 127 * np.sqrt(width) + 1e-3
    assert maxsim(question, encode(text)) == pytest.approx(by_definition(question, text), abs=bound)


def test_at_the_width_of_a_real_model_the_rounding_is_small() -> None:
    random = np.random.default_rng(5)
    question, text = (random.normal(size=(n, 384)).astype(np.float32) for n in (20, 300))
    assert maxsim(question, encode(text)) == pytest.approx(by_definition(question, text), abs=2e-3)
    assert maxsim(question, encode(question)) == pytest.approx(1.0, abs=1e-3)


def test_lengths_and_order_of_tokens_do_not_count_and_more_text_never_hurts() -> None:
    random = np.random.default_rng(6)
    question, text, more = (random.normal(size=(n, 32)).astype(np.float32) for n in (4, 9, 3))
    once = maxsim(question, encode(text))
    lengths = random.uniform(0.1, 9, (9, 1)).astype(np.float32)
    assert maxsim(7 * question, encode((text * lengths)[::-1])) == pytest.approx(once, abs=1e-3)
    assert maxsim(question, encode(np.concatenate([text, more]))) >= once


def test_codes_stand_for_unit_vectors_to_within_half_a_step_and_take_a_quarter_of_the_room() -> None:
    states = np.random.default_rng(7).normal(size=(50, 64)).astype(np.float32)
    tokens = encode(states)
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    error = np.abs(tokens.codes * tokens.scales[:, None] - unit)
    assert (error <= tokens.scales[:, None] / 2 + 1e-7).all()
    assert tokens.nbytes == 50 * (64 + 4)


def test_a_token_of_zeros_is_like_nothing() -> None:
    nothing = np.zeros((1, 8), np.float32)
    assert maxsim(nothing, encode(np.ones((1, 8), np.float32))) == 0.0
    assert maxsim(np.ones((1, 8), np.float32), encode(nothing)) == 0.0


@pytest.mark.parametrize("bad", [np.full((2, 4), np.nan), np.full((2, 4), np.inf), np.ones(4), np.ones((2, 0))])
def test_what_is_no_matrix_of_finite_numbers_is_refused(bad: Floats) -> None:
    with pytest.raises(ValueError, match="token vector"):
        encode(bad.astype(np.float32))


def test_widths_must_agree() -> None:
    with pytest.raises(ValueError, match="4 numbers a token"):
        maxsim(np.ones((1, 4), np.float32), Tokens(np.ones((1, 5), np.int8), np.ones(1, np.float32)))
