"""A result shows the matched words, whatever their place in the snippet, and says where it is from."""

from __future__ import annotations

from inro.records import Copy, Hit, Ledger
from inro_tui.lines import Line, width_of
from inro_tui.strings import ENGLISH
from inro_tui.widgets.results import excerpt, hit_lines, last_heading, ledger_line


def hit(snippet: str, word: str, **other: object) -> Hit:
    start = snippet.index(word)
    fields = {"title": "Title", "heading": "", "pinned": False, "below_floor": False, "page": None} | other
    return Hit(
        rank=1, score=1.0, document=1, path="a/b.md", chunk=1, start=0, end=len(snippet), snippet=snippet,
        snippet_start=0, highlights=((start, start + len(word)),), shown=snippet,
        shown_highlights=((start, start + len(word)),), trace=(), **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def plain(line: Line) -> str:
    return "".join(text for text, _ in line)


def lit(line: Line) -> list[str]:
    return [text for text, style in line if style == "mark"]


def test_a_match_near_the_beginning_shows_the_beginning() -> None:
    line = excerpt(hit("The desiccator held 12 %", "held"), 70)
    assert plain(line) == "The desiccator held 12 %"
    assert lit(line) == ["held"]


def test_a_match_far_on_is_led_up_to_from_the_start_of_a_word() -> None:
    line = excerpt(hit("many words come first here " * 9 + "and then the needle is met", "needle"), 70)
    assert plain(line).startswith("⋯")
    assert " " + plain(line)[1:].split(" ")[0] + " " in " many words come first here and then the needle "
    assert lit(line) == ["needle"]


def test_marks_stay_on_their_words_over_line_ends_and_invisible_letters() -> None:
    line = excerpt(hit("一行目\n\n  二\u200b行目の\tシリカゲル\nです", "シリカゲル"), 70)
    assert plain(line) == "一行目 二行目の シリカゲル です"
    assert lit(line) == ["シリカゲル"]


def test_every_line_fits() -> None:
    for width in (20, 41, 90):
        long = hit("乾燥庫 desiccator " * 30, "desiccator", title="長い題名" * 9, heading="A › B", pinned=True, page=3)
        assert all(width_of(line) <= width for line in hit_lines(long, ENGLISH, width, snippet_lines=2, best=1.0))


def test_a_weak_result_has_no_bright_marks_and_is_called_weak() -> None:
    lines = hit_lines(hit("some text", "text", below_floor=True), ENGLISH, 60, snippet_lines=1, best=2.0)
    assert "weak" in plain(lines[0])
    assert not lit(lines[1])


def test_a_result_says_in_how_many_other_documents_it_stands() -> None:
    copies = (Copy(2, "old/b.md", 7), Copy(3, "older/b.md", 8))
    for width in (20, 60):
        lines = hit_lines(hit("some text", "text", also_in=copies, page=3), ENGLISH, width, snippet_lines=1)
        assert plain(lines[-1]) == "also in 2 more"
        assert all(width_of(line) <= width for line in lines)
    assert "also" not in plain(hit_lines(hit("some text", "text"), ENGLISH, 60, snippet_lines=1)[-1])


def test_a_heading_that_repeats_the_title_is_not_said_twice() -> None:
    assert last_heading(hit("x", "x", heading="Title")) == ""
    assert last_heading(hit("x", "x", heading="Title › Part")) == "Part"


def test_the_ledger_says_what_was_not_searched_and_nothing_else() -> None:
    assert plain(ledger_line(Ledger(4812, 4830, unreadable=11, offline=7), ENGLISH)) == (
        "searched 4,812 of 4,830 files | 11 unreadable | 7 offline"
    )
    assert plain(ledger_line(Ledger(3, 3), ENGLISH)) == "searched 3 of 3 files"
