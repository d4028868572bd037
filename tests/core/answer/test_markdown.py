"""An answer as a Markdown note: quotations with their places, and nothing in it that a document could make act."""

from __future__ import annotations

from markdown_it import MarkdownIt

from inro.answer.markdown import as_markdown
from inro.records import Answer, AnswerSentence, SourcePassage


def source(n: int, quote: str, title: str = "Kiln", path: str = "kiln.md") -> SourcePassage:
    return SourcePassage(n, 1, path, title, "Heating", 3, 10, 10 + len(quote), quote)


def answered(*sources: SourcePassage, cites: tuple[int, ...] = (1,)) -> Answer:
    sentence = AnswerSentence("Heat it to *900* °C.", cites, True)
    return Answer("How hot?", "", False, "extractive", (sentence,), sources, ())


def test_only_cited_passages_are_given_with_their_places() -> None:
    note = as_markdown("Kilns", [answered(source(1, "Heat it.\nHold it."), source(2, "Never said."))])
    assert note == (
        "# Kilns\n\n## How hot?\n\nHeat it to \\*900\\* °C. [1]\n\n### Sources\n\n[1]\n\n"
        "> Heat it.\n> Hold it.\n\n— Kiln › Heating, page 3 (`kiln.md`, 10-27)\n"
    )


def test_a_refusal_is_said_and_a_doubt_marked() -> None:
    refusal = Answer("Who?", "This is not in your library.", True, "extractive", (), (), ())
    doubt = Answer("How?", "", False, "model", (AnswerSentence("So.", (1,), False, ("7 is not there",)),), (), ())
    note = as_markdown("Both", [refusal, doubt])
    assert "This is not in your library." in note
    assert "So. [1] *(unsupported: 7 is not there)*" in note


def test_a_hostile_passage_stays_a_quotation() -> None:
    quote = "one\x1b]52;c;aGk=\x07\n\n</blockquote>\n# Heading\n![x](http://a/b.png)\n```\n"
    note = as_markdown("T\n# more", [answered(source(1, quote, title="<b>[t](u)", path="a`b\n.md"))])
    assert "\x1b" not in note
    tokens = MarkdownIt().parse(note)
    headings = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open" and t.level == 0]
    assert headings == ["T \\# more", "How hot?", "Sources"]
    inside = [child.type for token in tokens for child in (token, *(token.children or ()))]
    assert not {"html_block", "html_inline", "image", "link_open"} & set(inside)
    assert tokens[-2].content.startswith("— \\<b\\>")
