"""A model is believed only when it computes the known cosines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from encoders import make_encoder

from inro.errors import ModelDamaged
from inro.models import files, proof, verify
from inro.models.fetch import staged
from inro.models.install import install
from inro.models.registry import Member, ModelSpec, Source, find

E5 = "multilingual-e5-small"


def test_the_reference_has_a_cosine_for_every_pair_and_tells_unlike_from_alike() -> None:
    reference = proof.REFERENCES[E5]
    pairs = list(combinations(range(len(reference.sentences)), 2))
    assert len(reference.cosines) == len(pairs)
    across = dict(zip(pairs, reference.cosines, strict=True))
    assert min(across[0, 1], across[0, 2], across[1, 2]) > max(across[0, 7], across[2, 7]) + 2 * reference.tolerance


def test_another_model_does_not_pass_as_this_one(tmp_path: Path) -> None:
    tiny = make_encoder(tmp_path, dimension=384)
    with pytest.raises(ModelDamaged, match="cosines differ by"):
        proof.prove(find(E5), tiny.model, tiny.tokenizer)


def test_a_file_that_does_not_run_does_not_pass(tmp_path: Path) -> None:
    tiny = make_encoder(tmp_path, dimension=16)
    with pytest.raises(ModelDamaged, match="vectors of 16, not of 384"):
        proof.prove(find(E5), tiny.model, tiny.tokenizer)


def test_two_forms_of_a_model_must_agree(tmp_path: Path) -> None:
    spec = replace(find("bge-m3"), dimension=64)
    one = make_encoder(tmp_path / "one", "sentence_embedding", 64)
    near = make_encoder(tmp_path / "near", "sentence_embedding", 64, rows=one.rows + np.float32(0.001))
    far = make_encoder(tmp_path / "far", "sentence_embedding", 64, rows=-one.rows)
    assert proof.prove_alike(spec, one.model, near.model, one.tokenizer) > 0.999
    with pytest.raises(ModelDamaged, match="least cosine"):
        proof.prove_alike(spec, one.model, far.model, one.tokenizer)


def test_a_published_float_model_is_quantised_with_a_shared_tokenizer(
    models_root: Path, tmp_path: Path, listed: Callable[..., None]
) -> None:
    """The way of bge-m3, with a small file of its shape."""
    tiny = make_encoder(tmp_path / "tiny", "sentence_embedding", 64)
    member = Member("onnx/model.onnx", "model.onnx", files.sha256_of(tiny.model))
    source = Source("hub", (member,), address="https://nowhere/{path}")
    spec: ModelSpec = replace(find("bge-m3"), dimension=64, sources=(source,))
    other = replace(find(E5), files=(replace(find(E5).files[1], made=True),))
    listed(spec, other)
    files.folder(other).mkdir(parents=True)
    tiny.tokenizer.rename(files.folder(other) / "tokenizer.json")
    staged(spec, member).parent.mkdir(parents=True)
    tiny.model.rename(staged(spec, member))

    events = list(install(spec))
    assert [event.phase for event in events] == ["convert", "done"]
    assert not staged(spec, member).exists()
    assert set(files.manifest(spec)) == {"model-int8.onnx", "tokenizer.json"}
    checks = list(verify([spec.name]))
    assert [check.ok for check in checks] == [True, True, True]


@pytest.mark.models
def test_the_installed_default_is_proved_and_a_wrong_reference_is_told(
    models_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = {check.name: check for check in verify([E5])}
    assert [check.ok for check in checks.values()] == [True, True, True]
    assert "within 0.0" in checks[f"{E5}/proof"].found
    reference = proof.REFERENCES[E5]
    shifted = replace(reference, cosines=tuple(c - 0.05 for c in reference.cosines))
    monkeypatch.setitem(proof.REFERENCES, E5, shifted)
    *_, told = verify([E5])
    assert not told.ok and "inro models fetch" in told.mend


KNOWN_IDS = {
    "乾燥庫（デシケーター）の使い方": [0, 6, 92786, 30114, 132, 20535, 12819, 159371, 17852, 16, 154, 162687, 2],
    "Dry the specimen at 105 °C for 2 h.": [
        *(0, 140066, 70, 40140, 1055, 99, 21213, 16207, 441, 100, 116, 1096, 5, 2),
    ],
    "样品要在干燥器中放置一夜。": [0, 6, 35567, 3730, 97685, 209213, 5032, 514, 105857, 148059, 30, 2],
    "範囲は１０～２０ ㎛": [0, 6, 99458, 342, 963, 6087, 1549, 15247, 39, 2],
    "two  spaces\tand a tab": [0, 6626, 32628, 7, 136, 10, 20928, 2],
}
"""Token ids of XLM-R, as the C engine published with the weights gave them."""


@pytest.mark.models
def test_the_installed_tokenizer_gives_the_ids_of_the_published_engine(models_folder: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(files.require(E5)["tokenizer.json"]))
    assert tokenizer.get_vocab_size() == 250002
    for text, ids in KNOWN_IDS.items():
        assert tokenizer.encode(text).ids == ids
