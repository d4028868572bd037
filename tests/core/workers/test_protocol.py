"""Frames: what goes in comes out, and nothing malformed gets past the reader."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from inro.workers import protocol
from inro.workers.protocol import Array, ProtocolError, read_frame, write_frame

any_text = st.text(st.characters(exclude_categories=[]))  # lone surrogates included
headers = st.dictionaries(
    any_text.filter(lambda k: k != "arrays"),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
        lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
        max_leaves=8,
    ),
    max_size=4,
)
arrays = hnp.arrays(
    dtype=st.sampled_from(sorted(protocol.DTYPES)),
    shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)


class Trickle(io.BytesIO):
    """A stream that gives one byte at a time, as a pipe may."""

    def read(self, n: int | None = -1, /) -> bytes:
        return super().read(1 if n else 0)


def sent(header: dict[str, Any], *bodies: Array) -> bytes:
    stream = io.BytesIO()
    write_frame(stream, header, bodies)
    return stream.getvalue()


def raw(header: object, body: bytes = b"") -> bytes:
    encoded = json.dumps(header).encode()
    return struct.pack(">I", len(encoded)) + encoded + body


@settings(deadline=None)
@given(headers, st.lists(arrays, max_size=3))
def test_a_frame_comes_back_as_it_was_sent(header: dict[str, Any], bodies: list[Array]) -> None:
    frame = read_frame(io.BytesIO(sent(header, *bodies)))
    assert frame is not None
    assert frame.header == header
    assert len(frame.arrays) == len(bodies)
    for got, given_ in zip(frame.arrays, bodies, strict=True):
        assert got.dtype == given_.dtype and got.shape == given_.shape
        assert got.tobytes() == given_.tobytes()


def test_frames_are_read_one_by_one_however_the_bytes_trickle() -> None:
    stream = Trickle(sent({"n": 1}, np.arange(6, dtype=np.int32).reshape(2, 3)) + sent({"n": 2}))
    first, second, third = read_frame(stream), read_frame(stream), read_frame(stream)
    assert first is not None and first.arrays[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert second is not None and second.header == {"n": 2}
    assert third is None


def test_big_endian_and_strided_arrays_arrive_in_order() -> None:
    big = np.arange(4, dtype=">i4")
    strided = np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2]
    frame = read_frame(io.BytesIO(sent({}, big, strided)))
    assert frame is not None
    assert frame.arrays[0].tolist() == [0, 1, 2, 3]
    assert frame.arrays[1].tolist() == [[0, 2], [4, 6], [8, 10]]


@pytest.mark.parametrize("cut", [1, 3, 4, 6, -1])
def test_a_stream_that_ends_inside_a_frame_is_an_error(cut: int) -> None:
    whole = sent({"n": 1}, np.arange(3, dtype=np.int64))
    with pytest.raises(ProtocolError, match="ended after"):
        read_frame(io.BytesIO(whole[:cut]))


@pytest.mark.parametrize(
    "announced",
    [
        "not a list",
        [{"dtype": "object", "shape": [1]}],
        [{"dtype": "complex64", "shape": [1]}],
        [{"dtype": "float32"}],
        [{"dtype": "float32", "shape": [-1]}],
        [{"dtype": "float32", "shape": [True]}],
        [{"dtype": "float32", "shape": [1.5]}],
        [{"dtype": "float32", "shape": [1, 1, 1, 1, 1]}],
        [{"dtype": "float32", "shape": [1 << 40]}],
        [{"dtype": "int64", "shape": [1 << 31, 1 << 31, 4]}],
        [{"dtype": "float32", "shape": [0, 1 << 62]}],
        [{"dtype": "float32", "shape": [1 << 27]}] * 3,
        [{"dtype": "int8", "shape": [1]}] * (protocol.ARRAYS_LIMIT + 1),
        [7],
    ],
)
def test_announced_arrays_are_checked_before_anything_is_allocated(announced: object) -> None:
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(raw({"arrays": announced})))


@pytest.mark.parametrize("header", [b"[1, 2]", b"nonsense", b"\xff\xfe", b"[" * 100_000])
def test_a_header_that_is_not_an_object_is_an_error(header: bytes) -> None:
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(struct.pack(">I", len(header)) + header))


def test_a_header_past_the_limit_is_refused_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEADER_LIMIT", 50)
    with pytest.raises(ProtocolError, match="limit"):
        sent({"text": "x" * 60})
    with pytest.raises(ProtocolError, match="limit"):
        read_frame(io.BytesIO(raw({"text": "x" * 60})))


@pytest.mark.parametrize("header", [{"n": float("nan")}, {"n": object()}, {"arrays": []}])
def test_what_is_not_a_header_is_not_sent(header: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError):
        sent(header)


def test_arrays_of_objects_are_not_sent() -> None:
    with pytest.raises(ProtocolError, match="object"):
        sent({}, np.array([{}], dtype=object))
