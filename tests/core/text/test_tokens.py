"""Token estimates follow the mix of scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.tokens import estimate_tokens, tokens_per_character


def test_no_text_has_no_tokens_but_a_ratio_to_plan_by() -> None:
    assert estimate_tokens("") == 0
    assert 0.1 < tokens_per_character("") < 1


@given(st.text(alphabet=st.characters(codec=None), min_size=1))
def test_an_estimate_is_the_ratio_times_the_length(text: str) -> None:
    assert estimate_tokens(text) - 1 <= tokens_per_character(text) * len(text) <= estimate_tokens(text) + 1e-6
    assert estimate_tokens(text) >= 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick brown fox jumps over the lazy dog near the river bank.", 18),
        ("梅雨は、北海道と小笠原諸島を除く日本で見られる気象現象である。", 24),
        ("서울은 대한민국의 수도이며 가장 큰 도시이다.", 11),
        ("Москва является столицей России и крупнейшим городом страны", 11),
    ],
)
def test_plain_prose_comes_out_near_the_tokenizer_s_count(text: str, tokens: int) -> None:
    """Counts of the XLM-R vocabulary."""
    assert tokens * 0.7 <= estimate_tokens(text) <= tokens * 1.6


def test_mixed_text_lies_between_its_parts() -> None:
    latin, cjk = "some plain words ", "漢字仮名交じり文"
    assert tokens_per_character(latin) < tokens_per_character(latin + cjk) < tokens_per_character(cjk)


def test_a_rule_of_signs_is_cheap() -> None:
    assert estimate_tokens("-" * 100) < 20
