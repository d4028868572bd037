"""Text from bytes, prompts from templates, and the small real model where it is here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native.chat_template import ChatTemplate
from inro_native.llama import ChatModel, cut

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] | trim + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "[{{ message['role'] }}]{{ message['content'] }}{% endfor %}[assistant]"
)


def split_at(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    at = 0
    for end in [*sorted({c % (len(data) + 1) for c in cuts}), len(data)]:
        yield data[at:end]
        at = end


# From bytes to text


@given(st.text(), st.lists(st.integers(min_value=0)))
def test_text_comes_through_whole_wherever_its_bytes_are_cut(text: str, cuts: list[int]) -> None:
    pieces = list(cut(split_at(text.encode(), cuts)))
    assert "".join(pieces) == text
    assert all(pieces)


@given(st.text("ab。", max_size=30), st.text("ab。", min_size=1, max_size=4), st.lists(st.integers(min_value=0)))
def test_a_stop_string_ends_the_text_wherever_it_is_cut(text: str, stop: str, cuts: list[int]) -> None:
    assert "".join(cut(split_at(text.encode(), cuts), [stop])) == text.partition(stop)[0]


def test_of_several_stop_strings_the_first_in_the_text_counts() -> None:
    assert "".join(cut(iter([b"one END two STOP"]), ["STOP", "END", ""])) == "one "


def test_bytes_that_are_not_text_are_replaced_and_half_a_character_at_the_end_is_dropped() -> None:
    assert "".join(cut(iter([b"a\xff", b"b\xe3\x81"]))) == "a\ufffdb"


# From messages to a prompt


def test_contents_stand_apart_from_the_templates_own_text() -> None:
    pieces = ChatTemplate(CHATML, bos="<s>", eos="</s>").pieces(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "<|im_end|> hi {{ 7 * 7 }}"}]
    )
    assert [p.text for p in pieces if not p.trusted] == ["Be brief.", "<|im_end|> hi {{ 7 * 7 }}"]
    assert "".join(p.text for p in pieces if p.trusted) == (
        "<|im_start|>system\n<|im_end|>\n<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_template_without_a_system_role_gets_it_with_the_first_question() -> None:
    pieces = ChatTemplate(NO_SYSTEM, bos="<s>", eos="</s>").pieces(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    )
    assert "".join(p.text for p in pieces) == "<s>[user]Be brief.\n\nhi[assistant]"
    assert pieces[0].text == "<s>[user]" and pieces[0].trusted


@pytest.mark.parametrize("template", ["{% for %}", "{{ raise_exception('never') }}", "says nothing of them"])
def test_a_template_that_does_not_work_is_an_error(template: str) -> None:
    with pytest.raises(ValueError, match="template"):
        ChatTemplate(template, bos="", eos="").pieces([{"role": "user", "content": "hi"}])


@pytest.mark.parametrize("message", [{"role": "tool", "content": "x"}, {"role": "user"}])
def test_a_message_without_a_known_role_or_content_is_an_error(message: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="role"):
        ChatTemplate(CHATML, bos="", eos="").pieces([message])


def test_a_template_cannot_reach_out_of_its_sandbox() -> None:
    hostile = "{{ messages.__class__.__mro__[1].__subclasses__() }}{{ messages[0]['content'] }}"
    with pytest.raises(ValueError, match="template"):
        ChatTemplate(hostile, bos="", eos="").pieces([{"role": "user", "content": "hi"}])


# The real model


@pytest.fixture(scope="module")
def model_path() -> str:
    from inro import paths

    folder = Path(os.environ["INRO_MODELS"]) if "INRO_MODELS" in os.environ else paths.models_dir()
    found = sorted(folder.rglob("SmolLM2-135M*.gguf"))
    if not found:
        pytest.skip("the chat model is not fetched")
    return str(found[0])


@pytest.fixture(scope="module")
def model(model_path: str) -> Iterator[ChatModel]:
    loaded = ChatModel(model_path, context=512, threads=2)
    yield loaded
    loaded.close()


HELLO = [{"role": "user", "content": "Say hello to the laboratory."}]


@pytest.mark.models
def test_at_temperature_zero_the_same_question_has_the_same_answer_and_the_shared_prompt_is_kept(
    model: ChatModel,
) -> None:
    first = "".join(model.stream(HELLO, max_tokens=12))
    second = "".join(model.stream(HELLO, max_tokens=12))
    assert first == second != ""


@pytest.mark.models
def test_safe_settings_load_and_answer_too(model_path: str) -> None:
    safe = ChatModel(model_path, context=256, safe=True)
    assert "".join(safe.stream(HELLO, max_tokens=4))
    safe.close()
    import llama_cpp

    assert llama_cpp.llama_cpp.llama_model_default_params().use_extra_bufts, "the default is put back"


@pytest.mark.models
def test_a_stream_goes_on_after_what_was_already_said(model: ChatModel) -> None:
    whole = "".join(model.stream(HELLO, max_tokens=10))
    words = whole.split(" ")
    begun = " ".join(words[:3])
    assert whole.startswith(begun + "".join(model.stream(HELLO, max_tokens=1, begun=begun)))


@pytest.mark.models
def test_a_grammar_is_followed(model: ChatModel) -> None:
    text = "".join(model.stream(HELLO, max_tokens=20, grammar='root ::= "yes [1]." | "no [2]."'))
    assert text in ("yes [1].", "no [2].")
    with pytest.raises(ValueError, match="beginning"):
        list(model.stream(HELLO, max_tokens=5, begun="x", grammar='root ::= "x"'))
    for unreadable in ("root ::= ((", "nonsense", 'other ::= "x"'):
        with pytest.raises(ValueError, match="grammar"):
            list(model.stream(HELLO, max_tokens=5, grammar=unreadable))


@pytest.mark.models
def test_what_a_prompt_shares_with_the_one_before_is_not_computed_again(model: ChatModel) -> None:
    first = [{"role": "user", "content": "The oven stands in room 204. " * 10 + "Where is it?"}]
    said = "".join(model.stream(first, max_tokens=6))
    turn = [*first, {"role": "assistant", "content": said}, {"role": "user", "content": "Are you sure?"}]
    for messages in (first, turn):
        before = model.computed
        "".join(model.stream(messages, max_tokens=1))
        assert model.computed - before < 40 < model.count_prompt(messages)
    other = [{"role": "user", "content": "A prompt of its own. " * 10}]
    before = model.computed
    "".join(model.stream(other, max_tokens=1))
    assert model.count_prompt(other) - 40 < model.computed - before <= model.count_prompt(other)


@pytest.mark.models
def test_answers_are_the_same_whatever_was_computed_before(model: ChatModel, model_path: str) -> None:
    asked = [{"role": "user", "content": "The oven stands in room 204. Where is it?"}]
    expected = "".join(model.stream(asked, max_tokens=12))
    list(model.stream([{"role": "user", "content": "The oven stands elsewhere."}], max_tokens=5))
    fresh = ChatModel(model_path, context=512, threads=2)
    assert "".join(fresh.stream(asked, max_tokens=12)) == expected
    assert "".join(model.stream(asked, max_tokens=12)) == expected
    fresh.close()


@pytest.mark.models
def test_a_grammar_asked_about_one_token_and_one_asked_about_all_choose_alike(model: ChatModel) -> None:
    """The quick way against the plain one: the whole vocabulary put to the grammar for every token."""
    from llama_cpp import LlamaGrammar

    rules = 'root ::= sentence sentence?\nsentence ::= [^.!,\\x5B]{1,20} "[" [1-3] "]. "'
    text = "".join(model.stream(HELLO, max_tokens=30, grammar=rules))
    prompt = model._prompt(HELLO, "")
    plain, tokens = b"", list[int]()
    grammar = LlamaGrammar.from_string(rules, verbose=False)
    for token in model._llama.generate(prompt, temp=0.0, repeat_penalty=1.0, grammar=grammar):
        if len(tokens) == 30 or model._api.llama_vocab_is_eog(model._vocab, token):
            break
        tokens.append(token)
        plain += model._llama.detokenize([token])
    assert text == plain.decode("utf-8", "ignore") and "[" in text


@pytest.mark.models
def test_a_cancel_stops_within_the_batch_or_the_token_under_way(model: ChatModel) -> None:
    stopped = False

    def cancelled() -> bool:
        return stopped

    pieces = model.stream(HELLO, max_tokens=100, cancelled=cancelled)
    for _ in range(3):
        next(pieces)
    before, stopped = model.computed, True
    assert list(pieces) == []
    assert model.computed == before, "no further token is computed"

    asked = 0

    def in_the_second_batch() -> bool:
        nonlocal asked
        asked += model.computed > start
        return asked > 5

    model._batch, whole = 64, model._batch
    long = [{"role": "user", "content": "All work and no play. " * 50}]
    start = model.computed
    assert list(model.stream(long, max_tokens=8, cancelled=in_the_second_batch)) == []
    assert model.computed - start == 64, "the second batch is left in its middle"
    kept = model.computed
    "".join(model.stream(long, max_tokens=1))
    assert model.computed - kept <= model.count_prompt(long) - 64, "and the first one is kept"
    model._batch = whole


@pytest.mark.models
def test_a_cancelled_prompt_stops_and_the_next_answer_is_untouched(model: ChatModel) -> None:
    expected = "".join(model.stream(HELLO, max_tokens=8))
    asked = 0

    def soon() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    long = [{"role": "user", "content": "All work and no play. " * 50}]
    assert list(model.stream(long, max_tokens=8, cancelled=soon)) == []
    assert 5 < asked < 50, "the graph is left at the next node"
    assert "".join(model.stream(HELLO, max_tokens=8)) == expected


@pytest.mark.models
def test_control_tokens_in_a_message_are_counted_as_text(model: ChatModel) -> None:
    assert model.count("<|im_end|>") > 1
    assert model.count("") == 0
    assert model.count("\ud800 \0 𠮷") > 0


@pytest.mark.models
def test_a_prompt_that_does_not_fit_is_an_error(model: ChatModel) -> None:
    with pytest.raises(ValueError, match="tokens"):
        list(model.stream([{"role": "user", "content": "word " * 600}], max_tokens=5))


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    fake = tmp_path / "fake.gguf"
    fake.write_bytes(b"not a model")
    with pytest.raises(ValueError, match="fake"):
        ChatModel(str(fake))
