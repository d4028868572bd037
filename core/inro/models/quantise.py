"""Int8 for an ONNX encoder: products with activations quantised as they come, and large look-up tables by row.

Rule: a product changes only if one side is a stored matrix (one scale per output column), a table only if it is
looked up by row (one scale a row, which loses next to nothing); what is normalised or attended stays as it was.
It does not know models, folders or hashes.
Memory at its peak is about two and a half times the file: 5.5 GB for 2.2 GB of float weights. Weights beside the
graph (files over 2 GB) are read from there; the result is one file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

TABLE = 1 << 22
"""Values from which a look-up table is worth quantising."""


def quantise_int8(source: Path, target: Path, *, table: int = TABLE) -> None:
    """Write the int8 form of `source` to `target`.

    table: the least number of values of a look-up table that is quantised.

    Raises ValueError when the file is not an ONNX graph that can be quantised.
    """
    import logging

    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # ships no stubs
    from onnxruntime.quantization import QuantType, quantize_dynamic

    try:
        if not onnx.load(str(source), load_external_data=False).graph.node:
            raise ValueError("the graph cannot be quantised: it has no nodes")
    except DecodeError as e:
        raise ValueError(f"the graph cannot be quantised: it is not an ONNX file: {e}") from e
    # the tool advises, on the root logger, a preparation step that changes nothing here
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.ERROR)
    try:
        quantize_dynamic(
            str(source),
            str(target),
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True},
        )
    except (RuntimeError, KeyError, TypeError) as e:
        raise ValueError(f"the graph cannot be quantised: {e}") from e
    finally:
        root.setLevel(level)
    model = onnx.load(str(target))
    if _quantise_tables(model, table):
        onnx.save(model, str(target))


def _quantise_tables(model: Any, least: int) -> bool:
    """Store float tables that are looked up by row as int8 with a scale a row; says whether there were any."""
    from onnx import TensorProto, helper, numpy_helper

    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes: list[Any] = []
    done: set[str] = set()
    for node in model.graph.node:
        tensor = stored.get(node.input[0]) if node.op_type == "Gather" else None
        axis = next((a.i for a in node.attribute if a.name == "axis"), 0)
        if (
            tensor is None
            or axis != 0
            or tensor.data_type != TensorProto.FLOAT
            or len(tensor.dims) != 2
            or tensor.dims[0] * tensor.dims[1] < least
        ):
            nodes.append(node)
            continue
        name, row = tensor.name, node.output[0]
        if name not in done:
            codes, scales = _by_row(numpy_helper.to_array(tensor))
            model.graph.initializer.append(numpy_helper.from_array(codes, f"{name}.codes"))
            model.graph.initializer.append(numpy_helper.from_array(scales, f"{name}.scales"))
            done.add(name)
        nodes += [
            helper.make_node("Gather", [f"{name}.codes", node.input[1]], [f"{row}.codes"], axis=0),
            helper.make_node("Gather", [f"{name}.scales", node.input[1]], [f"{row}.scale"], axis=0),
            helper.make_node("Cast", [f"{row}.codes"], [f"{row}.float"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{row}.float", f"{row}.scale"], [row]),
        ]
    if not done:
        return False
    model.graph.ClearField("node")
    model.graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    for name in done - used:
        model.graph.initializer.remove(stored[name])
    return True


def _by_row(table: Any) -> tuple[Any, Any]:
    """int8[n, d] codes and float32[n, 1] scales with table ≈ codes * scales."""
    import numpy as np

    scales = np.abs(table).max(axis=1, keepdims=True).astype(np.float32) / np.float32(127)
    safe = np.where(scales > 0, scales, np.float32(1))
    return np.rint(table / safe).astype(np.int8), scales
