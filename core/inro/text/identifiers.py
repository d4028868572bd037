"""Names made of letters, digits and signs: what they are, and which of them stand for one thing.

Rule: `find` sees exactly the identifiers that the index holds, since both come from one reading of the text;
two spellings of an identifier have one key (`ISO 9408`, `iso-9408`, `ＩＳＯ９４０８`). `pinworthy` says which are
worth looking up as identity: those that someone gave to a thing, not hyphenated words, quantities, ranges and
dates of a year. Knows no index.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from inro.records import HanFolding
from inro.text.keys import IDENTIFIER, kind
from inro.text.scan import Scan, scan, spellings

Form = Literal["code", "compound", "numeric", "designation", "ordinal", "doi", "signed"]

_DESIGNATORS: Final = (
    "act algorithm annex appendix art article bug cas case chap chapter class clause cve doc document ec "
    "eq equation example exhibit fig figure form grade id isbn issn issue item iso jira lemma level lot "
    "method model mode no number order page para paragraph part phase pp pr problem product project "
    "proposition protocol question ref release req requirement revision room row rule run sample sec "
    "section serial series sheet slide sop specimen stage step study sub supplement tab table task test "
    "theorem ticket trial type unit ver version vol volume"
)
"""Words that announce a number as a name, in lower case as in capitals."""

_COUNTERS: Final = frozenset("条條章節节项項号號款編编部巻卷版回話话課课表図图圖式例問问题題講讲")
"""What an ordinal counts when it names a part of a work, and not a rank or a person."""

_QUANTITY: Final = re.compile(r"\d+(?:[.,]\d+)*[^\W\d]{1,4}")
_NAME_ALREADY: Final = re.compile(r"\d{2,7}-\d\d-\d|10\.\d{4,}/.*|\d+(?:\.\d+){2,}")
"""A number that needs no word before it: of a substance (CAS), a DOI, a version. `CAS 7732-18-5` is its number."""

_CODE: Final = re.compile(r"[^\W\d]\d")
"""A number that begins with its letter, like `B0205`: a name without the word before it, unless that is in capitals."""

_RANGE_OR_FRACTION: Final = re.compile(r"\d+[-/:~]\d+")


@dataclass(frozen=True, slots=True)
class Identifier:
    """One identifier in a text."""

    text: str
    """As written."""
    start: int
    end: int
    """Code points in the text as written."""
    key: int
    """Its term key, body field; the same for all its spellings."""
    form: Form
    spelling: str
    """What all its spellings come down to."""
    pinworthy: bool
    """It names one thing: a chunk that holds it whole is what was meant."""


def find(text: str, strict: bool = False, han: HanFolding = "none") -> list[Identifier]:
    """Every identifier of a text in text order, parts of longer ones included; if `strict`, pinworthy ones
    only."""
    read = scan(text, han)
    chosen = np.flatnonzero(kind(read.tokens.keys) == IDENTIFIER)
    found = []
    for i, spelling in zip(chosen.tolist(), spellings(read.points, read.tokens, chosen), strict=True):
        identifier = _identifier(text, read, i, spelling)
        if identifier.pinworthy or not strict:
            found.append(identifier)
    return sorted(found, key=lambda each: (each.start, -each.end, each.form != "doi"))


def whole(identifiers: list[Identifier]) -> list[Identifier]:
    """Those not inside a longer one of the list: of `ISO 9408:2009` not `ISO 9408` nor `9408:2009`."""
    kept: list[Identifier] = []
    for each in sorted(identifiers, key=lambda each: (each.start, -each.end)):
        if not kept or each.end > kept[-1].end:
            kept.append(each)
    return kept


def pins(text: str, han: HanFolding = "none") -> list[Identifier]:
    """What a query asks for by identity: its pinworthy identifiers but for those inside a longer one.

    Of `ISO 9408:2009` that is the standard with its edition, not `ISO 9408`; of a link to a DOI, the DOI; of
    `S-1041/S-1042`, the two.
    """
    named = find(text, True, han)
    kept: list[Identifier] = []
    for each in named:
        if kept and each.end <= kept[-1].end:
            continue
        parts = [other for other in named if other is not each and each.start <= other.start < other.end <= each.end]
        if each.form == "code" and (any(part.form == "doi" for part in parts) or ("/" in each.text and len(parts) > 1)):
            continue
        kept.append(each)
    return kept


@lru_cache(maxsize=1)
def _designators() -> frozenset[str]:
    return frozenset(_DESIGNATORS.split())


def _identifier(text: str, read: Scan, i: int, spelling: str) -> Identifier:
    from inro_native import spans

    names: dict[int, Form] = {
        spans.CODE: "code",
        spans.COMPOUND: "compound",
        spans.NUMERIC: "numeric",
        spans.DESIGNATION: "designation",
        spans.ORDINAL: "ordinal",
        spans.DOI: "doi",
        spans.SIGNED: "signed",
    }
    tokens = read.tokens
    begin, close = int(tokens.start[i]), int(tokens.end[i])
    start, end = read.folded.original(begin, close)
    form = names[int(tokens.form[i])]
    folded = read.folded.text[begin:close]
    written = text[start:end]
    return Identifier(
        written, start, end, int(tokens.keys[i]), form, spelling, _pinworthy(form, written, folded, spelling)
    )


def _pinworthy(form: Form, written: str, folded: str, spelling: str) -> bool:
    match form:
        case "code":
            return not _QUANTITY.fullmatch(folded)
        case "compound":
            return "_" in folded or "@" in folded or "\\" in folded
        case "numeric":
            return not _RANGE_OR_FRACTION.fullmatch(folded)
        case "designation":
            word, number = re.split(r"\.?\s", folded, maxsplit=1)
            if _NAME_ALREADY.fullmatch(number) or (_CODE.match(number) and not written[:2].isupper()):
                return False
            if word in _designators() or written[:1].isupper():
                return True
            return len(word) <= 4 and not _RANGE_OR_FRACTION.fullmatch(number)
        case "ordinal":
            return spelling[-1] in _COUNTERS or any(c.isascii() and c.isdigit() for c in folded)
        case "doi" | "signed":
            return True
