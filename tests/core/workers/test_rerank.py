"""The reranking worker gives the scores of its model, and says in words what it cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from encoders import TinyPairs, make_pairs

from inro.errors import ModelDamaged, ModelMissing, WorkerCrashed
from inro.workers.machine import Machine
from inro.workers.rerank import RerankModel, RerankWorker


@pytest.fixture
def tiny(tmp_path: Path) -> TinyPairs:
    return make_pairs(tmp_path / "pairs")


@pytest.fixture
def model(tiny: TinyPairs) -> RerankModel:
    return RerankModel("pairs", str(tiny.model), str(tiny.tokenizer), 32)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine.json")


@pytest.fixture
def frail(model: RerankModel, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[RerankWorker]:
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "children"))
    with RerankWorker(model, machine=machine, module="frail_reranker", timeout=60) as worker:
        yield worker


def test_scores_are_the_model_s_and_a_closed_worker_starts_again(
    tiny: TinyPairs, model: RerankModel, machine: Machine
) -> None:
    with RerankWorker(model, machine=machine) as worker:
        worker.warm()
        for _ in range(2):
            found = worker.scores("w1 w2", ["w3", "w4 w5", ""])
            assert found.tolist() == pytest.approx([tiny.score([1, 2], t) for t in ([3], [4, 5], [])], rel=1e-4)
            worker.close()
        assert worker.scores("w1", []).shape == (0,)


def test_after_a_crash_the_model_runs_on_with_safe_settings(frail: RerankWorker, tiny: TinyPairs) -> None:
    assert frail.scores("w1", ["w2"])[0] == pytest.approx(tiny.score([1], [2]), rel=1e-4)
    assert frail.scores("w1", ["w3"])[0] == pytest.approx(tiny.score([1], [3]), rel=1e-4)


def test_a_second_crash_is_raised_by_its_name(frail: RerankWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRAIL", "always")
    with pytest.raises(WorkerCrashed, match="SIGSEGV"):
        for _ in range(4):
            frail.scores("w1", ["w2"])


def test_missing_and_damaged_files_are_told_apart(tiny: TinyPairs, model: RerankModel, machine: Machine) -> None:
    with pytest.raises(ModelMissing, match=r"/nowhere\.onnx"):
        RerankWorker(replace(model, model="/nowhere.onnx"), machine=machine).scores("w1", ["w2"])
    tiny.model.write_bytes(b"\x08 no graph")
    with RerankWorker(model, machine=machine) as worker, pytest.raises(ModelDamaged, match="cannot be loaded"):
        worker.scores("w1", ["w2"])
