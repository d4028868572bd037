"""The app on a real index: nothing in memory, no model needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from in_memory import drawn, until

from inro.config import Settings
from inro.library import Library
from inro_tui.app import InroApp
from inro_tui.screens.viewer import ViewerScreen
from inro_tui.strings import ENGLISH

SIZE = (120, 40)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of three notes, one of them unreadable."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "desiccator.md").write_text(
        "# 乾燥庫の使い方\n\n## 交換\n\nシリカゲルは毎週月曜に交換する。試料S-1041は別の棚に置く。\n", encoding="utf-8"
    )
    (folder / "furnace.md").write_text(
        "# Furnace\n\nThe furnace tube is wiped with ethanol before each firing.\n", encoding="utf-8"
    )
    (folder / "broken.md").write_bytes(b"\x00\xff\xfe\x00" * 64)
    return folder


@pytest.fixture
def real(tmp_path: Path, notes: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """An index of the notes, made without any model."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no-models"))
    library = Library(tmp_path / "real.inro", Settings(chat=""))
    list(library.add([notes]))
    return library


def test_the_first_frame_waits_for_nothing_heavy(real: Library) -> None:
    """Told by what is loaded when it is drawn, in a process of its own."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from inro.library import Library\n"
        "from inro_tui.app import InroApp\n"
        "HEAVY = {'numba', 'llvmlite', 'onnxruntime', 'llama_cpp', 'hnswlib', 'icu', 'inro.search.engine'}\n"
        "seen = []\n"
        "def begin(app):\n"
        "    seen.append((app.search_screen.is_current, sorted(HEAVY & set(sys.modules))))\n"
        "    app.exit()\n"
        "InroApp.begin = begin\n"
        "InroApp(Library(Path(sys.argv[1]))).run(headless=True)\n"
        "print(seen)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(real.path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.strip() == "[(True, [])]"


async def test_what_is_typed_is_found_previewed_and_opened(real: Library) -> None:
    app = InroApp(real, strings=ENGLISH)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"シリカゲル")
        await until(pilot, lambda: "シリカゲルは毎週月曜に交換する" in drawn(app), seconds=60)
        found = app.search_screen.found
        assert found[0].hit.path.endswith("desiccator.md")
        await until(pilot, lambda: app.shared.documents.known(found[0].hit.document) is not None, seconds=20)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen) and app.screen.view is not None, seconds=20)
        screen = app.screen
        assert isinstance(screen, ViewerScreen)
        page = screen.text.page
        assert "シリカゲル" in {page.text[start:end] for start, end in page.marks}
        assert page.passage is not None and "シリカゲル" in page.text[slice(*page.passage)]


async def test_a_question_is_answered_from_the_notes_and_its_source_opens(real: Library) -> None:
    app = InroApp(real, strings=ENGLISH)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f3", *"シリカゲルはいつ交換する", "enter")
        await until(pilot, lambda: app.chat_screen.exchanges[0].state != "working", seconds=60)
        exchange = app.chat_screen.exchanges[0]
        assert exchange.state == "done", exchange.failure
        assert exchange.final is not None and not exchange.final.refused
        assert "月曜" in drawn(app)
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, ViewerScreen) and app.screen.view is not None, seconds=20)
        screen = app.screen
        assert isinstance(screen, ViewerScreen)
        quoted = exchange.final.sources[0]
        assert screen.text.page.passage is not None
        assert screen.text.page.text[slice(*screen.text.page.passage)] == quoted.quote


async def test_a_sync_picks_up_a_new_note(real: Library, notes: Path) -> None:
    app = InroApp(real, strings=ENGLISH)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: str(notes.name) in drawn(app), seconds=20)
        (notes / "new.md").write_text("# Argon\n\nThe argon bottle is changed at 20 bar.\n", encoding="utf-8")
        await pilot.press("s")
        await until(pilot, lambda: "1 added" in drawn(app), seconds=60)
        await pilot.press("f2", *"argon")
        await until(pilot, lambda: "changed at 20 bar" in drawn(app), seconds=60)
