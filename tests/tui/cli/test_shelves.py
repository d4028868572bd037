"""`inro shelf` and `inro review`, from attaching a stranger's library to a note of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Run

from inro import config
from inro.library import Library

from .test_json import as_documented

Typed = Callable[..., Run]
QUESTION = "At what temperature is silica gel of the desiccator regenerated?"


@pytest.fixture
def theirs(tmp_path: Path, typed: Typed) -> Path:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "gel.md").write_text(
        "# Silica gel\x1b[2J\n\nSilica gel of the desiccator is regenerated at 120 °C. Ask jane@lab.example.\n"
    )
    (folder / "other.md").write_text("# Balance\n\nThe balance is levelled on Mondays.\n")
    library = Library(tmp_path / "theirs.inro", config.Settings())
    for _ in library.add([folder]):
        pass
    return library.path


def test_from_a_shelf_to_a_note(typed: Typed, theirs: Path, tmp_path: Path) -> None:
    shelf = as_documented(typed("shelf", "add", theirs, "--name", "Lab", "--json"), "shelf add FILE --json")
    assert (shelf["name"], shelf["kind"]) == ("Lab", "library")
    assert as_documented(typed("shelf", "list", "--json"), "shelf list --json") == [shelf]
    assert as_documented(typed("ask", QUESTION, "--json"), "ask QUESTION --json")["refused"]
    answer = as_documented(typed("ask", QUESTION, "--shelves", "--json"), "ask QUESTION --json")
    assert (answer["shelf"], answer["sources"][0]["shelf"]) == ("Lab", "Lab")
    said = typed("ask", QUESTION, "--shelves").out
    assert said.startswith("From the shelf Lab, not from your library:\n")
    assert "[S1]" in said
    assert "\x1b" not in said

    (waiting,) = as_documented(typed("review", "list", "--json"), "review list --json")
    number = str(waiting["id"])
    assert as_documented(typed("review", "show", number, "--json"), "review show N --json") == waiting
    shown = typed("review", "show", number).out
    assert "120 °C" in shown
    assert "\x1b" not in shown
    into = tmp_path / "mine"
    into.mkdir()
    done = as_documented(typed("review", "accept", number, "--into", into, "--json"), "review accept N --json")
    note = Path(done["note"])
    assert (done["state"], note.parent) == ("accepted", into)
    text = note.read_text(encoding="utf-8")
    assert "> Silica gel of the desiccator is regenerated at 120 °C. Ask [mail]." in text
    assert typed("review", "accept", number, "--into", into).code == 2
    assert typed("review", "list").out == ""
    assert as_documented(typed("shelf", "remove", "Lab", "--json"), "shelf remove NAME --json") == {"removed": "Lab"}


def test_a_rejected_answer_does_not_come_back(typed: Typed, theirs: Path) -> None:
    typed("shelf", "add", theirs)
    typed("ask", QUESTION, "--shelves")
    (waiting,) = as_documented(typed("review", "list", "--json"), "review list --json")
    done = as_documented(typed("review", "reject", str(waiting["id"]), "--json"), "review reject N --json")
    assert done["state"] == "rejected"
    typed("ask", QUESTION, "--shelves")
    assert typed("review", "list").out == ""
    assert "rejected" in typed("review", "list", "--all").out
    assert typed("review", "show", "99").code == 2
