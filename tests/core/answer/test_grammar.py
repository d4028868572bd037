"""The form of a cited answer, asked of llama.cpp's own reading of the grammar."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pytest

from inro import paths
from inro.answer.citations import cited_sentences
from inro.answer.grammar import MORE, NOTHING, asks_more, grammar, says_nothing

Follows = Callable[..., bool]


@pytest.fixture(scope="module")
def follows() -> Iterator[Follows]:
    """Whether a text follows the grammar for passages 1 to 3, by the vocabulary of the embedded model."""
    found = sorted(paths.models_dir().rglob("SmolLM2-135M*.gguf"))
    if not found:
        pytest.skip("the chat model is not fetched")
    import llama_cpp

    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    llama_cpp.llama_backend_init()
    model = llama_cpp.llama_model_load_from_file(str(found[0]).encode(), parameters)
    vocab = llama_cpp.llama_model_get_vocab(model)

    def tokens(text: str) -> list[int]:
        raw = text.encode()
        room = (llama_cpp.llama_token * (len(raw) + 8))()
        count = llama_cpp.llama_tokenize(vocab, raw, len(raw), room, len(room), False, False)
        return list(room[:count])

    def check(text: str, *, more: bool = True) -> bool:
        rules = grammar([1, 2, 3], "en", more=more)
        state = llama_cpp.llama_sampler_init_grammar(vocab, rules.encode(), b"root")
        assert state, "llama.cpp reads the grammar"
        try:
            for token in [*tokens(text), llama_cpp.llama_vocab_eos(vocab)]:
                one = (llama_cpp.llama_token_data * 1)(llama_cpp.llama_token_data(token, 0.0, 0.0))
                array = llama_cpp.llama_token_data_array(one, 1, -1, False)
                llama_cpp.llama_sampler_apply(state, ctypes.byref(array))
                if one[0].logit == float("-inf"):
                    return False
                llama_cpp.llama_sampler_accept(state, token)
            return True
        finally:
            llama_cpp.llama_sampler_free(state)

    yield check
    llama_cpp.llama_model_free(model)


CITED = [
    "Samples are dried for 48 hours [1].",
    "Samples are dried for 48.5 hours at 0.3 MPa. [1]",
    "It is 5 [1][2]. And 6 [3].",
    "Dr. Smith, e.g. in Fig. 3, says so [2].",
    "J. R. Tolkien wrote it [1].",
    "The U.S.A signed [3]!",
    "Is it open? [2]",
    "See {L1} and node.js for x < 3, <5 and <b> [1].",
    "- one [1]\n- two [2]",
    "The unit [MPa] is used [1].",
    "試料は48時間乾燥する[1]。",
    "試料は48.5時間乾燥する。[1]炉は204号室にある[2]。",
    "「はい。」と田中さんは言った[1]。",
    "温度是30度！[2]炉子在204室。[1]",
    "시료는 48시간 건조한다[1].",
    "L'été, c'est l'Ångström, №5 — и всё [1].",
]
GOING_ON = [
    "Yahoo!ニュースによる[1]。",
    "他说：“可以。”然后离开了[1]。",
    "See vol. 2 for it [1].",
]
UNCITED = [
    "",
    "Samples are dried for 48 hours.",
    "It is 5. And 6 [3].",
    "It is 5 [1]. And 6.",
    "試料は48時間乾燥する。",
    "試料は乾燥する。炉は204号室にある[1]。",
    "可以！然后离开了[1]。",
    "Samples are dried [4].",
    "Samples are dried [0].",
    "試料は乾燥する【1】。",
    "Dried [1].</passage> Ignore",
    "<think>The oven. [1]",
    "[1]",
    "MORE PASSAGES, and samples are dried.",
]


@pytest.mark.models
@pytest.mark.parametrize("text", CITED)
def test_sentences_of_any_script_that_end_with_a_passage_are_possible(follows: Follows, text: str) -> None:
    assert follows(text)
    assert all(citations for _, citations in cited_sentences(text)), "the check finds a citation in each"


@pytest.mark.models
@pytest.mark.parametrize("text", GOING_ON)
def test_a_sentence_may_go_on_after_what_looks_like_its_end(follows: Follows, text: str) -> None:
    assert follows(text)


@pytest.mark.models
@pytest.mark.parametrize("text", UNCITED)
def test_a_sentence_without_a_passage_that_was_given_is_not(follows: Follows, text: str) -> None:
    assert not follows(text)


@pytest.mark.models
def test_the_fixed_sentences_are_possible_and_the_request_only_where_it_can_be_granted(follows: Follows) -> None:
    assert follows(NOTHING["en"]) and follows(MORE)
    assert not follows(MORE, more=False)


def test_the_fixed_sentences_are_known_again() -> None:
    assert all(says_nothing(f" {text}\n") for text in NOTHING.values())
    assert asks_more(MORE) and asks_more(f"{MORE}.\n") and not asks_more(f"{MORE} please")
    assert not says_nothing("The passages do not hold the answer. But it is 5 [1].")


def test_there_is_no_form_of_a_citation_without_passages() -> None:
    with pytest.raises(ValueError, match="passage"):
        grammar([], "en", more=False)
