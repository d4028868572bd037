"""Findability: whatever stands in a text is found by typing it, in any of its spellings."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from inro.index.lexical import LexicalIndex, LexicalQuery
from inro.library import Library
from inro.records import Block, Reading
from inro.search.phrase import Phrase
from inro.search.scope import holders
from inro.store import chunks, units
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro_native import chars, folding

Make = Callable[[Mapping[str, str | Reading]], Library]

DOCUMENTS = 1000
ANALYSER = Analyser()


def sample_texts() -> list[str]:
    from inro.sample import folder

    return [path.read_text("utf-8") for path in sorted(folder().rglob("*.*")) if path.suffix in (".md", ".txt")]


def generated(count: int) -> list[str]:
    """Short texts that mix the sample's sentences with names, numbers and rare characters, the same every time."""
    dice = random.Random(20)
    pieces = [p for text in sample_texts() for p in re.split(r"(?<=[。．.！？!?\n])", text) if 4 < len(p.strip()) < 90]
    rare = [chr(point) for point in range(0x4E00, 0x9FA0, 23)] + ["𠮷", "𩸽", "々", "〆", "ヶ", "ゝ", "한", "국", "я"]
    texts = []
    for i in range(count):
        parts = [dice.choice(pieces).strip() for _ in range(dice.randint(1, 3))]
        parts.append("".join(dice.choice(rare) for _ in range(dice.randint(2, 6))))
        parts.append(f"{dice.choice('ABCXYZ')}{dice.choice(['-', ' ', ''])}{dice.randint(1, 99999)}")
        dice.shuffle(parts)
        texts.append(dice.choice(["", " ", "、", "\n\n"]).join(parts) + f" {i}")
    return texts


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, LexicalIndex, dict[int, str]]:
    """A library of mixed texts with its index, and every chunk's text."""
    library = Library(tmp_path_factory.mktemp("findable") / "l.inro")
    texts = [*sample_texts(), *generated(DOCUMENTS)]
    readings = (
        (f"{i}.md", Reading(text, f"{i}", (Block("paragraph", 0, len(text)),), "test/1"))
        for i, text in enumerate(texts)
    )
    for _ in library.add_readings("corpus", readings, embed=False):
        pass
    with Store(library.path).reading() as con:
        index = LexicalIndex.load(units.load(con, units.LEXICAL), units.deleted(con, units.LEXICAL))
        stored = {chunk.id: chunk.text for chunk in chunks.fetch(con, chunks.next_ids(con, 10_000))}
    return library, index, stored


def places(stored: dict[int, str], length: int) -> dict[str, int]:
    """Every run of so many ideographs, kana or Hangul letters of the texts, and a chunk that has it."""
    table = chars.classes()
    found: dict[str, int] = {}
    for chunk, text in stored.items():
        classes = table[folding.key_form(chars.code_points(text))]
        cjk = (classes == chars.HAN) | (classes == chars.KANA) | (classes == chars.HANGUL)
        for at in np.flatnonzero(cjk).tolist():
            if cjk[at : at + length].all() and at + length <= len(text):
                found.setdefault(text[at : at + length], chunk)
    return found


def finds(index: LexicalIndex, query: str, chunk: int) -> bool:
    """Whether the lexical lane brings a chunk for a query."""
    keys, weights = ANALYSER.query(query).asked()
    allow = index.allow(np.array([chunk], np.int64))
    found: list[int] = index.search(LexicalQuery(keys, weights), 1, allow).chunk_ids.tolist()
    return found == [chunk]


def test_every_single_character_is_findable(corpus: tuple[Library, LexicalIndex, dict[int, str]]) -> None:
    _, index, stored = corpus
    known = places(stored, 1)
    assert len(known) > 1000
    assert [character for character, chunk in known.items() if not finds(index, character, chunk)] == []


def test_every_two_characters_are_findable_as_two(corpus: tuple[Library, LexicalIndex, dict[int, str]]) -> None:
    _, index, stored = corpus
    known = places(stored, 2)
    assert len(known) > 3000
    missed = []
    for pair, chunk in known.items():
        keys = Phrase.of(ANALYSER, pair).keys
        if chunk not in holders(index, keys, np.array([chunk], np.int64)):
            missed.append(pair)
    assert missed == []


def test_every_word_of_letters_or_digits_is_findable(corpus: tuple[Library, LexicalIndex, dict[int, str]]) -> None:
    _, index, stored = corpus
    known: dict[str, int] = {}
    for chunk, text in stored.items():
        for word in re.findall(r"[A-Za-z]+|[0-9]+", text):
            known.setdefault(word, chunk)
    assert len(known) > 800
    alone = {word: chunk for word, chunk in known.items() if re.search(rf"(?<![\w.,]){word}(?![\w.,])", stored[chunk])}
    assert len(alone) > 400
    assert [word for word, chunk in alone.items() if not finds(index, word, chunk)] == []


def test_every_phrase_of_a_text_is_found_as_a_phrase(corpus: tuple[Library, LexicalIndex, dict[int, str]]) -> None:
    """A random slice of each text that begins and ends between words, quoted, brings the text it is from."""
    library, _, stored = corpus
    dice = random.Random(3)
    for chunk, text in dice.sample(sorted(stored.items()), 60):
        edges = [m.start() for m in re.finditer(r"\b(?=\w)|(?<=\w)\b|(?<=[^\x00-\u2fff])(?=[^\x00-\u2fff])", text)]
        start = dice.choice(edges)
        end = dice.choice([edge for edge in edges if start < edge <= start + 40] or [start])
        phrase = text[start:end].strip()
        if '"' in phrase or "“" in phrase or "\n\n" in phrase or not re.search(r"\w", phrase):
            continue
        found = library.search(f'"{phrase}"', limit=2000, lane="lexical").hits
        assert stored[chunk] in {stored[hit.chunk] for hit in found}, phrase


NAMES = {
    "server.md": "夜にサーバー2を再起動した。",
    "people.md": "古い人々の話。",
    "beef.md": "昼は𠮷野家で食べた。",
    "version.md": "Release 2026.4.10 is out.",
    "model.md": "We asked gpt-4 again.",
    "article.md": "第18条による。",
    "standard.md": "Measured after ISO 9408 in air.",
    "formula.md": "粉末は Bi₂Te₃ である。",
    "wrapped.md": "これは放電プラズ\nマ焼結という。",
    "katakana.md": "ｶﾞﾗｽの管。",
    "accent.md": "The cafe\u0301 is Å wide.",
    "wide.md": "ＳＯＰ－０１３ を読む。",
    "dakuten.md": "か\u3099くの試料。",
}

SPELLINGS = [
    ("サーバー", "server.md"),
    ("ｻｰﾊﾞｰ", "server.md"),
    ("さーばー2", "server.md"),
    ("再起動", "server.md"),
    ("人々", "people.md"),
    ("𠮷野家", "beef.md"),
    ("𠮷", "beef.md"),
    ("2026.4.10", "version.md"),
    ("gpt-4", "model.md"),
    ("GPT-4", "model.md"),
    ("ＧＰＴ－４", "model.md"),
    ("gpt\u20114", "model.md"),
    ("第18条", "article.md"),
    ("第１８条", "article.md"),
    ("ISO 9408", "standard.md"),
    ("iso9408", "standard.md"),
    ("ISO-9408", "standard.md"),
    ("Bi₂Te₃", "formula.md"),
    ("Bi2Te3", "formula.md"),
    ("プラズマ", "wrapped.md"),
    ("放電プラズマ焼結", "wrapped.md"),
    ("ガラス", "katakana.md"),
    ("がらす", "katakana.md"),
    (unicodedata.normalize("NFD", "ガラス"), "katakana.md"),
    ("café", "accent.md"),
    (unicodedata.normalize("NFD", "café"), "accent.md"),
    ("\u212b", "accent.md"),
    ("sop-013", "wide.md"),
    ("がく", "dakuten.md"),
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Library:
    library = Library(tmp_path_factory.mktemp("names") / "l.inro")
    readings = (
        (f"{i}", Reading(text, "", (Block("paragraph", 0, len(text)),), "test/1"))
        for i, text in enumerate(NAMES.values())
    )
    for _ in library.add_readings("names", readings, embed=False):
        pass
    return library


@pytest.mark.parametrize(("query", "name"), SPELLINGS)
def test_a_name_is_found_first_however_it_is_spelt(names: Library, query: str, name: str) -> None:
    hits = names.search(query, lane="lexical").hits
    assert hits, query
    assert hits[0].path == str(list(NAMES).index(name))


def test_a_name_is_found_quoted_in_any_width_and_normal_form(names: Library) -> None:
    for query, name in SPELLINGS:
        if query in ("iso9408", "ISO-9408"):
            # a phrase is exact: these are other spellings of the name
            continue
        found = {hit.path for hit in names.search(f'"{query}"', lane="lexical").hits}
        assert str(list(NAMES).index(name)) in found, query
