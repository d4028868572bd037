"""Very small encoders of the shapes that real ones are published in, with a slow reference for each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Style: TypeAlias = Literal["last_hidden_state", "token_embeddings", "sentence_embedding", "pooled"]

WORDS = 40
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


@dataclass(frozen=True)
class TinyEncoder:
    """Files of one encoder: a token's state is its own row plus the mean of all rows of the text."""

    model: Path
    tokenizer: Path
    rows: NDArray[np.float32]

    def ids(self, text: str, max_tokens: int) -> list[int]:
        words = [int(w[1:]) + 4 if w[:1] == "w" and w[1:].isdigit() else 3 for w in text.split()]
        return [0, *words[: max_tokens - 2], 2]

    def vector(self, text: str, pooling: str, max_tokens: int = 32) -> NDArray[np.float32]:
        """The unit vector by the definition, one text at a time."""
        states = self.rows[self.ids(text, max_tokens)]
        states = states + states.mean(axis=0)
        pooled = states[0] if pooling == "cls" else states.mean(axis=0)
        unit: NDArray[np.float32] = pooled / np.linalg.norm(pooled)
        return unit

    def states(self, text: str, max_tokens: int = 32) -> NDArray[np.float32]:
        """float32[t, d]: the states of all tokens by the definition, special ones too."""
        own = self.rows[self.ids(text, max_tokens)]
        states: NDArray[np.float32] = own + own.mean(axis=0)
        return states


def make_encoder(
    folder: Path, style: Style = "last_hidden_state", dimension: int = 16, *, rows: NDArray[np.float32] | None = None
) -> TinyEncoder:
    """Write `model.onnx` and `tokenizer.json` into the folder."""
    from onnx import TensorProto, helper, numpy_helper, save

    if rows is None:
        rows = np.random.default_rng(7).normal(size=(len(SPECIAL) + WORDS, dimension)).astype(np.float32)
    constants = [
        numpy_helper.from_array(rows, "rows"),
        numpy_helper.from_array(np.array([2], np.int64), "last_axis"),
        numpy_helper.from_array(np.array([1], np.int64), "token_axis"),
        numpy_helper.from_array(np.array(0, np.int64), "first"),
    ]
    states = "sentence_states" if style in ("sentence_embedding", "pooled") else style
    nodes: list[Any] = [
        helper.make_node("Gather", ["rows", "input_ids"], ["own"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last_axis"], ["kept"]),
        helper.make_node("Mul", ["own", "kept"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "token_axis"], ["sum"], keepdims=1),
        helper.make_node("ReduceSum", ["kept", "token_axis"], ["count"], keepdims=1),
        helper.make_node("Div", ["sum", "count"], ["mean"]),
        helper.make_node("Add", ["own", "mean"], [states if style != "token_embeddings" else "plain"]),
    ]
    inputs = ["input_ids", "attention_mask"]
    outputs: list[tuple[str, int]] = [(states, 3)]
    if style == "token_embeddings":
        inputs.append("token_type_ids")
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["kinds"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["kinds", "last_axis"], ["kind"]),
            helper.make_node("Add", ["plain", "kind"], [states]),
        ]
    if style in ("sentence_embedding", "pooled"):
        nodes.append(helper.make_node("Gather", [states, "first"], ["sentence_embedding"], axis=1))
        outputs = [("sentence_embedding", 2)]
    if style == "sentence_embedding":
        outputs = [("token_embeddings", 3), *outputs]
        nodes.append(helper.make_node("Identity", [states], ["token_embeddings"]))
    axes: dict[int, list[Any]] = {2: ["batch", dimension], 3: ["batch", "length", dimension]}
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, axes[rank]) for name, rank in outputs],
        constants,
    )
    folder.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)])
    save(model, str(folder / "model.onnx"))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()), encoding="utf-8")
    return TinyEncoder(folder / "model.onnx", folder / "tokenizer.json", rows)


@dataclass(frozen=True)
class TinyPairs:
    """Files of one cross-encoder: the score is the product of the sums of the rows of question and of text."""

    model: Path
    tokenizer: Path
    rows: NDArray[np.float32]

    def score(self, question: Sequence[int], text: Sequence[int]) -> float:
        """The score by the definition, of numbers of words."""
        first = self.rows[[0, *(n + 4 for n in question), 2]].sum(axis=0, dtype=np.float64)
        second = self.rows[[*(n + 4 for n in text), 2]].sum(axis=0, dtype=np.float64)
        return float(first @ second)


def make_pairs(folder: Path, *, outputs: int = 1) -> TinyPairs:
    """Write `model.onnx` and `tokenizer.json`; with two outputs the first says what speaks against the text."""
    from onnx import TensorProto, helper, numpy_helper, save

    rows = np.random.default_rng(11).normal(size=(len(SPECIAL) + WORDS, 8)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["own"]),
        helper.make_node("Cast", ["attention_mask"], ["kept"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["kinds"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["kept", "kinds"], ["second"]),
        helper.make_node("Sub", ["kept", "second"], ["first"]),
    ]
    for part in ("first", "second"):
        nodes += [
            helper.make_node("Unsqueeze", [part, "last_axis"], [f"{part}_mask"]),
            helper.make_node("Mul", ["own", f"{part}_mask"], [f"{part}_rows"]),
            helper.make_node("ReduceSum", [f"{part}_rows", "token_axis"], [f"{part}_sum"], keepdims=0),
        ]
    nodes += [
        helper.make_node("Mul", ["first_sum", "second_sum"], ["products"]),
        helper.make_node("ReduceSum", ["products", "token_axis"], ["score"], keepdims=1),
        helper.make_node("MatMul", ["score", "spread"], ["logits"]),
    ]
    spread = np.array([[1.0]] if outputs == 1 else [[-0.5, 0.5]], np.float32)
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        nodes,
        "pairs",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])],
        [
            numpy_helper.from_array(rows, "rows"),
            numpy_helper.from_array(spread, "spread"),
            numpy_helper.from_array(np.array([2], np.int64), "last_axis"),
            numpy_helper.from_array(np.array([1], np.int64), "token_axis"),
        ],
    )
    folder.mkdir(parents=True, exist_ok=True)
    save(
        helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)]), str(folder / "model.onnx")
    )
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer()), encoding="utf-8")
    return TinyPairs(folder / "model.onnx", folder / "tokenizer.json", rows)


def _tokenizer() -> dict[str, Any]:
    vocabulary = [*SPECIAL, *(f"w{i}" for i in range(WORDS))]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    ends = {token: {"id": token, "ids": [vocabulary.index(token)], "tokens": [token]} for token in ("<s>", "</s>")}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": t, "special": True, **flags} for i, t in enumerate(SPECIAL)],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
                {"Sequence": {"id": "B", "type_id": 1}},
                {"SpecialToken": {"id": "</s>", "type_id": 1}},
            ],
            "special_tokens": ends,
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {t: i for i, t in enumerate(vocabulary)}, "unk_token": "<unk>"},
    }
