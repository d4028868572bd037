from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from archives import ABSENT, BROUGHT, CONTENTS, LISTED, made, put
from numpy.typing import NDArray

HIDDEN, LAYERS, HEADS, INNER, ROWS, POSITIONS = 64, 2, 4, 96, 16, 24
PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁a", "ab", "▁ab", "か", "が", "▁が", "10", "<mask>")
SCORES = (0.0, 0.0, 0.0, 0.0, -3.0, -4.0, -4.5, -3.5, -5.0, -4.0, -6.0, -6.0, -5.5, -7.0, 0.0)
CHARACTERS = {"\t": " ", "\x01": "", "ａ": "a", "①": "1", "㍻": "平成", "ｶ": "カ"}


def blocks(rng: np.random.Generator, rows: int, columns: int) -> tuple[bytes, NDArray[np.float32]]:
    """A 4-bit matrix as stored, and its weights by the slow definition."""
    stored = bytearray()
    weights = np.zeros((rows, columns), np.float32)
    for row in range(rows):
        for start in range(0, columns, 32):
            scale = np.float16(rng.uniform(0.01, 0.05))
            codes = rng.integers(0, 16, 32)
            stored += scale.tobytes() + bytes(int(codes[j] | codes[j + 16] << 4) for j in range(16))
            weights[row, start : start + 32] = (codes - 8) * np.float32(scale)
    return bytes(stored), weights


@pytest.fixture(scope="session")
def packed() -> tuple[bytes, dict[str, NDArray[np.float32]]]:
    """A very small packed e5 file and its weights."""
    rng = np.random.default_rng(3)
    tensors: dict[str, tuple[int, int, bytes]] = {}
    weights: dict[str, NDArray[np.float32]] = {}

    def floats(name: str, size: int, around: float = 0.0) -> None:
        weights[name] = (around + rng.normal(0, 0.1, size)).astype(np.float32)
        tensors[name] = (0, size, weights[name].tobytes())

    def matrix(name: str, rows: int, columns: int) -> None:
        stored, weights[name] = blocks(rng, rows, columns)
        tensors[name] = (1, rows * columns, stored)

    matrix("emb.word", ROWS, HIDDEN)
    floats("emb.pos", POSITIONS * HIDDEN)
    floats("emb.type", 2 * HIDDEN)
    floats("emb.ln.w", HIDDEN, 1.0)
    floats("emb.ln.b", HIDDEN)
    for layer in range(LAYERS):
        for part, outputs, inputs in (
            ("q", HIDDEN, HIDDEN),
            ("k", HIDDEN, HIDDEN),
            ("v", HIDDEN, HIDDEN),
            ("ao", HIDDEN, HIDDEN),
            ("fi", INNER, HIDDEN),
            ("fo", HIDDEN, INNER),
        ):
            matrix(f"l{layer}.{part}.w", outputs, inputs)
            floats(f"l{layer}.{part}.b", outputs)
        for norm in ("aln", "oln"):
            floats(f"l{layer}.{norm}.w", HIDDEN, 1.0)
            floats(f"l{layer}.{norm}.b", HIDDEN)

    pieces = [p.encode() for p in PIECES]
    offsets = np.cumsum([0, *map(len, pieces)]).astype("<u4")
    characters = b"".join(
        struct.pack(f"<IB{len(v)}I", ord(k), len(v), *map(ord, v)) for k, v in sorted(CHARACTERS.items())
    )
    head = b"E5S1" + struct.pack("<I7ifi", 1, HIDDEN, LAYERS, HEADS, INNER, ROWS, POSITIONS, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, int(offsets[-1]))
    head += offsets.tobytes() + np.array(SCORES, "<f4").tobytes() + b"".join(pieces)
    head += struct.pack("<iI", len(CHARACTERS), len(characters)) + characters + struct.pack("<i", len(tensors))
    at = len(head) + sum(2 + len(name) + 21 for name in tensors)
    body = b""
    for name, (kind, size, stored) in tensors.items():
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, size, at, len(stored))
        at += len(stored)
        body += stored
    return head + body, weights


@pytest.fixture
def models_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty models folder of the test's own."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put other entries in the place of the list of models."""

    def listing(*specs: Any) -> None:
        for module in ("", ".bundling", ".importing", ".registry", ".unbundling"):
            monkeypatch.setattr(f"inro.models{module}.load", lambda: specs)

    return listing


@pytest.fixture
def here(models_root: Path, listed: Callable[..., None]) -> Path:
    """The folder of a machine that has two of three models."""
    listed(LISTED, BROUGHT, ABSENT)
    put(LISTED, CONTENTS["listed"])
    put(BROUGHT, CONTENTS["brought"])
    return models_root


@pytest.fixture
def carried(here: Path, tmp_path: Path) -> Path:
    made([], tmp_path / "all.tar")
    return tmp_path / "all.tar"


@pytest.fixture
def elsewhere(carried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The still empty folder of the other machine."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "elsewhere"))
    return tmp_path / "elsewhere"
