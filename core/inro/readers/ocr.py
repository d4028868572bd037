"""Text in pictures, with the models that come inside RapidOCR's wheel.

They read printed Japanese, Chinese, English and other Latin text. Every model is named by its path in the wheel,
so that nothing is ever downloaded; loaded once a process, when the first picture asks. Knows pixels, not files.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from inro.errors import Unreadable
from inro.readers.layout import Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_SIDE = 2000
"""Pixels beyond which the models would see a picture smaller."""
_SHORTEST_SIDE = 8
_SURE = 0.6
"""Confidence from which a line is believed."""
_ALIKE = 0.25
"""Share by which lines may differ in height and still be set in one size: boxes are measured, not declared."""
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


def recognise(picture: NDArray[np.uint8], threads: int) -> list[Run]:
    """The lines of text in a picture, uint8[h, w, 3] in RGB, with their places in pixels.

    Raises:
        Unreadable: the models cannot be loaded.
    """
    height, width = picture.shape[:2]
    if min(height, width) < _SHORTEST_SIDE:
        return []
    found = _engine(threads)(picture[:, :, ::-1])
    if found.boxes is None or found.txts is None or found.scores is None:
        return []
    runs: list[Run] = []
    for box, text, score in zip(found.boxes.tolist(), found.txts, found.scores, strict=True):
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if text and float(score) >= _SURE:
            runs.append(_run(box, text))
    return _levelled(runs)


@lru_cache(maxsize=1)
def _engine(threads: int) -> Any:
    try:
        import rapidocr
    except ImportError as e:
        raise Unreadable(f"text in pictures cannot be recognised: {e}", "pip install rapidocr") from e
    folder = Path(rapidocr.__file__).parent / "models"
    missing = [name for name in _MODELS.values() if not (folder / name).is_file()]
    if missing:
        raise Unreadable(
            f"text in pictures cannot be recognised: {missing[0]} is not in RapidOCR's package",
            "pip install --force-reinstall rapidocr==3.10.0",
        )
    paths = {f"{part}.model_path": str(folder / name) for part, name in _MODELS.items()}
    return rapidocr.RapidOCR(
        params={
            **paths,
            "Global.log_level": "critical",
            "Global.text_score": _SURE,
            "Global.max_side_len": LONGEST_SIDE,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _run(box: list[list[float]], text: str) -> Run:
    """A line by its four corners, clockwise from its upper left, levelled about its middle."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = box
    wide = (math.hypot(bx - ax, by - ay) + math.hypot(cx - dx, cy - dy)) / 2
    high = (math.hypot(dx - ax, dy - ay) + math.hypot(cx - bx, cy - by)) / 2
    x, y = (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4
    return Run(text, x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)


def _levelled(runs: list[Run]) -> list[Run]:
    """Lines of about the same height made exactly so, about their middles."""
    if not runs:
        return runs
    usual = median(run.height for run in runs)
    for run in runs:
        if abs(run.height - usual) <= _ALIKE * usual:
            run.y0, run.y1 = run.middle - usual / 2, run.middle + usual / 2
    return runs
