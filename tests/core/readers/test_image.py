"""Pictures: what is decided before and after the looking; the looking itself is in `test_ocr`."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pages
import pytest

from inro.errors import Unreadable
from inro.readers import image
from inro.readers.allowance import Allowance, granted
from inro.readers.layout import Line

GREY = np.full((90, 120, 3), 180, np.uint8)


class Eye:
    """Sees a line in every picture, numbered, and keeps the pictures."""

    def __init__(self) -> None:
        self.looked: list[Any] = []

    def __call__(self, picture: Any, threads: int) -> list[Line]:
        self.looked.append(picture)
        return [Line(f"Frame {len(self.looked)}.", 0, 0, 80, 10, 0, 10)]


@pytest.fixture
def eye(monkeypatch: pytest.MonkeyPatch) -> Eye:
    made = Eye()
    monkeypatch.setattr(image, "recognise", made)
    return made


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_every_kind_of_picture(eye: Eye, kind: str) -> None:
    reading = image.read(pages.encoded(GREY, kind), "scans/年表.x")
    assert (reading.text, reading.title, reading.outcome) == ("Frame 1.", "年表", "ok")
    assert np.allclose(eye.looked[0], GREY, atol=8)


def test_the_frames_of_a_tiff_are_pages_and_those_of_an_animation_are_not(eye: Eye) -> None:
    from PIL import Image

    more = [Image.fromarray(GREY + np.uint8(n)) for n in (1, 2)]
    tiff = image.read(pages.encoded(GREY, "TIFF", save_all=True, append_images=more), "a.tif")
    assert [(tiff.text[b.start : b.end], b.page) for b in tiff.blocks] == [(f"Frame {n}.", n) for n in (1, 2, 3)]
    assert len(image.read(pages.encoded(GREY, "GIF", save_all=True, append_images=more), "a.gif").blocks) == 1


def test_when_the_time_is_over_the_frames_read_so_far_are_kept(eye: Eye, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    data = pages.encoded(GREY, "TIFF", save_all=True, append_images=[Image.fromarray(GREY)] * 4)
    ticks = iter(range(100))

    class Clock:
        monotonic = staticmethod(lambda: next(ticks))

    monkeypatch.setattr("inro.readers.allowance.time", Clock)
    with granted(Allowance(until=2.0)):
        reading = image.read(data, "a.tif")
    assert (reading.outcome, len(reading.blocks)) == ("partial", 2)
    assert reading.reason.startswith("read 2 of 5 pages") and reading.mend


def test_a_turned_photograph_is_set_upright_and_what_is_clear_is_white(eye: Eye) -> None:
    from PIL import Image

    turned = Image.Exif()
    turned[0x0112] = 6
    image.read(pages.encoded(GREY, "JPEG", exif=turned), "a.jpg")
    assert eye.looked[-1].shape == (120, 90, 3)
    out = io.BytesIO()
    Image.new("RGBA", (60, 60), (0, 0, 0, 0)).save(out, "PNG")
    image.read(out.getvalue(), "a.png")
    assert (eye.looked[-1] == 255).all()
    deep = Image.fromarray(np.linspace(0, 60_000, 3600).reshape(60, 60).astype(np.uint16))
    out = io.BytesIO()
    deep.save(out, "PNG")
    image.read(out.getvalue(), "a.png")
    assert (eye.looked[-1].min(), eye.looked[-1].max()) == (0, 255)


def test_a_picture_without_words_is_skipped_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "recognise", lambda picture, threads: [])
    reading = image.read(pages.encoded(GREY, "PNG"), "a.png")
    assert (reading.outcome, reading.reason, reading.text) == ("skipped", "a picture without text", "")


def test_nothing_is_looked_at_where_that_is_off(eye: Eye) -> None:
    with granted(Allowance(recognise=False)):
        reading = image.read(pages.encoded(GREY, "PNG"), "a.png")
    assert reading.outcome == "skipped" and "not recognised" in reading.reason
    assert 'ocr = "auto"' in reading.mend and not eye.looked


def bomb() -> bytes:
    """A few kilobytes that claim a hundred thousand pixels each way."""
    import struct
    import zlib

    def part(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", 100_000, 100_000, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(bytes(9999))) + part(b"IEND", b"")


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", bomb(), pages.encoded(GREY, "JPEG")[:300]])
def test_damaged_pictures_and_bombs_are_unreadable(eye: Eye, data: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        image.read(data, "a.png")
    assert caught.value.message and caught.value.mend
    assert not eye.looked
