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
from inro.readers.joining import is_cjk
from inro.readers.layout import Line, Run, lines

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
_TALL = 1.5
"""Height of a line that runs down, in widths; the models turn such a one before they read it."""
_MODELS = {
    "Det": "PP-OCRv6_det_small.onnx",
    "Rec": "PP-OCRv6_rec_small.onnx",
    "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


def recognise(picture: NDArray[np.uint8], threads: int, scale: float = 1.0) -> list[Line]:
    """The lines of text in a picture, uint8[h, w, 3] in RGB, in reading order.

    Places are in units of `scale` pixels. Lines that run down are turned to run across, as in `layout`.

    Raises:
        Unreadable: the models cannot be loaded.
    """
    height, width = picture.shape[:2]
    if min(height, width) < _SHORTEST_SIDE:
        return []
    found = _engine(threads)(picture[:, :, ::-1])
    if found.boxes is None or found.txts is None or found.scores is None:
        return []
    across: list[Run] = []
    down: list[Run] = []
    for box, text, score in zip(found.boxes.tolist(), found.txts, found.scores, strict=True):
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if text and float(score) >= _SURE:
            run = _run([[x / scale, y / scale] for x, y in box], text)
            if _runs_down(run):
                down.append(Run(text, run.y0, -run.x1, run.y1, -run.x0))
            else:
                across.append(run)
    made: list[Line] = []
    for runs in sorted((across, down), key=lambda runs: -sum(len(run.text) for run in runs)):
        first = made[-1].column + 1 if made else 0
        for line in lines(_levelled(runs)):
            line.column += first
            made.append(line)
    return made


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


def _runs_down(run: Run) -> bool:
    """Whether the line is set from top to bottom, as Japanese and Chinese may be."""
    return len(run.text) > 1 and run.height > _TALL * (run.x1 - run.x0) and any(map(is_cjk, run.text))


def _levelled(runs: list[Run]) -> list[Run]:
    """Lines of about the same height made exactly so, about their middles."""
    if not runs:
        return runs
    usual = median(run.height for run in runs)
    for run in runs:
        if abs(run.height - usual) <= _ALIKE * usual:
            run.y0, run.y1 = run.middle - usual / 2, run.middle + usual / 2
    return runs
