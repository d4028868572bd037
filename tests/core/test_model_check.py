"""The test of a chat model tells a good one from one that invents, refuses everything, obeys or fails."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from inro.answer.orders import without_orders
from inro.errors import ModelError, ModelMissing, WorkerCrashed
from inro.model_check import Case, cases, check, declines, holds, run
from inro.records import ModelTrial, TrialCase
from inro.text.sentences import sentences

CASES = {case.question: case for case in cases()}


class Model:
    """Replies to each case as it is told to."""

    context = 4096

    def __init__(self, reply: Callable[[Case], str]) -> None:
        self._reply = reply
        self.asked: list[str] = []

    def stream(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        *,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        grammar: str = "",
    ) -> Iterator[str]:
        self.asked.append(messages[-1]["content"])
        question = messages[-1]["content"].rpartition("Question: ")[2]
        yield from (piece + " " for piece in self._reply(CASES[question]).split(" "))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def count_prompt(self, messages: Sequence[Mapping[str, str]]) -> int:
        return 10

    def peak_bytes(self) -> int:
        return 123

    def cancel(self) -> None:
        pass


def tried(reply: Callable[[Case], str]) -> tuple[list[TrialCase], ModelTrial]:
    """The results and the verdict; a tick of the clock is a tenth of a second."""
    ticks = itertools.count()
    *results, trial = run(Model(reply), "model.gguf", cases(), lambda: next(ticks) / 10)
    assert isinstance(trial, ModelTrial)
    return [r for r in results if isinstance(r, TrialCase)], trial


def good(case: Case) -> str:
    if not case.answers:
        return "記載がありません。" if "。" in case.passages[0] else "The passages do not mention it."
    number, sentence = next(
        (n, text[start:end])
        for n, text in enumerate(case.passages, 1)
        for start, end in sentences(text)
        if holds(text[start:end], case.answers)
    )
    return f"{sentence.strip()} [{number}]"


def test_the_cases_are_whole() -> None:
    kinds = {case.kind for case in cases()}
    assert kinds == {"answerable", "unanswerable", "number", "injection"}
    assert len({case.name for case in cases()}) == len(cases()) >= 18
    for case in cases():
        assert bool(case.answers) == (case.kind != "unanswerable"), case.name
        assert bool(case.forbidden) == (case.kind == "injection"), case.name
        assert any(holds(text, case.answers) for text in case.passages) == bool(case.answers), case.name
        # an order that the sieve takes out before the model sees it would test nothing
        assert all(without_orders(text) == text for text in case.passages), case.name


def test_every_passage_reaches_the_model() -> None:
    model = Model(good)
    list(run(model, "model.gguf", cases()))
    for case, prompt in zip(cases(), model.asked, strict=True):
        assert all(text in prompt for text in case.passages)


def test_a_good_model_is_recommended() -> None:
    results, trial = tried(good)
    assert [r.name for r in results if not r.right] == []
    assert trial.reasons == ()
    assert trial.recommended
    assert (trial.right, trial.citation_precision, trial.refusal_precision, trial.refusal_recall) == (1, 1, 1, 1)
    assert (trial.obeyed, trial.peak_bytes, trial.cases) == (0, 123, len(cases()))


def test_a_model_that_refuses_everything_is_not() -> None:
    _, trial = tried(lambda case: "The passages do not contain this information.")
    assert not trial.recommended
    assert (trial.right, trial.refusal_recall, trial.citation_precision) == (0, 1, None)
    assert trial.refusal_precision == sum(not case.answers for case in cases()) / len(cases())


def test_a_model_that_always_answers_is_not() -> None:
    _, trial = tried(lambda case: good(case) if case.answers else "It was 41 [1].")
    assert (trial.right, trial.refusal_recall, trial.refusal_precision) == (1, 0, None)
    assert not trial.recommended


def test_a_model_that_obeys_passages_is_not() -> None:
    _, trial = tried(lambda case: " ".join((good(case), *case.forbidden)))
    assert trial.obeyed == sum(case.kind == "injection" for case in cases())
    assert not trial.recommended


def test_a_model_that_cites_the_wrong_passage_is_not() -> None:
    _, trial = tried(lambda case: good(case).translate(str.maketrans("12", "21")) if case.answers else good(case))
    assert trial.citation_precision is not None
    assert trial.citation_precision < 0.8
    assert not trial.recommended


def test_an_error_is_a_failed_case_and_a_crash_ends_the_test() -> None:
    def fails(case: Case) -> str:
        raise ModelError("too long")

    def crashes(case: Case) -> str:
        raise WorkerCrashed("gone")

    results, trial = tried(fails)
    assert {r.failure for r in results} == {"too long"}
    assert trial.failed == len(cases())
    assert not trial.recommended
    with pytest.raises(WorkerCrashed):
        tried(crashes)


@pytest.mark.parametrize(
    "text",
    [
        "The passages do not hold the answer.",
        "No information about the price is given.",
        "I cannot find it in [1].",
        "The cost isn't mentioned.",
        "The answer is not available.",
        "通過文には記載がありません。",
        "費用についての情報はない。",
        "その答えは書かれていません。",
        "わかりません。",
        "不明です。",
        "文中没有提到价格。",
        "无法回答。",
    ],
)
def test_a_refusal_is_recognised(text: str) -> None:
    assert declines(text)


@pytest.mark.parametrize(
    "text",
    [
        "The oven must not exceed 150 °C [1].",
        "佐々木が管理しています。[1]",
        "開封しないでください。",
        "It is blue.",
        "不锈钢",
    ],
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not declines(text)


@pytest.mark.parametrize(
    ("text", "any_of", "found"),
    [
        ("It is １２０ ℃.", ["120"], True),
        ("1120", ["120"], False),
        ("12.48 g", ["12.48"], True),
        ("112.48", ["12.48"], False),
        ("1200", ["120"], False),
        ("Drawer  7", ["drawer 7"], True),
        ("drawer 77", ["drawer 7"], False),
        ("x", [], False),
    ],
)
def test_numbers_count_as_wholes(text: str, any_of: list[str], found: bool) -> None:
    assert holds(text, any_of) is found


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing):
        list(check(tmp_path / "nowhere.gguf"))
    file = tmp_path / "text.gguf"
    file.write_text("no model")
    with pytest.raises(ModelError):
        list(check(file))


@pytest.mark.models
def test_a_real_model_is_measured(models_folder: Path) -> None:
    from inro.workers.chat import ChatWorker

    with ChatWorker(next((models_folder / "smollm2-135m-instruct").glob("*.gguf"))) as chat:
        first, trial = run(chat, "tiny", cases()[:1])
    assert isinstance(first, TrialCase)
    assert isinstance(trial, ModelTrial)
    assert first.reply
    assert not first.failure
    assert trial.peak_bytes > 50_000_000
    assert trial.load_seconds > 0
