"""A verbatim sentence of a Markdown document as a reader wants to see it: the words without the marks around them.

Rule: only marks are taken away, never a word; what is cited stays the span of the document as it is. Text that is
no Markdown is handed back as it is, since a star or a bar may mean itself there.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"})

_LEAD = re.compile(r"^\s*(?:>\s?)*\s*(?:\[![\w-]+\][+-]?\s*)?(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX/-]\]\s+)?)?")
_CLOSING_HASHES = re.compile(r"\s#+\s*$")
_RULE = re.compile(r"^[\s|:+=-]*$")
_LITERAL = re.compile(
    r"\\(?P<sign>[\\`*_{}\[\]()#+.!|~<>=-])|(?P<fence>`+)\s?(?P<body>.+?)\s?(?P=fence)(?!`)", re.DOTALL
)
"""What stands for itself: a sign after a backslash, and code."""
_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"<br\s*/?>", re.IGNORECASE), " "),
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"), r"\1"),
    (re.compile(r"!?\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)"), r"\1"),
    (re.compile(r"\[\^[^\[\]\s]+\]:?"), ""),
    (re.compile(r"<((?:https?|mailto):[^<>\s]+)>"), r"\1"),
    (re.compile(r"(\*{1,3})(?=\S)([^*\n]+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w_])(_{1,3})(?=\S)([^_\n]+?)(?<=\S)\1(?![\w_])"), r"\2"),
    (re.compile(r"~~(?=\S)([^~\n]+?)(?<=\S)~~"), r"\1"),
    (re.compile(r"==(?=\S)([^=\n]+?)(?<=\S)=="), r"\1"),
    (re.compile(r"\s\^[A-Za-z0-9-]+$"), ""),
)
_CELLS = re.compile(r"(?<!\\)\|")


def shown(sentence: str, path: str) -> str:
    """The sentence for showing; itself if the document at `path` is no Markdown or nothing but marks is in it."""
    if PurePosixPath(path).suffix.lower() not in MARKDOWN:
        return sentence
    text = _LEAD.sub("", sentence)
    if _RULE.fullmatch(text):
        return sentence
    text = _CLOSING_HASHES.sub("", text)
    if text.startswith("|") or sentence.lstrip().startswith("|"):
        text = " · ".join(cell.strip() for cell in _CELLS.split(text.strip().strip("|")) if cell.strip())
    kept: list[str] = []
    at = 0
    for literal in _LITERAL.finditer(text):
        kept += (_unmarked(text[at : literal.start()]), literal["sign"] or literal["body"])
        at = literal.end()
    kept.append(_unmarked(text[at:]))
    return "".join(kept).strip() or sentence


def _unmarked(text: str) -> str:
    for pattern, kept in _INLINE:
        text = pattern.sub(kept, text)
    return text
