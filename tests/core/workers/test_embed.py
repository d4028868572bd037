"""The embedding worker gives the vectors of its model, and goes on after a crash where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from encoders import TinyEncoder, make_encoder
from numpy.typing import NDArray

from inro.errors import ModelDamaged, ModelError, ModelMissing, WorkerCrashed
from inro.workers import embed
from inro.workers.embed import EmbedModel, EmbedWorker
from inro.workers.machine import Machine

LIMIT = 32


@pytest.fixture
def tiny(tmp_path: Path) -> TinyEncoder:
    return make_encoder(tmp_path / "tiny")


@pytest.fixture
def model(tiny: TinyEncoder) -> EmbedModel:
    files = (str(tiny.model), str(tiny.tokenizer))
    return EmbedModel("tiny", *files, 16, "mean", LIMIT, "w1 ", "w2 w3 ", "print")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine.json")


@pytest.fixture
def worker(model: EmbedModel, machine: Machine) -> Iterator[EmbedWorker]:
    with EmbedWorker(model, token_budget=40, machine=machine) as opened:
        yield opened


@pytest.fixture
def frail(
    model: EmbedModel, machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., EmbedWorker]]:
    """A worker whose child has the habits named."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "children"))
    opened: list[EmbedWorker] = []

    def open_frail(*habits: str) -> EmbedWorker:
        monkeypatch.setenv("FRAIL", " ".join([*habits, f"log={tmp_path / 'log'}"]))
        worker = EmbedWorker(model, token_budget=40, machine=machine, module="frail_embedder", timeout=60)
        opened.append(worker)
        return worker

    yield open_frail
    for worker in opened:
        worker.close()


TEXTS = [" ".join(f"w{(3 * i + j) % 40}" for j in range(1 + i * 5 % 17)) for i in range(12)]


def expected(tiny: TinyEncoder, texts: list[str], prefix: str = "w2 w3 ") -> NDArray[np.float32]:
    return np.stack([tiny.vector(prefix + text, "mean", LIMIT) for text in texts])


def test_passages_and_questions_have_their_own_prefix(worker: EmbedWorker, tiny: TinyEncoder) -> None:
    np.testing.assert_allclose(worker.passages(TEXTS), expected(tiny, TEXTS), atol=2e-6)
    np.testing.assert_allclose(worker.query("w9"), tiny.vector("w1 w9", "mean"), atol=2e-6)
    assert (worker.name, worker.fingerprint, worker.dimension) == ("tiny", "print", 16)
    assert worker.passages([]).shape == (0, 16)


def test_a_stream_over_several_requests_gives_every_text_once(
    worker: EmbedWorker, tiny: TinyEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "REQUEST_TEXTS", 5)
    monkeypatch.setattr(embed, "REQUEST_CHARACTERS", 60)
    wanted = expected(tiny, TEXTS)
    seen: list[int] = []
    for batch in worker.batches(TEXTS):
        np.testing.assert_allclose(batch.vectors, wanted[batch.indexes], atol=2e-6)
        seen += batch.indexes.tolist()
    assert sorted(seen) == list(range(len(TEXTS)))


def test_tokens_are_counted_with_prefix_and_ends(worker: EmbedWorker) -> None:
    assert worker.count_tokens(["", "w1", "w1 w2 odd", "w5 " * 100]).tolist() == [4, 5, 7, 104]


def test_what_is_cut_is_reported(worker: EmbedWorker) -> None:
    cut: dict[int, bool] = {}
    for batch in worker.batches(["w1", "w7 " * 50]):
        cut.update(zip(batch.indexes.tolist(), batch.cut.tolist(), strict=True))
        assert (batch.cut == (batch.tokens > LIMIT)).all()
    assert cut == {0: False, 1: True}
    assert worker.cut == 1


def test_odd_texts_pass(worker: EmbedWorker) -> None:
    odd = ["", "😀👩‍👩‍👧", "\ud83d alone", "nul \0 inside", "あ" * 1_000_000]
    np.testing.assert_allclose(np.linalg.norm(worker.passages(odd), axis=1), 1.0, atol=1e-5)
    assert worker.query("\udc00").shape == (16,)


def test_after_a_crash_only_what_was_not_received_is_asked_again_with_safe_settings(
    frail: Callable[..., EmbedWorker], tiny: TinyEncoder, machine: Machine, tmp_path: Path
) -> None:
    worker = frail()
    np.testing.assert_allclose(worker.passages(TEXTS), expected(tiny, TEXTS), atol=2e-6)
    asked = [int(n) for n in (tmp_path / "log").read_text().split()]
    assert asked[0] == len(TEXTS) and 0 < asked[1] < len(TEXTS)
    assert len(worker.crashes) == 1 and "SIGSEGV" in worker.crashes[0]
    assert machine.needs_safe(worker.machine_key)


def test_a_second_crash_is_raised_and_what_came_before_it_was_given(frail: Callable[..., EmbedWorker]) -> None:
    worker = frail("always")
    received = 0
    with pytest.raises(WorkerCrashed, match="SIGSEGV"):
        for batch in worker.batches(TEXTS):
            received += len(batch.indexes)
    assert 0 < received < len(TEXTS)
    assert len(worker.crashes) == 2


def test_vectors_nobody_asked_for_are_refused(frail: Callable[..., EmbedWorker]) -> None:
    with pytest.raises(ModelError, match="not asked for"):
        frail("lies").passages(TEXTS)


def test_a_cancelled_stream_ends_early_and_the_next_one_runs(worker: EmbedWorker, tiny: TinyEncoder) -> None:
    received = 0
    many = TEXTS * 100
    for batch in worker.batches(many):
        received += len(batch.indexes)
        worker.cancel()
    assert 0 < received < len(many)
    np.testing.assert_allclose(worker.passages(TEXTS), expected(tiny, TEXTS), atol=2e-6)


def test_leaving_a_stream_early_is_a_cancel_too(worker: EmbedWorker, tiny: TinyEncoder) -> None:
    for _ in worker.batches(TEXTS * 100):
        break
    np.testing.assert_allclose(worker.query("w3"), tiny.vector("w1 w3", "mean"), atol=2e-6)


def test_a_missing_file_is_told_before_a_process_starts(model: EmbedModel, machine: Machine) -> None:
    worker = EmbedWorker(replace(model, model="/nowhere/model.onnx"), machine=machine, module="no.such.module")
    with pytest.raises(ModelMissing, match=r"/nowhere/model\.onnx.*inro models fetch tiny"):
        worker.query("w1")


def test_a_file_that_is_no_model_is_damaged_not_a_crash(tiny: TinyEncoder, model: EmbedModel, machine: Machine) -> None:
    tiny.model.write_bytes(b"not a model")
    with EmbedWorker(model, machine=machine) as worker, pytest.raises(ModelDamaged, match="cannot be loaded"):
        worker.passages(["w1"])
    assert worker.crashes == ()


def test_a_closed_worker_starts_again_when_asked(worker: EmbedWorker) -> None:
    first = worker.query("w4")
    worker.close()
    np.testing.assert_array_equal(worker.query("w4"), first)


def test_token_states_leave_prefixes_out(worker: EmbedWorker, tiny: TinyEncoder) -> None:
    np.testing.assert_allclose(worker.token_states("w9 w8"), tiny.states("w2 w3 w9 w8")[3:-1], atol=2e-6)
    np.testing.assert_allclose(worker.token_states("w9", question=True), tiny.states("w1 w9")[2:-1], atol=2e-6)
    assert worker.token_states("").shape == (0, 16)


def test_a_model_without_token_states_says_so(tmp_path: Path, model: EmbedModel, machine: Machine) -> None:
    tiny = make_encoder(tmp_path / "pooled", "pooled")
    pooled = replace(model, model=str(tiny.model), tokenizer=str(tiny.tokenizer))
    with EmbedWorker(pooled, machine=machine) as worker, pytest.raises(ModelError, match="no token vectors"):
        worker.token_states("w1")
