"""`inro mcp` where it cannot start."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from worlds import Run


def test_without_its_package_it_says_how_to_install_it(
    typed: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = typed("mcp")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'inro[mcp]'" in done.err
