"""The chat client against a child that dies on demand, and against the real model where it is here."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inro import paths
from inro.errors import ModelError, ModelMissing, WorkerCrashed
from inro.workers.chat import ChatWorker
from inro.workers.machine import Machine

CHILDREN = Path(__file__).parent / "children"
ASK = [{"role": "user", "content": "How long are samples dried?"}]
SAID = "Samples are dried for 48 hours [2]."

Worker = Callable[[str], ChatWorker]


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    """A worker on a parrot of the given kind; one memory of the machine for all of a test."""
    monkeypatch.syspath_prepend(str(CHILDREN))
    machine = Machine(tmp_path / "machine.json")
    made: list[ChatWorker] = []

    def make(kind: str) -> ChatWorker:
        model = tmp_path / f"{kind}.gguf"
        model.touch()
        made.append(ChatWorker(model, module="parrot", machine=machine, timeout=20))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_an_answer_streams_in_pieces(worker: Worker) -> None:
    pieces = list(worker("steady").stream(ASK, 50))
    assert len(pieces) > 3 and "".join(pieces) == SAID


def test_the_context_is_what_the_model_has_not_what_was_wanted(worker: Worker) -> None:
    assert worker("steady").context == 512


def test_tokens_are_counted_by_the_model(worker: Worker) -> None:
    one = worker("steady")
    assert one.count_tokens("a b c") == 3
    assert one.count_many(["a", "a b", ""]) == [1, 2, 0]
    assert one.count_prompt(ASK) == 9


def test_a_crash_in_mid_answer_is_mended_without_a_word_lost_or_repeated(worker: Worker) -> None:
    frail = worker("frail")
    assert "".join(frail.stream(ASK, 50)) == SAID
    assert len(frail.crashes) == 1 and "SIGSEGV" in frail.crashes[0]
    later = worker("frail")
    assert "".join(later.stream(ASK, 50)) == SAID
    assert later.crashes == ()


def test_a_crash_while_loading_is_mended_too(worker: Worker) -> None:
    stillborn = worker("stillborn")
    assert stillborn.context == 512
    assert "".join(stillborn.stream(ASK, 50)) == SAID
    assert len(stillborn.crashes) == 1


def test_a_second_crash_is_an_error_after_what_was_said(worker: Worker) -> None:
    got: list[str] = []
    with pytest.raises(WorkerCrashed, match="SIGSEGV"):
        for piece in worker("doomed").stream(ASK, 50):
            got.append(piece)
    assert SAID.startswith("".join(got)) and got


def test_what_the_model_cannot_do_is_an_error_in_words(worker: Worker) -> None:
    one = worker("steady")
    with pytest.raises(ModelError, match="9999 tokens"):
        list(one.stream([{"role": "user", "content": "too long"}], 50))
    assert "".join(one.stream(ASK, 50)) == SAID


def test_cancel_ends_the_stream_and_leaves_the_worker_of_use(worker: Worker) -> None:
    slow = worker("slow")
    got: list[str] = []
    for piece in slow.stream(ASK, 50):
        got.append(piece)
        if len(got) == 2:
            threading.Thread(target=slow.cancel).start()
            time.sleep(0.02)
    assert 2 <= len(got) < 7
    assert "".join(slow.stream(ASK, 50)) == SAID


def test_leaving_a_stream_early_leaves_the_worker_of_use(worker: Worker) -> None:
    slow = worker("slow")
    for _ in slow.stream(ASK, 50):
        break
    assert "".join(slow.stream(ASK, 50)) == SAID


def test_a_closed_worker_loads_again_when_asked(worker: Worker) -> None:
    one = worker("steady")
    assert "".join(one.stream(ASK, 50)) == SAID
    one.close()
    assert "".join(one.stream(ASK, 50)) == SAID


def test_a_model_that_is_not_here_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"nowhere\.gguf.*Do: inro models"):
        ChatWorker(tmp_path / "nowhere.gguf")


def test_a_file_that_is_no_model_is_an_error_in_words(tmp_path: Path) -> None:
    """Through the real child."""
    fake = tmp_path / "fake.gguf"
    fake.write_bytes(b"GGUF" + bytes(100))
    with ChatWorker(fake, machine=Machine(tmp_path / "machine.json")) as one, pytest.raises(ModelError):
        list(one.stream(ASK, 5))


@pytest.mark.models
def test_the_real_model_streams_counts_and_is_cancelled_quickly(tmp_path: Path) -> None:
    found = sorted(paths.models_dir().rglob("SmolLM2-135M*.gguf"))
    if not found:
        pytest.skip("the chat model is not fetched")
    with ChatWorker(found[0], context=1024, machine=Machine(tmp_path / "machine.json")) as one:
        assert one.context == 1024
        assert one.count_tokens("<|im_start|>") > 1, "a control token in a text is only text"
        text = "".join(one.stream([{"role": "user", "content": "Say hello."}], 8))
        assert text.strip()
        pieces = []
        for piece in one.stream([{"role": "user", "content": "Count from one to one hundred."}], 400):
            pieces.append(piece)
            if len(pieces) == 2:
                one.cancel()
        assert len(pieces) < 10
        with pytest.raises(ModelError, match="tokens"):
            list(one.stream([{"role": "user", "content": "word " * 2000}], 5))


@pytest.mark.models
def test_a_cancelled_prompt_and_a_closed_stream_compute_nothing_more(tmp_path: Path) -> None:
    found = sorted(paths.models_dir().rglob("SmolLM2-135M*.gguf"))
    if not found:
        pytest.skip("the chat model is not fetched")
    with ChatWorker(found[0], context=4096, machine=Machine(tmp_path / "machine.json")) as one:
        long = [{"role": "user", "content": "All work and no play. " * 400}]
        prompt = one.count_prompt(long)
        before = one.computed()
        stop = threading.Timer(0.3, one.cancel)
        stop.start()
        assert list(one.stream(long, 400)) == []
        assert one.computed() - before < prompt, "the prompt was left in its middle"

        before = one.computed()
        stream = one.stream([{"role": "user", "content": "Count from one to one hundred."}], 400)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert one.computed() - before < 400, "what nobody reads is not written"
