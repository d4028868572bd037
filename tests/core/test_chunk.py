"""How a reading is laid into chunks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.chunk import OVERLAP_TOKENS, TARGET_TOKENS, chunk, chunker_id, has_content
from inro.graphemes import is_boundary
from inro.readers.markdown import read_text
from inro.readers.plain import text_blocks
from inro.records import Block, Chunk, Reading
from inro.text.tokens import estimate_tokens

SENTENCE = "The furnace was held at five hundred degrees for two hours. "
JAPANESE = "試料は乾燥庫で一晩保管し、翌朝に質量を測定した。"


def markdown(text: str, target: int = TARGET_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Chunk]:
    return chunk(read_text(text, "note.md"), target, overlap)


def slices(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[c.start : c.end] for c in chunks]


def reading_of(text: str, blocks: tuple[Block, ...]) -> Reading:
    return Reading(text, "title", blocks, "test/1")


def test_a_short_note_is_one_chunk_under_its_heading() -> None:
    text = f"# Title\n\n{SENTENCE}\n\n{JAPANESE}\n"
    (only,) = markdown(text)
    assert text[only.start : only.end] == text.strip()
    assert (only.ordinal, only.heading) == (0, ("Title",))


def test_long_sections_stay_apart_and_carry_their_heading_path() -> None:
    text = f"# A\n\n{SENTENCE * 15}\n\n## B\n\n{SENTENCE * 15}\n\n# C\n\n{SENTENCE * 15}\n"
    chunks = markdown(text, 300)
    assert [c.heading for c in chunks] == [("A",), ("A", "B"), ("C",)]
    assert [s.split("\n")[0] for s in slices(text, chunks)] == ["# A", "## B", "# C"]


def test_short_sections_join_neighbours_under_the_same_parent_only() -> None:
    text = "# A\n\n" + "".join(f"## A{i}\n\nshort text {i}\n\n" for i in range(3)) + f"# B\n\n{SENTENCE * 12}\n"
    chunks = markdown(text)
    assert [c.heading for c in chunks] == [("A",), ("B",)]
    assert slices(text, chunks)[0].endswith("short text 2")


def test_a_few_words_before_a_section_do_not_take_its_heading_away() -> None:
    (only,) = markdown(f"tiny\n\n# A\n\n{SENTENCE * 8}\n")
    assert only.heading == ("A",)


def test_many_tiny_sections_make_one_chunk_under_their_parent() -> None:
    text = "# A\n\n" + "".join(f"## A{i}\n\nword {i}\n\n" for i in range(20))
    assert {c.heading for c in markdown(text)} == {("A",)}


def test_a_heading_is_never_a_chunk_alone() -> None:
    text = f"# A\n\n## B\n\n### C\n\n{SENTENCE * 40}\n\n# D\n\n## E\n"
    for piece in slices(text, markdown(text, 100)):
        assert any(not line.startswith("#") for line in piece.split("\n") if line)


def test_a_document_of_headings_alone_is_still_found() -> None:
    text = "# A\n\n## B\n\n## C\n"
    assert "".join(slices(text, markdown(text))) == text.strip()


def test_paragraphs_are_kept_whole_up_to_the_target() -> None:
    paragraphs = [SENTENCE * 4 + f"End of {i}." for i in range(12)]
    text = "\n\n".join(paragraphs)
    for piece in slices(text, markdown(text, 200, 0)):
        assert all(part in paragraphs for part in piece.split("\n\n"))


def test_a_long_paragraph_is_cut_between_sentences_and_the_tail_is_carried() -> None:
    text = "".join(f"Sentence number {i} says something of its own about the furnace. " for i in range(60))
    chunks = markdown(text, 150, 40)
    pieces = slices(text, chunks)
    assert len(pieces) > 3
    for piece in pieces:
        assert piece.startswith("Sentence number") and piece.endswith(".")
    for before, after in pairwise(chunks):
        assert before.start < after.start < before.end
        assert estimate_tokens(text[after.start : before.end]) <= 40


def test_japanese_is_cut_between_sentences() -> None:
    text = JAPANESE * 60
    for piece in slices(text, markdown(text, 150)):
        assert piece.startswith("試料") and piece.endswith("。")


@pytest.mark.parametrize("kind", ["table", "code", "list"])
def test_rows_and_lines_are_not_cut(kind: str) -> None:
    rows = [f"| S-{i} | {i * 7 % 13}.{i % 10} g | note {i} |" for i in range(100)]
    if kind == "code":
        rows = [f"value_{i} = compute({i}, 'abc')" for i in range(100)]
    if kind == "list":
        rows = [f"- item {i} of a long list" for i in range(100)]
    text = "\n".join(rows)
    chunks = chunk(reading_of(text, (Block(kind, 0, len(text)),)), 120)  # type: ignore[arg-type]
    assert len(chunks) > 3
    assert [row for piece in slices(text, chunks) for row in piece.split("\n")] == rows


def test_one_line_larger_than_a_chunk_is_cut_between_characters() -> None:
    text = "か\u3099👩‍👩‍👧🇯🇵e\u0301" * 500
    chunks = chunk(reading_of(text, (Block("code", 0, len(text)),)), 100)
    assert "".join(slices(text, chunks)) == text
    for piece in chunks:
        assert is_boundary(text, piece.start) and is_boundary(text, piece.end)
        assert piece.tokens <= 150


def test_a_megabyte_in_one_line_is_cut_in_time() -> None:
    text = "x1y2" * 250_000
    chunks = chunk(reading_of(text, (Block("paragraph", 0, len(text)),)))
    assert chunks[0].start == 0 and chunks[-1].end == len(text)


def test_chunks_without_content_are_dropped() -> None:
    text = "- \n- \n- \n"
    assert chunk(reading_of(text, (Block("list", 0, len(text)),))) == []
    assert markdown("---\n\n***\n\n> \n\n|  |  |\n|--|--|\n") == []
    assert chunk(reading_of("", ())) == []


def test_a_long_rule_between_paragraphs_is_in_no_chunk() -> None:
    text = f"first words\n\n{'- ' * 3000}\n\nlast words\n"
    pieces = slices(text, chunk(reading_of(text, text_blocks(text))))
    assert pieces == ["first words", "last words"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", True),
        ("乾", True),
        ("℃", True),
        ("★", True),
        ("👍", True),
        ("7", True),
        ("- \n* | --- |", False),
        ("", False),
        ("…。、", False),
    ],
)
def test_content_is_a_letter_a_digit_or_a_symbol(text: str, expected: bool) -> None:
    assert has_content(text) is expected


def test_frontmatter_is_in_no_chunk() -> None:
    text = "---\nsecret: S-9\n---\nbody\n"
    assert slices(text, markdown(text)) == ["body"]


def test_the_page_is_the_one_the_chunk_begins_on() -> None:
    text = SENTENCE * 8 + "\n\n" + SENTENCE * 8
    middle = text.index("\n\n")
    blocks = (Block("paragraph", 0, middle, page=1), Block("paragraph", middle + 2, len(text), page=2))
    assert [c.page for c in chunk(reading_of(text, blocks), 150)] == [1, 2]


def test_mixed_text_gets_chunks_of_the_same_size_in_tokens() -> None:
    for text in (SENTENCE * 80, JAPANESE * 80, (SENTENCE + JAPANESE) * 40):
        sizes = [estimate_tokens(piece) for piece in slices(text, markdown(text, 200, 0))]
        assert max(sizes) <= 220
        assert min(sizes) >= 100


def test_the_identity_names_what_shapes_the_chunks() -> None:
    assert chunker_id(320, 40) != chunker_id(256, 40)


_WORDS = st.sampled_from(
    [
        "alpha ",
        "beta. ",
        "乾燥。",
        "試料 ",
        "1.5 mg ",
        "\n",
        "\n\n",
        "# H\n",
        "## K\n",
        "- x\n",
        "| a | b |\n",
        "```\n",
        "> q\n",
        "👍🏽",
        "- \n",
    ]
)


@given(st.lists(_WORDS, max_size=120).map("".join), st.integers(8, 60), st.integers(0, 20))
def test_chunks_are_ordered_slices_that_hold_all_content(text: str, target: int, overlap: int) -> None:
    reading = read_text(text, "x.md")
    chunks = chunk(reading, target, overlap)
    held = [False] * len(text)
    previous = -1
    for ordinal, piece in enumerate(chunks):
        assert piece.ordinal == ordinal
        assert 0 <= piece.start < piece.end <= len(text)
        assert piece.start > previous
        assert has_content(text[piece.start : piece.end])
        assert piece.tokens <= target * 1.25 + overlap
        previous = piece.start
        held[piece.start : piece.end] = [True] * (piece.end - piece.start)
    for block in reading.blocks:
        for i in range(block.start, block.end):
            assert held[i] or not text[i].isalnum()
