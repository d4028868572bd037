"""Text in pictures, with the real models, from a scan to a search hit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pages
import pytest
import worlds

from inro.config import Settings
from inro.errors import Unreadable
from inro.library import Library
from inro.readers import ocr

JAPANESE = "本装置は硝酸銀水溶液を用いる。"
ENGLISH = "The furnace S-1041 was held at 850."
CHINESE = "样品必须保持干燥。"


def test_japanese_english_and_chinese_are_read_where_they_stand() -> None:
    seen = ocr.recognise(pages.scan([JAPANESE, ENGLISH, CHINESE]), 2, 2.0)
    said = ["".join(line.text.split()) for line in seen]
    assert said == ["".join(line.split()) for line in (JAPANESE, ENGLISH, CHINESE)]
    assert abs(seen[0].x0 - 30) < 8 and abs(seen[0].middle - 44) < 8
    assert len({round(line.height, 3) for line in seen}) == 1, "lines of one size are one size"


def test_vertical_japanese_is_read_from_right_to_left() -> None:
    upright = ["本装置の試料は硝酸銀水溶液を", "用いて前処理を行い乾燥させる"]
    assert [line.text for line in ocr.recognise(pages.scan(upright, down=True), 2)] == upright


def test_nothing_is_seen_where_nothing_is() -> None:
    assert ocr.recognise(pages.scan([], width=200, height=200), 2) == []
    assert ocr.recognise(pages.scan(["x"], width=300, height=4), 2) == []


def test_a_package_without_its_models_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import rapidocr

    monkeypatch.setattr(rapidocr, "__file__", str(tmp_path / "__init__.py"))
    ocr._engine.cache_clear()
    with pytest.raises(Unreadable, match=r"PP-OCRv6_det_small.onnx is not in"):
        ocr.recognise(pages.scan(["x"]), 2)
    ocr._engine.cache_clear()


def test_a_scan_is_found_by_a_word_on_it_and_no_address_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scanned PDF of two pages and a photograph: `add`, then `search`; citations name the page."""
    guard, log = tmp_path / "guard", tmp_path / "sockets.log"
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(worlds.WATCH_SOCKETS)
    monkeypatch.syspath_prepend(str(guard))
    monkeypatch.setenv("SOCKET_LOG", str(log))
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "none"))
    root = tmp_path / "scans"
    root.mkdir()
    page = pages.scan([JAPANESE, CHINESE])
    text = pages.across(["The first page has a text of its own."], font="Helvetica")
    (root / "report.pdf").write_bytes(pages.pdf(text, pages.picture(page, 40, 300, 500, 411)))
    (root / "photo.png").write_bytes(pages.encoded(pages.scan([ENGLISH]), "PNG"))
    with Library(tmp_path / "a.inro", Settings()) as library:
        report = list(library.add([root]))[-1].report
        assert report is not None and (report.added, report.unreadable, report.skipped) == (2, 0, 0)

        def found(query: str) -> list[tuple[str, Any]]:
            return [(hit.path, hit.page) for hit in library.search(query, lane="lexical").hits]

        assert found("硝酸銀水溶液") == [("report.pdf", 2)]
        assert found("furnace S-1041") == [("photo.png", 1)]
        assert found("first page") == [("report.pdf", 1)]
    assert not log.exists()


def test_where_it_is_off_scans_are_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "none"))
    root = tmp_path / "scans"
    root.mkdir()
    (root / "photo.png").write_bytes(pages.encoded(pages.scan([ENGLISH]), "PNG"))
    (root / "report.pdf").write_bytes(pages.pdf(pages.picture(pages.scan([JAPANESE]), 40, 300, 500, 411)))
    with Library(tmp_path / "a.inro", Settings(ocr="off")) as library:
        list(library.add([root]))
        outcomes = {file.path: (file.outcome, file.mend) for file in library.files()}
    told = 'set ocr = "auto" in the settings, then inro sync --full'
    assert outcomes == {"photo.png": ("skipped", told), "report.pdf": ("unreadable", told)}
