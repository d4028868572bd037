"""Writing systems, told by what carries most of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text.writing import Writing, writing_of


@pytest.mark.parametrize(
    ("text", "writing"),
    [
        ("The kiln was cleaned.", Writing.LATIN),
        ("Über die Öfen", Writing.LATIN),
        ("炉を掃除した。", Writing.JAPANESE),
        ("XRD の peak position は 27.7° で、BiTe phase とみられる。", Writing.JAPANESE),
        ("清洗了炉子。", Writing.CHINESE),
        ("가마를 청소했다", Writing.KOREAN),
        ("Печь очистили", Writing.CYRILLIC),
        ("تم تنظيف الفرن", Writing.ARABIC),
        ("the annealing (退火) of a sintered body under vacuum", Writing.LATIN),
        ("12.5 % — 300", Writing.OTHER),
        ("", Writing.OTHER),
    ],
)
def test_the_denser_script_decides(text: str, writing: Writing) -> None:
    assert writing_of(text) is writing


@given(st.text())
def test_every_text_has_one(text: str) -> None:
    assert writing_of(text) in Writing
