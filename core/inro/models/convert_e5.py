"""Turn the packed 4-bit e5 file into what any ONNX runtime reads: a BERT graph and a tokenizer file.

Rule: standard operators only (opset 18), inputs `input_ids` and `attention_mask` int64[batch, length], output
`last_hidden_state` float32[batch, length, hidden]; both axes free. The word embedding keeps its 4-bit blocks and
is unpacked for the rows that are looked up, which is exact and leaves out 96 million stored floats.
The token type is always 0, so its row is added to the position embedding once.
It does not know pooling, prefixes or files on disk.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from inro.models.charsmap import compile_charsmap
from inro.models.packed_e5 import PackedE5

OPSET = 18
IR_VERSION = 8
"""The oldest that has this opset, so that older runtimes open the file too."""
_MASKED = -1e4
"""Added to the logits of padding; finite, so that a row of padding alone stays finite."""


class _Graph:
    """Collects nodes and weights; a method returns the name of the value it made."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, name: str, values: Any) -> str:
        from onnx import numpy_helper

        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def whole(self, name: str, *values: int) -> str:
        """A constant int64 vector: shapes and axes."""
        return self.weight(name, np.array(values, np.int64))

    def scalar(self, name: str, value: float) -> str:
        return self.weight(name, np.array(value, np.float32))

    def op(self, kind: str, *inputs: str, named: str = "", **attributes: Any) -> str:
        return self.ops(kind, *inputs, outputs=[named or f"{kind.lower()}_{len(self.nodes)}"], **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: list[str], **attributes: Any) -> list[str]:
        from onnx import helper

        name = f"{len(self.nodes)}_{kind}"
        self.nodes.append(helper.make_node(kind, list(inputs), outputs, name=name, **attributes))
        return outputs


def build_graph(packed: PackedE5) -> Any:
    """The encoder as an `onnx.ModelProto`, its MatMul weights float32."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    hidden = _embedding(graph, packed)
    kept = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    kept = graph.op("Unsqueeze", kept, graph.whole("axes_of_head_and_query", 1, 2))
    padding = graph.op("Sub", graph.scalar("one", 1.0), kept)
    bias = graph.op("Mul", padding, graph.scalar("masked", _MASKED))
    graph.whole("shape_of_heads", 0, 0, packed.heads, packed.hidden // packed.heads)
    graph.whole("shape_of_hidden", 0, 0, packed.hidden)
    graph.scalar("scale", (packed.hidden // packed.heads) ** -0.25)
    graph.scalar("root_two", 2.0**0.5)
    graph.scalar("half", 0.5)
    for layer in range(packed.layers):
        last = layer == packed.layers - 1
        hidden = _layer(graph, packed, layer, hidden, bias, "last_hidden_state" if last else "")
    axes = ["batch", "length"]
    body = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info("input_ids", TensorProto.INT64, axes),
            helper.make_tensor_value_info("attention_mask", TensorProto.INT64, axes),
        ],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, packed.hidden])],
        graph.weights,
    )
    model = helper.make_model(
        body,
        producer_name="inro",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    checker.check_model(model)
    return model


def _embedding(graph: _Graph, packed: PackedE5) -> str:
    """Word rows unpacked from their blocks, plus position and type rows, normalised."""
    from onnx import TensorProto

    words = packed.blocks("emb.word", packed.rows, packed.hidden)
    codes = graph.op("Gather", graph.weight("emb.word.codes", words.codes), "input_ids", axis=0)
    low = graph.op("BitwiseAnd", codes, graph.weight("low_bits", np.array(0x0F, np.uint8)))
    high = graph.op("BitShift", codes, graph.weight("four", np.array(4, np.uint8)), direction="RIGHT")
    both = graph.op("Concat", low, high, axis=3)
    centred = graph.op("Sub", graph.op("Cast", both, to=TensorProto.FLOAT), graph.scalar("eight", 8.0))
    scales = graph.op("Gather", graph.weight("emb.word.scales", words.scales), "input_ids", axis=0)
    scales = graph.op("Cast", scales, to=TensorProto.FLOAT)
    scales = graph.op("Unsqueeze", scales, graph.whole("axes_in_block", 3))
    word = graph.op("Mul", centred, scales)
    word = graph.op("Reshape", word, graph.whole("shape_of_word", 0, 0, packed.hidden))

    positions = packed.vector("emb.pos", packed.positions * packed.hidden).reshape(-1, packed.hidden)
    kind = packed.vector("emb.type", 2 * packed.hidden)[: packed.hidden]
    length = graph.op("Shape", "input_ids", start=1, end=2)
    rows = graph.op(
        "Slice",
        graph.weight("emb.position", positions + kind),
        graph.whole("from_first", 0),
        length,
        graph.whole("axis_of_rows", 0),
    )
    return _normalise(graph, packed, graph.op("Add", word, rows), "emb.ln")


def _layer(graph: _Graph, packed: PackedE5, layer: int, hidden: str, bias: str, named: str) -> str:
    """One encoder layer; query, key and value share one product, so the input is quantised once for all three."""
    stem, width = f"l{layer}", packed.hidden
    parts = [packed.blocks(f"{stem}.{p}.w", width, width).floats() for p in "qkv"]
    biases = [packed.vector(f"{stem}.{p}.b", width) for p in "qkv"]
    all_three = graph.op("MatMul", hidden, graph.weight(f"{stem}.qkv.w", np.concatenate(parts).T))
    all_three = graph.op("Add", all_three, graph.weight(f"{stem}.qkv.b", np.concatenate(biases)))
    split = [f"{stem}_{p}" for p in ("query", "key", "value")]
    graph.ops("Split", all_three, outputs=split, axis=2, num_outputs=3)
    query, key, value = (graph.op("Reshape", part, "shape_of_heads") for part in split)
    # the square root of the scale on both sides keeps the logits small before they are multiplied
    query = graph.op("Mul", graph.op("Transpose", query, perm=[0, 2, 1, 3]), "scale")
    key = graph.op("Mul", graph.op("Transpose", key, perm=[0, 2, 3, 1]), "scale")
    value = graph.op("Transpose", value, perm=[0, 2, 1, 3])
    logits = graph.op("Add", graph.op("MatMul", query, key), bias)
    mixed = graph.op("MatMul", graph.op("Softmax", logits, axis=-1), value)
    mixed = graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), "shape_of_hidden")
    mixed = _linear(graph, packed, f"{stem}.ao", mixed, width, width)
    hidden = _normalise(graph, packed, graph.op("Add", mixed, hidden), f"{stem}.aln")

    inner = _linear(graph, packed, f"{stem}.fi", hidden, packed.inner, width)
    # the exact form, x (1 + erf(x / sqrt 2)) / 2, spelled as runtimes expect it to make it one kernel
    erf = graph.op("Erf", graph.op("Div", inner, "root_two"))
    inner = graph.op("Mul", graph.op("Mul", inner, graph.op("Add", erf, "one")), "half")
    outer = _linear(graph, packed, f"{stem}.fo", inner, width, packed.inner)
    return _normalise(graph, packed, graph.op("Add", outer, hidden), f"{stem}.oln", named)


def _linear(graph: _Graph, packed: PackedE5, name: str, value: str, outputs: int, inputs: int) -> str:
    weights = packed.blocks(f"{name}.w", outputs, inputs).floats()
    product = graph.op("MatMul", value, graph.weight(f"{name}.w", weights.T))
    return graph.op("Add", product, graph.weight(f"{name}.b", packed.vector(f"{name}.b", outputs)))


def _normalise(graph: _Graph, packed: PackedE5, value: str, name: str, named: str = "") -> str:
    weight = graph.weight(f"{name}.w", packed.vector(f"{name}.w", packed.hidden))
    bias = graph.weight(f"{name}.b", packed.vector(f"{name}.b", packed.hidden))
    inputs = (value, weight, bias)
    return graph.op("LayerNormalization", *inputs, named=named, axis=-1, epsilon=packed.epsilon)


def build_tokenizer(packed: PackedE5) -> str:
    """The XLM-R unigram tokenizer as the JSON text of a `tokenizers` file.

    The character map holds single code points (NFKC and white space rules without composition), so NFC follows
    it: together they are NFKC, with the map's own exceptions such as the wave dash kept wide.
    White space at the end is dropped and runs are one space, as SentencePiece does.
    """
    special = {"bos": packed.bos, "pad": packed.pad, "eos": packed.eos, "unk": packed.unknown}
    words = {role: packed.pieces[i] for role, i in special.items()}
    added = sorted({*special.values(), *(i for i, p in enumerate(packed.pieces) if p == "<mask>")})
    charsmap = base64.b64encode(compile_charsmap(packed.characters)).decode("ascii")
    sequence = {"A": {"id": "A", "type_id": 0}, "B": {"id": "B", "type_id": 0}}
    bos = {"SpecialToken": {"id": words["bos"], "type_id": 0}}
    eos = {"SpecialToken": {"id": words["eos"], "type_id": 0}}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": i,
                "content": packed.pieces[i],
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for i in added
        ],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": charsmap},
                {"type": "NFC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                {"type": "Strip", "strip_left": False, "strip_right": True},
            ],
        },
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [bos, {"Sequence": sequence["A"]}, eos],
            "pair": [bos, {"Sequence": sequence["A"]}, eos, eos, {"Sequence": sequence["B"]}, eos],
            "special_tokens": {
                words[role]: {"id": words[role], "ids": [special[role]], "tokens": [words[role]]}
                for role in ("bos", "eos")
            },
        },
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": packed.unknown,
            "vocab": [[piece, score] for piece, score in zip(packed.pieces, packed.scores, strict=True)],
            "byte_fallback": False,
        },
    }
    return json.dumps(tokenizer, ensure_ascii=False)
