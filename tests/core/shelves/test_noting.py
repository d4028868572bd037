"""An accepted answer becomes a note of the cited passages, and of nothing else."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from inro.errors import UsageError
from inro.records import Answer, AnswerSentence, SourcePassage
from inro.shelves import noting

DAY = date(2026, 5, 1)


def source(n: int, title: str, quote: str) -> SourcePassage:
    return SourcePassage(n, n, f"{title}.md", title, "", None, 0, len(quote), quote, "Lab")


def answered(*cites: int) -> Answer:
    sources = (
        source(1, "Silica gel", "Regenerate it at 120 °C. Ask jane@lab.example."),
        source(2, "Jane Doe: balances", "Level it."),
        source(3, "Uncited", "Secret."),
    )
    said = AnswerSentence("The model's own words.", cites, True)
    return Answer("How hot, Jane Doe?", "The model's own words.", False, "model", (said,), sources, (), shelf="Lab")


def test_the_note_is_of_question_and_sources() -> None:
    text = noting.note(answered(1, 2), DAY, ("Jane Doe",))
    assert text == (
        "# Silica gel; \\[name\\]: balances\n\n"
        "Question: How hot, \\[name\\]?\n\n"
        "> Regenerate it at 120 °C. Ask [mail].\n\n— Silica gel (`Silica gel.md`, 0-46), from the shelf Lab\n\n"
        "> Level it.\n\n— \\[name\\]: balances (`[name]: balances.md`, 0-9), from the shelf Lab\n\n"
        "*Quoted from the shelf Lab, taken in on 2026-05-01.*\n"
    )


def test_no_file_is_written_over(tmp_path: Path) -> None:
    first = noting.write(answered(1), tmp_path, DAY)
    first.write_text("mine")
    second = noting.write(answered(1), tmp_path, DAY)
    assert (first.name, second.name) == ("Silica gel.md", "Silica gel 2.md")
    assert first.read_text() == "mine"


def test_a_title_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    hostile = source(1, "../../etc/\x1b[2J\x00passwd", "Text.")
    answer = Answer("Q?", "", False, "extractive", (AnswerSentence("Text.", (1,), True),), (hostile,), (), shelf="Lab")
    file = noting.write(answer, folder, DAY)
    assert file.parent == folder
    assert file.name.isprintable()
    assert "\x1b" not in file.read_text()


def test_what_cites_nothing_or_has_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        noting.note(answered(), DAY)
    with pytest.raises(UsageError, match="--into"):
        noting.write(answered(1), tmp_path / "nowhere", DAY)
