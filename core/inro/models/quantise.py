"""Int8 for an ONNX encoder: products with activations quantised as they come, and large look-up tables by row.

Rule: a product changes only if one side is a stored matrix (one scale per output column), a table only if it is
looked up by row (one scale a row, which loses next to nothing); what is normalised or attended stays as it was.
Activations are coded row by row, each token by its own range: so the vector of a text does not depend on the texts
it is embedded with, and is nearer to the float model's than with one range for the whole batch (e5-small: least
cosine .9989 instead of .9947, in 1.15 times the time).
Weights beside the graph (files over 2 GB) are read from there a tensor at a time, a table some rows at a time, so
memory at its peak is about three times the result: 1.8 GB for 2.2 GB of float weights. The result is one file.
It does not know models, folders or hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

TABLE = 1 << 22
"""Values from which a look-up table is worth quantising."""
ROWS = 4096
"""Rows of a table decoded at a time."""
LARGEST = 127
"""Codes are symmetric about zero."""
MIDDLE = 128
"""The code of a zero among those of activations, which are unsigned: runtimes multiply these quickest."""
LEAST_RANGE = 1e-30
"""Keeps the scale of a row of zeros a number that can be divided by."""
CONTRIB = "com.microsoft"
AXES_ARE_INPUTS = 18
"""From this opset on a reduction takes its axes as an input."""
LEAST_OPSET = 11
"""The first in which a reduction's axes may be counted from the end."""
MOST_BYTES = (1 << 31) - (1 << 20)
"""What one ONNX file may hold, its graph included."""

Floats: TypeAlias = npt.NDArray[np.float32]


def quantise_int8(source: Path, target: Path, *, table: int = TABLE) -> None:
    """Write the int8 form of `source` to `target`.

    table: the least number of values of a look-up table that is quantised.

    Raises ValueError when the file is not an ONNX graph that can be quantised.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # ships no stubs

    try:
        model = onnx.load(str(source), load_external_data=False)
    except DecodeError as e:
        raise ValueError(f"the graph cannot be quantised: it is not an ONNX file: {e}") from e
    if not model.graph.node:
        raise ValueError("the graph cannot be quantised: it has no nodes")
    opset = max((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), default=0)
    if opset < LEAST_OPSET:
        raise ValueError(f"the graph cannot be quantised: its operators are those of version {opset}")
    rewriting = _Rewriting(model.graph, source.parent, table, opset)
    rewriting.run()
    if not any(one.domain == CONTRIB for one in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid(CONTRIB, 1))
    if model.ByteSize() > MOST_BYTES:
        raise ValueError("the graph cannot be quantised: what stays float takes more than 2 GB")
    onnx.save(model, str(target))


class _Rewriting:
    """One graph on its way from float to int8."""

    def __init__(self, graph: Any, folder: Path, table: int, opset: int) -> None:
        self._graph = graph
        self._opset = opset
        self._folder = folder
        self._table = table
        self._stored = {tensor.name: tensor for tensor in graph.initializer}
        self._coded: set[str] = set()
        """Activations and stored tensors that have codes already."""

    def run(self) -> None:
        nodes = [made for node in self._graph.node for made in self._nodes(node)]
        self._graph.ClearField("node")
        self._graph.node.extend(nodes)
        used = set(_names(self._graph))
        stored = self._graph.initializer
        # one by one and in place: to make the list anew would hold all of it twice
        for i in reversed(range(len(stored))):
            if stored[i].name not in used:
                del stored[i]
            else:
                self._bring_in(stored[i])

    def _nodes(self, node: Any) -> Iterator[Any]:
        """What stands for a node: itself, or its int8 form."""
        if node.op_type == "MatMul" and self._is_matrix(node.input[1]):
            yield from self._product(node)
        elif (
            node.op_type == "Gather"
            and next((a.i for a in node.attribute if a.name == "axis"), 0) == 0
            and self._is_matrix(node.input[0])
            and np.prod(self._stored[node.input[0]].dims, dtype=np.int64) >= self._table
        ):
            yield from self._look_up(node)
        else:
            yield node

    def _is_matrix(self, name: str) -> bool:
        """Whether it is a stored float matrix."""
        from onnx import TensorProto

        tensor = self._stored.get(name)
        return tensor is not None and tensor.data_type == TensorProto.FLOAT and len(tensor.dims) == 2

    def _product(self, node: Any) -> Iterator[Any]:
        """Activations are coded by row as they come, the matrix by column; whole numbers are multiplied."""
        from onnx import TensorProto, helper

        (ahead, name), out = node.input, node.output[0]
        if self._is_first(f"{name}.codes"):
            depth, width = self._stored[name].dims
            codes, scales = _by_row([self._values(self._stored[name]).T])
            by_column = np.frombuffer(codes, np.int8).reshape(width, depth)
            self._store(f"{name}.codes", TensorProto.INT8, (depth, width), by_column.T.tobytes())
            self._store(f"{name}.scales", TensorProto.FLOAT, (width,), scales.tobytes())
        if self._is_first(f"{ahead}.quantise"):
            yield from self._coded_rows(ahead)
        factors = [f"{ahead}.codes", f"{name}.codes", "int8.one", f"{name}.scales", "int8.middle"]
        yield helper.make_node("MatMulIntegerToFloat", factors, [f"{out}.whole"], f"{out}.product", domain=CONTRIB)
        yield helper.make_node("Mul", [f"{out}.whole", f"{ahead}.scale"], [out], f"{out}.scaled")

    def _coded_rows(self, name: str) -> Iterator[Any]:
        """Codes of an activation and a scale for each of its rows: row ≈ (codes - `MIDDLE`) * scale."""
        from onnx import TensorProto, helper

        if self._is_first("int8.constants"):
            self._store("int8.one", TensorProto.FLOAT, (), np.float32(1).tobytes())
            self._store("int8.step", TensorProto.FLOAT, (), np.float32(1 / LARGEST).tobytes())
            self._store("int8.least", TensorProto.FLOAT, (), np.float32(LEAST_RANGE).tobytes())
            self._store("int8.middle", TensorProto.UINT8, (), np.uint8(MIDDLE).tobytes())
            self._store("int8.last_axis", TensorProto.INT64, (1,), np.int64(-1).tobytes())
        as_input = self._opset >= AXES_ARE_INPUTS
        reduced, axes = [f"{name}.size"], {} if as_input else {"axes": [-1]}
        if as_input:
            reduced.append("int8.last_axis")
        yield helper.make_node("Abs", [name], [f"{name}.size"], f"{name}.quantise")
        yield helper.make_node("ReduceMax", reduced, [f"{name}.range"], f"{name}.reduce", keepdims=1, **axes)
        yield helper.make_node("Mul", [f"{name}.range", "int8.step"], [f"{name}.step"], f"{name}.divide")
        yield helper.make_node("Max", [f"{name}.step", "int8.least"], [f"{name}.scale"], f"{name}.bound")
        yield helper.make_node("Div", [name, f"{name}.scale"], [f"{name}.scaled"], f"{name}.scale_down")
        factors = [f"{name}.scaled", "int8.one", "int8.middle"]
        yield helper.make_node("QuantizeLinear", factors, [f"{name}.codes"], f"{name}.round")

    def _look_up(self, node: Any) -> Iterator[Any]:
        from onnx import TensorProto, helper

        (name, which), out = node.input, node.output[0]
        if self._is_first(f"{name}.row_codes"):
            rows, width = self._stored[name].dims
            codes, scales = _by_row(self._pieces(self._stored[name]))
            self._store(f"{name}.row_codes", TensorProto.INT8, (rows, width), codes)
            self._store(f"{name}.row_scales", TensorProto.FLOAT, (rows, 1), scales.tobytes())
        yield helper.make_node("Gather", [f"{name}.row_codes", which], [f"{out}.row"], axis=0)
        yield helper.make_node("Gather", [f"{name}.row_scales", which], [f"{out}.row_scale"], axis=0)
        yield helper.make_node("Cast", [f"{out}.row"], [f"{out}.row_float"], to=TensorProto.FLOAT)
        yield helper.make_node("Mul", [f"{out}.row_float", f"{out}.row_scale"], [out])

    def _is_first(self, name: str) -> bool:
        """Whether this was not made yet; from now on it was."""
        known = name in self._coded
        self._coded.add(name)
        return not known

    def _store(self, name: str, kind: int, shape: Sequence[int], values: bytes) -> None:
        """Put a tensor into the graph where it will stay: its values are copied once."""
        tensor = self._graph.initializer.add()
        tensor.name, tensor.data_type, tensor.raw_data = name, kind, values
        tensor.dims.extend(shape)

    def _pieces(self, tensor: Any) -> Iterator[Floats]:
        """A stored matrix, some rows at a time."""
        rows = tensor.dims[0]
        if not tensor.external_data:
            values = self._values(tensor)
            yield from (values[at : at + ROWS] for at in range(0, rows, ROWS))
            return
        for at in range(0, rows, ROWS):
            yield self._read(tensor, at, min(ROWS, rows - at))

    def _values(self, tensor: Any) -> npt.NDArray[Any]:
        """All of a stored tensor."""
        from onnx import numpy_helper

        if tensor.external_data:
            return self._read(tensor, 0, tensor.dims[0] if tensor.dims else 1)
        values: npt.NDArray[Any] = numpy_helper.to_array(tensor)
        return values

    def _read(self, tensor: Any, first: int, rows: int) -> npt.NDArray[Any]:
        """Some rows of a tensor that lies beside the graph."""
        from onnx import helper

        said = {entry.key: entry.value for entry in tensor.external_data}
        place = (self._folder / said.get("location", "")).resolve()
        if not place.is_relative_to(self._folder.resolve()):
            raise ValueError(f"the graph cannot be quantised: {tensor.name} lies outside its folder")
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.data_type))
        width = int(np.prod(tensor.dims[1:], dtype=np.int64))
        try:
            start = int(said.get("offset", 0)) + first * width * dtype.itemsize
            values = np.fromfile(place, dtype, rows * width, offset=start)
            shaped: npt.NDArray[Any] = values.reshape((rows, *tensor.dims[1:]) if tensor.dims else ())
        except (OSError, ValueError) as e:
            raise ValueError(f"the graph cannot be quantised: {tensor.name} cannot be read: {e}") from e
        return shaped

    def _bring_in(self, tensor: Any) -> None:
        """Put the values of a tensor that lies beside the graph into it."""
        from onnx import TensorProto

        if tensor.external_data:
            tensor.raw_data = self._values(tensor).tobytes()
            tensor.ClearField("external_data")
            tensor.data_location = TensorProto.DEFAULT


def _names(graph: Any) -> Iterator[str]:
    """Every name that a graph uses, in the graphs inside it too."""
    yield from (output.name for output in graph.output)
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                if inner.node:
                    yield from _names(inner)


def _by_row(pieces: Iterable[Floats]) -> tuple[bytes, Floats]:
    """int8[n, d] codes, as bytes, and float32[n] scales with rows ≈ codes * scales, of rows that come in pieces."""
    codes: list[bytes] = []
    scales: list[Floats] = []
    for rows in pieces:
        if not np.isfinite(rows).all():
            raise ValueError("the graph cannot be quantised: a weight is not a finite number")
        scale = np.abs(rows).max(axis=1) / np.float32(LARGEST)
        scale = np.where(scale > 0, scale, np.float32(1))
        codes.append(np.rint(rows / scale[:, None]).astype(np.int8).tobytes())
        scales.append(scale)
    return b"".join(codes), np.concatenate(scales)
