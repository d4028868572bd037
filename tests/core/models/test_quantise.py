"""Int8 of a published encoder: products row by row, from weights beside the graph, in little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.models.quantise import quantise_int8

WORDS, WIDTH, INNER = 500, 64, 160


def write_model(target: Path, *, external: bool, words: int = WORDS, width: int = WIDTH, opset: int = 17) -> None:
    """A table, three products of which two share a factor, a norm's weights, and a branch inside the graph."""
    from onnx import TensorProto, helper, numpy_helper, save

    dice = np.random.default_rng(5)

    def stored(name: str, *shape: int) -> Any:
        values = (dice.normal(size=shape) * dice.uniform(0.5, 2, size=shape[-1])).astype(np.float32)
        return numpy_helper.from_array(values, name)

    constants = [
        stored("table", words, width),
        stored("query", width, INNER),
        stored("key", width, INNER),
        stored("back", INNER, width),
        stored("norm", width),
        stored("shift", width),
        numpy_helper.from_array(np.array(True), "yes"),
    ]
    then = helper.make_graph(
        [helper.make_node("Add", ["normed", "shift"], ["shifted"])],
        "then",
        [],
        [helper.make_tensor_value_info("shifted", TensorProto.FLOAT, None)],
    )
    other = helper.make_graph(
        [helper.make_node("Identity", ["normed"], ["plain"])],
        "else",
        [],
        [helper.make_tensor_value_info("plain", TensorProto.FLOAT, None)],
    )
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["looked_up"]),
        helper.make_node("MatMul", ["looked_up", "query"], ["queries"]),
        helper.make_node("MatMul", ["looked_up", "key"], ["keys"]),
        helper.make_node("Mul", ["queries", "keys"], ["together"]),
        helper.make_node("MatMul", ["together", "back"], ["brought_back"]),
        helper.make_node("Mul", ["brought_back", "norm"], ["normed"]),
        helper.make_node("If", ["yes"], ["last_hidden_state"], then_branch=then, else_branch=other),
    ]
    graph = helper.make_graph(
        nodes,
        "published",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", width])],
        constants,
    )
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", opset)])
    save(
        model,
        str(target),
        save_as_external_data=external,
        location=target.name + "_data" if external else None,
        size_threshold=64,
    )


def run(model: Path, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"input_ids": ids})[0], np.float32)


def cosine(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float((one * other).sum() / np.linalg.norm(one) / np.linalg.norm(other))


IDS = np.random.default_rng(1).integers(0, WORDS, (2, 7))


def product(rows: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The int8 product written out: each row and each column by its own range."""
    step = np.maximum(np.abs(rows).max(axis=-1, keepdims=True) / 127, 1e-30)
    scales = np.abs(weights).max(axis=0) / 127
    whole = np.rint(rows / step) @ np.rint(weights / scales)
    return np.asarray(whole * step * scales, np.float32)


@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("opset", [13, 17, 18])
def test_products_are_of_rows_and_columns_by_their_own_ranges(tmp_path: Path, external: bool, opset: int) -> None:
    import onnx

    write_model(tmp_path / "model.onnx", external=external, opset=opset)
    quantise_int8(tmp_path / "model.onnx", tmp_path / "int8.onnx")
    stored = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(str(tmp_path / "model.onnx")).graph.initializer}
    rows = stored["table"][IDS]
    together = product(rows, stored["query"]) * product(rows, stored["key"])
    expected = product(together, stored["back"]) * stored["norm"] + stored["shift"]
    mine = run(tmp_path / "int8.onnx", IDS)
    np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=2e-3 * float(np.abs(expected).max()))
    assert 0.99 < cosine(mine, run(tmp_path / "model.onnx", IDS)) < 1


def test_what_a_row_is_computed_with_does_not_move_it(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", external=False)
    quantise_int8(tmp_path / "model.onnx", tmp_path / "int8.onnx")
    alone = [run(tmp_path / "int8.onnx", IDS[:, i : i + 1]) for i in range(IDS.shape[1])]
    np.testing.assert_array_equal(np.concatenate(alone, axis=1), run(tmp_path / "int8.onnx", IDS))


def test_rows_of_zeros_stay_zeros(tmp_path: Path) -> None:
    import onnx

    write_model(tmp_path / "model.onnx", external=False)
    model = onnx.load(str(tmp_path / "model.onnx"))
    for tensor in model.graph.initializer:
        if tensor.name == "table":
            tensor.raw_data = bytes(len(tensor.raw_data))
    onnx.save(model, str(tmp_path / "model.onnx"))
    quantise_int8(tmp_path / "model.onnx", tmp_path / "int8.onnx")
    np.testing.assert_array_equal(run(tmp_path / "int8.onnx", IDS), run(tmp_path / "model.onnx", IDS))


def test_weights_beside_the_graph_give_one_file_of_a_quarter(tmp_path: Path) -> None:
    """The shape of models over 2 GB: all weights lie in a file beside the graph."""
    import onnx

    write_model(tmp_path / "model.onnx", external=True)
    beside = (tmp_path / "model.onnx_data").stat().st_size
    quantise_int8(tmp_path / "model.onnx", tmp_path / "int8.onnx", table=1000)
    (tmp_path / "model.onnx_data").unlink()
    made = onnx.load(str(tmp_path / "int8.onnx"))
    onnx.checker.check_model(made)
    assert all(tensor.data_location != onnx.TensorProto.EXTERNAL for tensor in made.graph.initializer)
    assert {"table", "query", "key", "back"}.isdisjoint(tensor.name for tensor in made.graph.initializer)
    assert (tmp_path / "int8.onnx").stat().st_size < 0.3 * beside
    assert [node.op_type for node in made.graph.node].count("QuantizeLinear") == 2, "what is shared is coded once"
    write_model(tmp_path / "model.onnx", external=True)
    assert cosine(run(tmp_path / "int8.onnx", IDS), run(tmp_path / "model.onnx", IDS)) > 0.99


def shorten(folder: Path) -> None:
    data = folder / "model.onnx_data"
    data.write_bytes(data.read_bytes()[:-4096])


def misplace(folder: Path) -> None:
    import onnx

    (folder / "model.onnx_data").rename(folder.parent / "elsewhere")
    model = onnx.load(str(folder / "model.onnx"), load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            entry.value = "../elsewhere" if entry.key == "location" else entry.value
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def spoil(folder: Path) -> None:
    data = folder / "model.onnx_data"
    data.write_bytes(b"\xff" * data.stat().st_size)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (shorten, "cannot be read"),
        (lambda folder: (folder / "model.onnx_data").unlink(), "cannot be read"),
        (misplace, "outside its folder"),
        (spoil, "not a finite number"),
    ],
)
def test_weights_that_are_not_what_the_graph_says_are_refused(
    tmp_path: Path, harm: Callable[[Path], None], said: str
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    write_model(folder / "model.onnx", external=True)
    harm(folder)
    with pytest.raises(ValueError, match=said):
        quantise_int8(folder / "model.onnx", folder / "int8.onnx")
    assert not (folder / "int8.onnx").exists()


def test_operators_older_than_int8_are_refused(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", external=False, opset=10)
    with pytest.raises(ValueError, match="version 10"):
        quantise_int8(tmp_path / "model.onnx", tmp_path / "int8.onnx")


PEAK = """
import re, sys
from pathlib import Path
import numpy, onnx
from inro.models.quantise import quantise_int8

def kilobytes(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew: a process inherits that of its parent
before = kilobytes("VmRSS")
quantise_int8(Path(sys.argv[1]), Path(sys.argv[2]))
print(kilobytes("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak is read as Linux tells it")
def test_the_float_weights_are_never_in_memory_together(tmp_path: Path) -> None:
    write_model(tmp_path / "model.onnx", external=True, words=150_000, width=256)
    float_bytes = (tmp_path / "model.onnx_data").stat().st_size
    command = [sys.executable, "-c", PEAK, str(tmp_path / "model.onnx"), str(tmp_path / "int8.onnx")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 1024 * int(done.stdout) < 0.9 * float_bytes
