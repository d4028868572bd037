"""What a model is given, what it may ask for, and what is shown of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from inro.answer.compose import answer
from inro.answer.evidence import AnswerSettings, Evidence, Passage
from inro.answer.grammar import MORE, NOTHING
from inro.records import Answer, AnswerDone, AnswerEvent, AnswerText
from inro.text.analyse import Analyser

ASK = "How long are samples dried?"
LINK = ["https://example.com/sop/7(b)?v=2&x=", "1]"][0]
DRIED = "Samples are dried for 48 hours."

Put = Callable[..., list[AnswerEvent]]


@pytest.fixture
def chat(scripted: Any) -> Any:
    """Says one text after the other, and remembers what forms it was held to."""

    class Turns(scripted):  # type: ignore[misc]
        def __init__(self, *texts: str, **more: Any) -> None:
            super().__init__(texts[0], **more)
            self.texts = list(texts)
            self.forms: list[str] = []

        def stream(self, messages: Sequence[Mapping[str, str]], max_tokens: int, **given: Any) -> Iterator[str]:
            self.forms.append(given.get("grammar", ""))
            self.text = self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]
            yield from super().stream(messages, max_tokens)

    return Turns


@pytest.fixture
def put(passage: Callable[..., Passage], evidence: Callable[..., Evidence], analyser: Analyser) -> Put:
    """Put the question to a pool of passages; once a model was asked, nothing is searched any more."""

    def run(*texts: str, chat: Any, settings: AnswerSettings | None = None, question: str = ASK) -> list[AnswerEvent]:
        pool = evidence(*(passage(t) for t in texts))

        def search(text: str) -> Evidence:
            assert chat is None or not chat.asked, "no second search"
            return pool

        return list(answer(question, search, analyser, chat=chat, settings=settings))

    return run


def final(events: list[AnswerEvent]) -> Answer:
    assert isinstance(events[-1], AnswerDone)
    return events[-1].answer


def shown(events: list[AnswerEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, AnswerText))


# Exact fields


def test_an_address_reaches_the_model_as_a_placeholder_and_the_answer_as_it_stands_in_the_store(
    put: Put, chat: Any
) -> None:
    model = chat("Samples are dried for 48 hours, see {L1} [1].")
    events = put(f"{DRIED} The procedure is at {LINK} today.", chat=model)
    assert LINK not in model.asked[0][-1]["content"] and "{L1}" in model.asked[0][-1]["content"]
    done = final(events)
    assert done.mode == "model" and done.sentences[0].supported
    assert done.answer == f"Samples are dried for 48 hours, see {LINK}. [1]"
    assert shown(events) == f"Samples are dried for 48 hours, see {LINK} [1]."


def test_an_address_with_what_ends_sentences_in_it_parts_none(put: Put, chat: Any) -> None:
    field = "https://example.com/a?b=1!c.d"
    done = final(put(f"{DRIED} See {field} now.", chat=chat("Samples are dried for 48 hours, see {L1} [1].")))
    assert [s.text for s in done.sentences] == [f"Samples are dried for 48 hours, see {field}."]


def test_an_invented_placeholder_is_a_fault(put: Put, chat: Any) -> None:
    said = "Samples are dried for 48 hours [1]. They are dried for 48 hours, see {L4} [1]. Samples are dried [1]."
    done = final(put(f"{DRIED} See {LINK} now.", chat=chat(said)))
    assert [s.supported for s in done.sentences] == [True, False, True]
    assert "{L4} stands for no address" in done.sentences[1].problems[0]
    assert "{L4}" not in done.answer


def test_an_address_from_another_passage_than_the_one_cited_is_a_fault(put: Put, chat: Any) -> None:
    said = "Samples are dried for 48 hours [1]. They are dried for 48 hours, see {L1} [2]. Samples are dried [1]."
    done = final(put(f"{DRIED} See {LINK} now.", f"{DRIED} The oven is hot.", chat=chat(said)))
    assert [s.supported for s in done.sentences] == [True, False, True]
    assert done.sentences[1].problems == (f"{LINK} is not in [2]",)


def test_the_question_and_the_passages_share_their_placeholders(put: Put, chat: Any) -> None:
    model = chat("Samples are dried for 48 hours [1].")
    put(f"{DRIED} See {LINK} now.", chat=model, question=f"How long are samples dried by {LINK} there?")
    assert model.asked[0][-1]["content"].count("{L1}") == 2


# The form


def test_the_model_is_held_to_cite_what_it_was_given_and_not_more(put: Put, chat: Any) -> None:
    model = chat("Samples are dried for 48 hours [1].")
    put(DRIED, f"{DRIED} The oven is hot.", chat=model)
    assert '("1" | "2")' in model.forms[0] and MORE not in model.forms[0]
    free = chat("Samples are dried for 48 hours [1].")
    put(DRIED, chat=free, settings=AnswerSettings(grammar=False))
    assert free.forms == [""]


def test_a_capable_model_that_finds_no_answer_is_believed_and_a_small_one_is_not(put: Put, chat: Any) -> None:
    done = final(put(DRIED, chat=chat(NOTHING["en"])))
    assert done.refused and done.misses
    assert any("the model finds no answer" in s for s in done.steps)
    small = final(put(DRIED, chat=chat(NOTHING["en"]), settings=AnswerSettings(small=True)))
    assert small.mode == "extractive" and "48 hours" in small.answer


# More passages

POOL = [f"The copper oven of hall {name} dries samples gently." for name in "abcdef"]
TWO = AnswerSettings(passages=2)
WHAT = "Which copper oven dries samples gently?"
HALL = "The copper oven of hall k dries samples gently for 48 hours."


def test_a_request_for_more_brings_the_next_of_the_same_pool(put: Put, chat: Any) -> None:
    model = chat(MORE, "The copper oven of hall k dries samples [4].")
    events = put(*POOL[:3], HALL, POOL[4], chat=model, question=WHAT, settings=TWO)
    first, second = model.asked
    assert "<passage 2>" in first[-1]["content"] and "<passage 3>" not in first[-1]["content"]
    assert second[: len(first)] == first, "what is computed already comes first"
    assert "<passage 3>" in second[-1]["content"] and "<passage 4>" in second[-1]["content"]
    assert "<passage 5>" not in second[-1]["content"]
    done = final(events)
    assert done.answer == "The copper oven of hall k dries samples. [4]"
    assert [s.n for s in done.sources] == [1, 2, 3, 4] and done.sources[3].quote == HALL
    assert "the model asked for more: given the next of the same search, [3] to [4]" in done.steps
    assert MORE not in shown(events)


def test_more_is_given_once_a_turn_and_a_later_request_is_a_refusal(put: Put, chat: Any) -> None:
    model = chat(MORE, MORE)
    events = put(*POOL, chat=model, question=WHAT, settings=TWO)
    assert len(model.asked) == 2
    assert MORE in model.forms[0] and MORE not in model.forms[1]
    assert final(events).refused and MORE not in shown(events)
    model.asked.clear()
    put(*POOL, chat=model, question=WHAT, settings=TWO)
    assert MORE in model.forms[2], "another turn may ask again"


def test_nothing_is_offered_where_there_is_no_more(put: Put, chat: Any) -> None:
    model = chat("The copper oven of hall a dries samples [1].")
    put(HALL, POOL[0], chat=model, question=WHAT, settings=TWO)
    assert MORE not in model.forms[0] and MORE not in model.asked[0][0]["content"]
    off = chat("The copper oven of hall a dries samples [1].")
    put(*POOL, chat=off, question=WHAT, settings=AnswerSettings(passages=2, more=False))
    assert MORE not in off.forms[0] and MORE not in off.asked[0][0]["content"]


def test_where_both_do_not_fit_the_next_passages_stand_instead_of_the_first(put: Put, chat: Any) -> None:
    long = "The copper oven of hall a dries samples gently. " * 20
    model = chat(MORE, "The copper oven of hall k dries samples [2].", context=250)
    done = final(put(long, HALL, chat=model, question=WHAT, settings=AnswerSettings(passages=1, max_tokens=60)))
    assert len(model.asked[1]) == 2 and "<passage 1>" not in model.asked[1][-1]["content"]
    assert done.answer == "The copper oven of hall k dries samples. [2]"


def test_a_question_longer_than_the_model_holds_costs_only_its_prose(put: Put, chat: Any) -> None:
    done = final(put(DRIED, chat=chat("Samples are dried for 48 hours [1].", context=60)))
    assert done.mode == "extractive" and any("no passage fits" in s for s in done.steps)


def test_what_begins_like_the_request_and_is_none_is_shown_whole(put: Put, chat: Any) -> None:
    said = "MORE PASSAGES say that samples are dried for 48 hours [1]."
    assert shown(put(*POOL, chat=chat(said), question=WHAT, settings=TWO)) == said


# How fast


def test_how_fast_the_model_wrote_is_part_of_the_answer_also_where_its_text_does_not_stand(put: Put, chat: Any) -> None:
    speed = final(put(DRIED, chat=chat("Samples are dried for 48 hours [1]."))).speed
    assert speed is not None and speed.tokens == 7 and speed.first_token_ms >= 0 and speed.tokens_per_second
    small = AnswerSettings(small=True)
    assert final(put(DRIED, chat=chat("The moon is made of cheese [1]."), settings=small)).speed is not None
    assert final(put(DRIED, chat=None)).speed is None
