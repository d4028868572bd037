"""What scripts rely on besides the JSON: where options may stand, exit codes, which stream says what."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Inro, Run

import inro
from inro.errors import InroError
from inro_tui.cli.main import COMMANDS, LazyGroup, cli

Typed = Callable[..., Run]


def said(run: Run) -> str:
    """The one line of an error."""
    assert run.out == ""
    lines = [line for line in run.err.splitlines() if line.startswith("inro: ")]
    assert len(lines) == 1, run.err
    return lines[0]


def test_the_version(typed: Typed) -> None:
    for option in ("-V", "--version"):
        assert typed(option).out == f"inro, version {inro.__version__}\n"


def test_every_command_has_help(typed: Typed) -> None:
    shown = typed("--help").out
    for name in COMMANDS:
        assert f"  {name}" in shown
        assert typed(name, "-h").out.startswith(f"Usage: inro {name}")


@pytest.mark.parametrize("after", [False, True])
def test_global_options_stand_before_or_after_the_command(
    typed: Typed, noted: Inro, tmp_path: Path, after: bool
) -> None:
    library = ["-L", str(noted.library), "--json"]
    nowhere = ["--library", str(tmp_path / "nowhere.inro")]

    def with_status(options: list[str]) -> list[str]:
        return ["status", *options] if after else [*options, "status"]

    assert typed(*with_status(library)).json["documents"] == 3
    assert "nowhere.inro" in said(typed(*with_status(nowhere)))


def test_the_library_named_nearest_to_the_command_wins(typed: Typed, noted: Inro, tmp_path: Path) -> None:
    run = typed("-L", tmp_path / "nowhere.inro", "status", "-L", noted.library, "--json")
    assert run.json["library"] == str(noted.library)


def test_options_before_a_group_reach_its_commands(typed: Typed) -> None:
    assert typed("models", "list", "--json").out == typed("--json", "models", "list").out
    assert typed("models", "list", "--json").out == typed("models", "--json", "list").out


def test_exit_codes(typed: Typed, tmp_path: Path) -> None:
    """The table of `inro --help`, row by row."""
    text = tmp_path / "text.inro"
    text.write_text("not an index")
    assert typed("status").code == 0
    assert typed("doctor").code == 1
    assert typed("search").code == 2
    assert typed("search", "-n", "0", "x").code == 2
    assert typed("add", tmp_path / "nowhere").code == 2
    assert typed("show", "no such document").code == 2
    assert typed("-L", tmp_path / "nowhere.inro", "status").code == 3
    assert typed("-L", text, "status").code == 3
    assert typed("search", "kiln", "--lane", "dense").code == 5


def test_a_busy_library_has_a_code_of_its_own() -> None:
    kinds = [InroError]
    for kind in kinds:
        kinds.extend(kind.__subclasses__())
    assert {kind.__name__: kind.exit_code for kind in kinds}["LibraryBusy"] == 4
    assert {kind.exit_code for kind in kinds} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize(("slip", "meant"), [("serach", "inro search"), ("statsu", "inro status"), ("ad", "inro add")])
def test_a_command_mistyped_is_told_what_is_near(typed: Typed, slip: str, meant: str) -> None:
    run = typed(slip, "kiln")
    assert run.code == 2
    assert slip in said(run)
    assert meant in said(run)


def test_a_command_unlike_any_points_to_the_help(typed: Typed) -> None:
    assert "inro --help" in said(typed("xyzzy"))
    assert "inro search --help" in said(typed("search", "--expalin", "kiln"))


def test_the_app_without_a_terminal_says_what_to_do(typed: Typed) -> None:
    run = typed()
    assert run.code == 2
    assert "terminal" in said(run)


def test_notes_go_to_stderr_and_data_to_stdout(typed: Typed) -> None:
    run = typed("search", "kiln", "--json")
    assert "inro models fetch" in run.err
    assert "note" not in run.out.splitlines()[0]


@pytest.mark.parametrize("command", [["search", "cleaned"], ["show", "kiln.md"], ["status"], ["ask", "Heat K-204?"]])
def test_without_a_terminal_there_is_no_escape(typed: Typed, command: list[str]) -> None:
    run = typed(*command)
    assert run.code == 0
    assert "\x1b" not in run.out + run.err


@pytest.mark.parametrize(
    "command",
    [
        ["search", "trap"],
        ["search", "trap", "--explain"],
        ["search", "trap", "--json"],
        ["search", "trap", "--jsonl"],
        ["ask", "What about the trap?"],
        ["show", "trap.md"],
        ["show", "trap.md", "--at", "12"],
        ["show", "trap.md", "--json"],
        ["show", "no \x1b[2J\x9b such\u202e"],
        ["sql", "SELECT title, text FROM documents JOIN texts ON id = document"],
        ["sql", "SELECT text FROM texts", "--json"],
        ["sql", "SELECT \x1b[2J"],
        ["\x1b[2Jserach"],
        ["models", "path"],
        ["eval", "no\x1b[2J\u202e such"],
    ],
)
def test_control_characters_are_never_printed(typed: Typed, command: list[str]) -> None:
    run = typed(*command)
    shown = run.out + run.err
    assert shown
    assert not [c for c in shown if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in "\u202e\u2028"]


def test_json_still_holds_what_the_text_holds(typed: Typed) -> None:
    assert "\x1b[2J\x9b31m\u202e" in typed("show", "trap.md", "--json").json["text"]


def test_arguments_that_are_not_text_do_no_harm(typed: Typed) -> None:
    odd = os.fsdecode(b"\xff\xfe")
    assert typed("search", odd).code == 0
    assert typed("show", odd).code == 2
    assert typed("show", "9" * 5000).code == 2
    assert typed("search", "").code == 0


def test_show_begins_with_the_line_that_holds_a_place(typed: Typed) -> None:
    text = typed("show", "kiln.md", "--json").json["text"]
    run = typed("show", "kiln.md", "--at", str(text.index("900 °C")))
    assert run.out.startswith("Heat K-204 at 5 °C/min")
    line = text[: text.index("Heat K-204")].count("\n") + 1
    assert run.err == f"kiln.md, line {line} › The kiln › Heating\n"
    assert typed("show", "kiln.md").out.startswith(text.splitlines()[0])


def test_show_past_the_end_is_told(typed: Typed) -> None:
    run = typed("show", "kiln.md", "--at", "100000")
    assert run.code == 2
    assert "100000" in said(run)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion(typed: Typed, shell: str) -> None:
    script = typed("completion", shell).out
    assert "_INRO_COMPLETE" in script
    assert "inro" in script


def test_completion_gives_commands(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(cli, LazyGroup)
    monkeypatch.setenv("_INRO_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "inro se")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert typed().out == "plain,search\n"


def test_an_interrupt_in_a_query_of_the_programs_own_is_one_line(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    from inro.library import Library

    def interrupted(*_: object, **__: object) -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(Library, "status", interrupted)
    run = typed("status")
    assert (run.code, run.err) == (130, "inro: interrupted\n")
