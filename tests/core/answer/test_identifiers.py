"""Identifiers are identity: of five hundred standards whose numbers differ by a digit, the one that is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inro.answer.compose import answer
from inro.answer.evidence import Evidence
from inro.library import Library
from inro.records import AnswerDone, Block, Reading

ROWS = 500
ASKED = range(0, ROWS, ROWS // 200)
QUESTIONS = (
    "What is the tensile strength of {}?",
    "{}の引張強さはいくらですか？",
    "{}的抗拉强度是多少？",
)


def standard(row: int) -> str:
    return f"ISO {90100 + row}"


def strength(row: int) -> str:
    return f"{400 + 7 * row} MPa"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The table in one document, and notes that speak of tensile strength and of standards without a number."""
    folder = tmp_path_factory.mktemp("standards")
    head = "| Standard | 引張強さ / tensile strength / 抗拉强度 |\n|---|---|\n"
    rows = "".join(f"| {standard(row)} | {strength(row)} |\n" for row in range(ROWS))
    notes = {
        "table.md": Reading(head + rows, "Standards", (Block("table", 0, len(head + rows)),), "test/1"),
        **{
            f"note {n}.md": Reading(text, "Note", (Block("paragraph", 0, len(text)),), "test/1")
            for n, text in enumerate(
                [
                    "The tensile strength is what a bar bears before it breaks. Standards say how to measure it.",
                    "引張強さは試験片が破断するまでの最大の応力である。規格に測り方がある。",
                    "抗拉强度是试样拉断前的最大应力。标准规定了测量方法。",
                ]
            )
        },
    }
    with Library(folder / "standards.inro") as library:
        for _ in library.add_readings("standards", iter(notes.items()), embed=False):
            pass
        yield library


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_row_that_is_named_is_in_the_first_passage_every_time(table: Library, question: str) -> None:
    chunks = {i: str(text) for i, text in table.sql(_CHUNKS)[1]}
    missed = []
    for row in ASKED:
        ranking, _ = table.engine.ranking(
            question.format(standard(row)), None, limit=1, lane="hybrid", fusion="calibrated", per_document=2
        )
        if f"| {standard(row)} |" not in chunks[ranking.items[0].chunk]:
            missed.append(row)
    assert len(ASKED) >= 200
    assert missed == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_answer_quotes_that_row_and_no_other(table: Library, question: str) -> None:

    def by_words(text: str) -> Evidence:
        return table.evidence(text, dense=False)

    for row in list(ASKED)[5::25]:
        *_, done = answer(question.format(standard(row)), by_words, table.engine.analyser())
        assert isinstance(done, AnswerDone)
        found = done.answer
        assert not found.refused
        assert f"| {standard(row)} |" in found.sources[0].quote
        quoted = [s for s in found.sentences if s.text.startswith("ISO ")]
        assert [s.text for s in quoted] == [f"{standard(row)} · {strength(row)}"]
        assert quoted[0].citations == (1,)
        assert quoted[0].span is not None and quoted[0].span[0] >= found.sources[0].start


_CHUNKS = (
    "select c.id, substr(string_agg(t.text, '' order by t.part), c.start + 1, c.stop - c.start) "
    "from chunks c join texts t using (document) group by c.id, c.start, c.stop"
)
