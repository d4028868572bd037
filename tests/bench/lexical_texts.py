"""Texts and queries for the lexical benchmark: sentences of the measuring corpora, shuffled by a fixed seed.

A text is one to four sentences of one language; every fifth carries a made-up identifier. Languages alternate.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

CORPORA = {"ja": ("ja-jsquad", "ja-unanswerable"), "zh": ("zh-cmrc2018",), "en": ("xquad-en", "en-mtragun")}
_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n+")


def shared() -> Path:
    """The folder of measuring data: INRO_SHARED, else beside the checkout."""
    return Path(os.environ.get("INRO_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def sentences(language: str) -> list[str]:
    """Every distinct sentence of 8 to 400 characters of the language's corpora, in file order."""
    found: dict[str, None] = {}
    for name in CORPORA[language]:
        for record in _lines(shared() / "eval" / name / "corpus.jsonl"):
            for piece in _END.split(record["text"]):
                if 8 <= len(piece.strip()) <= 400:
                    found[piece.strip()] = None
    return list(found)


def texts(count: int, seed: int = 7) -> Iterator[str]:
    """`count` texts, the same for every run and the same beginning for every count."""
    dice = random.Random(seed)
    pools = {language: sentences(language) for language in CORPORA}
    languages = list(CORPORA)
    for i in range(count):
        language = languages[i % len(languages)]
        parts = [dice.choice(pools[language]) for _ in range(dice.randint(1, 4))]
        if i % 5 == 0:
            parts.append(f"{dice.choice('ABCDEFGHKLMN')}-{dice.randint(100, 99999)}")
        yield ("" if language in ("ja", "zh") else " ").join(parts)


def questions(name: str, count: int, seed: int = 7) -> list[str]:
    """`count` queries of a measuring set."""
    found = [record["text"] for record in _lines(shared() / "eval" / name / "queries.jsonl")]
    random.Random(seed).shuffle(found)
    return found[:count]


def queries(count: int, sample: list[str], seed: int = 11) -> dict[str, list[str]]:
    """`count` queries a class. Words and identifiers are drawn from `sample`, so common ones come often."""
    dice = random.Random(seed)
    words = [word for text in sample for word in re.findall(r"[A-Za-z]{3,}|[一-龠]{2}", text)]
    names = [name for text in sample for name in re.findall(r"\b[A-Z]-[0-9]{3,}\b", text)]
    return {
        "one word": [dice.choice(words) for _ in range(count)],
        "two words": [f"{dice.choice(words)} {dice.choice(words)}" for _ in range(count)],
        "identifier": [dice.choice(names) for _ in range(count)],
        "long English": questions("xquad-en", count),
        "Japanese question": questions("ja-jsquad", count),
    }
