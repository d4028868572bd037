"""Exact fields of passages (links, addresses, paths, DOI, ISBN, CAS, arXiv numbers) as `{L1}` to a model, and back.

Rule: a model never writes such a field letter by letter, where one wrong letter is another address; it names the field
and the text of the store is put there byte for byte. One field has one placeholder wherever it stands. What looks like
a placeholder in a document is a field itself, so that nothing a document says can be taken for one, and what a model
says without having been given it is known as invented. Ordinary numbers and codes stay as they are: they are words of
the text, and `verify` looks each one up.

The form is ASCII alone: small vocabularies make four tokens of `{L1}`, and none of them is half a character, while
`‹L1›` falls into bytes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 8
"""Characters of a placeholder at most, `{L99999}`; what is longer is none."""
LEAST: Final = 4
"""Characters of a field; what is shorter a model may as well write."""
GONE: Final = "…"
"""What stands where a model named a field that it was not given."""

_PLACEHOLDER: Final = re.compile(r"\{L\d{1,5}\}", re.IGNORECASE)
_BEGUN: Final = re.compile(r"\{(?:L\d{0,5})?$", re.IGNORECASE)
"""The beginning of what may yet become a placeholder, at the end of a text."""

_A: Final = r"[A-Za-z0-9\-._~:/?#@!$&*+,;=%|^\\]"
"""A sign of an address that stands in running text; what is not ASCII is the text that goes on."""
_FIELD: Final = re.compile(
    r"(?P<lookalike>\{L\d{1,5}\})"
    r"|!?\[[^\[\]\n]{0,300}\]\(\s*(?:<(?P<angled>[^<>\n]+)>"
    r"|(?P<target>[^()\s<>]+(?:\([^()\s<>]*\)[^()\s<>]*)*)(?=\s*\)|\s+[\"']))"
    r"|!\[\[(?P<embed>[^\[\]|#\n]+)"
    r"|\b(?:src|href)\s*=\s*[\"'](?P<attribute>[^\"'<>\n]+)[\"']"
    rf"|(?P<address>(?<![A-Za-z0-9])(?:https?|ftps?|sftp|ssh|git|file|smb|nfs|s3|obsidian|zotero)://"
    rf"(?:{_A}|\((?:{_A})*\)|\[[0-9A-Fa-f:]+\])+"
    rf"|(?<![A-Za-z0-9])(?:mailto|doi|tel|urn):(?:{_A}|\((?:{_A})*\))+|(?<![A-Za-z0-9.])www\.(?:{_A}|\((?:{_A})*\))+)"
    r"|(?P<mail>[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)"
    rf"|(?P<doi>(?<![\d.])10\.\d{{4,9}}/(?:{_A}|\((?:{_A})*\)|<[0-9A-Za-z:;.-]*>)+)"
    r"|(?<![A-Za-z0-9])arXiv:\s?(?P<arxiv>\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)"
    r"|(?<![A-Za-z0-9])ISBN(?:-1[03])?[:：]?\s?(?P<isbn>[0-9][0-9\- ]{8,15}[0-9Xx])(?![0-9])"
    r"|(?P<bookland>(?<![\d-])97[89]-\d{1,5}-\d{1,7}-\d{1,7}-\d(?![\d-]))"
    r"|(?P<cas>(?<![\d-])[1-9]\d{1,6}-\d{2}-\d(?![\d-]))"
    r"|(?P<uuid>\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b)"
    r"|(?P<path>(?<![\w/.:-])(?:[A-Za-z]:\\|\\\\)[A-Za-z0-9_.$-]+(?:\\[A-Za-z0-9_.$-]+)*"
    r"|(?<![\w/.:-])(?:~|\.{1,2})?/[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+)+/?"
    r"|(?<![\w/.:-])[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+)+\.[A-Za-z][A-Za-z0-9]{0,4}(?![\w/]))",
    re.IGNORECASE,
)
_TRAILING: Final = ".,;:!?*|^\\"
"""Signs that end a clause rather than an address."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A text of a model with its placeholders filled in."""

    text: str
    fields: tuple[str, ...]
    """What was put there, in order, each once."""
    invented: tuple[str, ...]
    """Placeholders that stand for nothing."""


class Fields:
    """The exact fields of what one model is given in one turn."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._fields: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._fields)

    def hide(self, text: str) -> str:
        """The text with each exact field as its placeholder."""
        parts: list[str] = []
        at = 0
        for start, end in spans(text):
            parts += (text[at:start], self._name(text[start:end]))
            at = end
        parts.append(text[at:])
        return "".join(parts)

    def restore(self, text: str) -> Restored:
        """The text with each placeholder as its field; no placeholder of the model's is left."""
        used: dict[str, None] = {}
        invented: dict[str, None] = {}

        def field(m: re.Match[str]) -> str:
            found = self._fields.get(m.group().upper())
            if found is None:
                invented.setdefault(m.group())
                return GONE
            used.setdefault(found)
            return found

        return Restored(_PLACEHOLDER.sub(field, text), tuple(used), tuple(invented))

    def _name(self, field: str) -> str:
        if field not in self._names:
            name = f"{{L{len(self._names) + 1}}}"
            self._names[field], self._fields[name] = name, field
        return self._names[field]


class Flow:
    """A stream of a model's text on its way to the screen."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown after this piece; it may be nothing."""
        text = self._held + piece
        begun = _BEGUN.search(text, max(0, len(text) - LONGEST))
        cut = begun.start() if begun else len(text)
        self._held = text[cut:]
        return self._fields.restore(text[:cut]).text

    def end(self) -> str:
        """What was held back: no placeholder any more, since its end never came."""
        rest, self._held = self._held, ""
        return "" if _BEGUN.fullmatch(rest) and len(rest) > 1 else rest


def spans(text: str) -> list[tuple[int, int]]:
    """Where exact fields stand in a text, in order and disjoint."""
    found: list[tuple[int, int]] = []
    at = 0
    while m := _FIELD.search(text, at):
        kind = m.lastgroup or ""
        start, end = m.span(kind)
        if kind in ("address", "doi", "path"):
            end = start + len(_trimmed(m[kind]))
        field = text[start:end]
        if _worth(kind, field):
            found.append((start, end))
            at = max(end, start + 1)
        else:
            # a field may stand inside what turned out to be none
            at = m.start() + 1
    return found


def _worth(kind: str, field: str) -> bool:
    if kind == "lookalike":
        return True
    if len(field) < LEAST or any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") for c in field):
        return False
    if kind == "cas":
        digits = field.replace("-", "")
        return sum(i * int(d) for i, d in enumerate(reversed(digits[:-1]), 1)) % 10 == int(digits[-1])
    if kind in ("isbn", "bookland"):
        return sum(c.isalnum() for c in field) in (10, 13)
    if kind == "address":
        return bool(re.search(r"[:.]/{0,2}[^\W_]", field))
    if kind == "path":
        return any(c.isalpha() for c in field)
    return True


def _trimmed(field: str) -> str:
    """The field without the signs of the sentence around it; brackets that it opened itself stay."""
    while field and field[-1] in _TRAILING:
        field = field[:-1]
    return field
