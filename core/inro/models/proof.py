"""Prove that a model made on this machine computes what it should: the cosines between a few known sentences.

Rule: a hash says that a file is the one that was made, a proof says that what was made is right. The reference was
computed by the C engine that is published with the weights, not by this code.
It does not know how a model is made or fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inro.errors import ModelDamaged
from inro.models.registry import ModelSpec


@dataclass(frozen=True, slots=True)
class Reference:
    """Sentences, and the cosines between their passage vectors."""

    sentences: tuple[str, ...]
    cosines: tuple[float, ...]
    """Of the pairs (0, 1), (0, 2), … (1, 2), …; one for each pair."""
    tolerance: float
    """The largest difference that quantisation may make to one of the cosines."""


SENTENCES = (
    "試料は測定の前に乾燥庫で一晩乾かす。",
    "Dry the specimen in the desiccator overnight before weighing it.",
    "测量之前，样品要在干燥器中放置一夜。",
    "来月の会議は火曜日の午後三時に変わりました。",
    "The budget meeting has been moved to Tuesday at three.",
    "预算会议改到星期二下午三点。",
    "溶液が白く濁ったら加熱を止め、記録を残すこと。",
    "The old lighthouse keeper fed the gulls every morning.",
)
REFERENCES = {
    "multilingual-e5-small": Reference(
        SENTENCES,
        (
            *(0.8611, 0.9211, 0.8588, 0.7478, 0.8172, 0.9160, 0.7467),
            *(0.8549, 0.7790, 0.7915, 0.7628, 0.8315, 0.8185),
            *(0.8325, 0.7432, 0.8683, 0.8826, 0.7311),
            *(0.8316, 0.8975, 0.8495, 0.7354),
            *(0.8416, 0.7406, 0.7489),
            *(0.8180, 0.7119),
            0.7307,
        ),
        tolerance=0.015,
    ),
}
ALIKE = 0.98
"""Least cosine between a sentence's vectors before and after quantisation."""


def deviation(spec: ModelSpec, model: Path, tokenizer: Path) -> float | None:
    """The largest difference to the reference's cosines; None for a model without a reference.

    Raises ModelDamaged when the files cannot be run as this model.
    """
    reference = REFERENCES.get(spec.name)
    if reference is None:
        return None
    vectors = _vectors(spec, model, tokenizer, reference.sentences)
    cosines = np.array([float(vectors[i] @ vectors[j]) for i, j in combinations(range(len(vectors)), 2)])
    return float(np.abs(cosines - np.array(reference.cosines)).max())


def prove(spec: ModelSpec, model: Path, tokenizer: Path) -> float:
    """The deviation, if it is within the tolerance; 0 for a model without a reference. Raises ModelDamaged."""
    found = deviation(spec, model, tokenizer)
    if found is None:
        return 0.0
    allowed = REFERENCES[spec.name].tolerance
    if not found <= allowed:
        raise ModelDamaged(
            f"{model} does not compute what {spec.name} does: cosines differ by {found:.3f}, allowed {allowed}",
            f"inro models fetch {spec.name}",
        )
    return found


def prove_alike(spec: ModelSpec, plain: Path, quantised: Path, tokenizer: Path) -> float:
    """The least cosine between the vectors of two forms of a model. Raises ModelDamaged when it is too low."""
    before = _vectors(spec, plain, tokenizer, SENTENCES)
    after = _vectors(spec, quantised, tokenizer, SENTENCES)
    least = float((before * after).sum(axis=1).min())
    if not least >= ALIKE:
        raise ModelDamaged(
            f"{quantised} differs from {plain}: least cosine {least:.3f}, needed {ALIKE}",
            f"inro models fetch {spec.name}",
        )
    return least


def _vectors(spec: ModelSpec, model: Path, tokenizer: Path, sentences: tuple[str, ...]) -> npt.NDArray[np.float32]:
    from inro_native.onnx_embed import OnnxEncoder

    try:
        encoder = OnnxEncoder(
            str(model),
            str(tokenizer),
            dimension=spec.dimension,
            pooling=spec.pooling,
            max_tokens=spec.max_tokens,
        )
        return encoder.encode([spec.passage_prefix + s for s in sentences])[0]
    except ValueError as e:
        raise ModelDamaged(str(e), f"inro models fetch {spec.name}") from e
