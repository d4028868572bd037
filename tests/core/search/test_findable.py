"""Findability: whatever stands in a text is found by typing it, in any of its spellings."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from inro.index.lexical import LexicalIndex, LexicalQuery
from inro.library import Library
from inro.records import Block, Reading
from inro.search.phrase import Phrase
from inro.store import chunks, units
from inro.store.connect import Store
from inro.text.analyse import Analyser
from inro.text.keys import BIGRAM, CHARACTER, WORD, kind
from inro_native import chars, folding

Make = Callable[[Mapping[str, str | Reading]], Library]

DOCUMENTS = 2000
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


@dataclass(frozen=True)
class Corpus:
    """A library of mixed texts, its index, and every chunk's text."""

    library: Library
    index: LexicalIndex
    texts: dict[int, str]
    documents: dict[int, int]

    def holding(self, keys: Iterable[int]) -> dict[int, frozenset[int]]:
        """For each term key, the chunks whose body the index says hold it."""
        found: dict[int, frozenset[int]] = {}
        for key in keys:
            one = LexicalQuery(np.array([key], np.uint64), np.ones(1, np.float32))
            found[key] = frozenset(self.index.search(one, self.index.chunks).chunk_ids.tolist())
        return found

    def missed(self, wanted: Mapping[str, set[int]], kinds: Collection[int]) -> list[str]:
        """The strings that some chunk says and does not hold: all their keys of these kinds, and at least one.

        Args:
            wanted: by string, the chunks that say it.
        """
        terms = ANALYSER.batch(list(wanted))
        chosen = np.isin(kind(terms.keys), list(kinds))
        asked = {
            text: terms.keys[begin:end][chosen[begin:end]].tolist()
            for text, begin, end in zip(wanted, terms.offsets[:-1], terms.offsets[1:], strict=True)
        }
        holding = self.holding({key for keys in asked.values() for key in keys})
        return [
            text
            for text, chunk_ids in wanted.items()
            if not asked[text] or any(not chunk_ids <= holding[key] for key in asked[text])
        ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
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
        stored = chunks.fetch(con, chunks.next_ids(con, 10_000))
    return Corpus(
        library, index, {chunk.id: chunk.text for chunk in stored}, {chunk.id: chunk.document for chunk in stored}
    )


def runs(texts: Mapping[int, str], length: int) -> dict[str, set[int]]:
    """Every `length` ideographs, kana or Hangul letters that stand together, with the chunks that have them."""
    table = chars.classes()
    found: dict[str, set[int]] = {}
    for chunk, text in texts.items():
        classes = table[folding.key_form(chars.code_points(text))]
        cjk = (classes == chars.HAN) | (classes == chars.KANA) | (classes == chars.HANGUL)
        together = np.logical_and.reduce([cjk[i : cjk.size - length + 1 + i] for i in range(length)])
        for at in np.flatnonzero(together).tolist():
            found.setdefault(text[at : at + length], set()).add(chunk)
    return found


def words(texts: Mapping[int, str]) -> dict[str, set[int]]:
    """Every Latin word or number that is no part of a longer name, with the chunks that have it."""
    found: dict[str, set[int]] = {}
    for chunk, text in texts.items():
        for word in re.findall(r"(?<![\w.,'’])(?:[A-Za-z]+|[0-9]+)(?![\w.,'’])", text):
            found.setdefault(word, set()).add(chunk)
    return found


def test_every_single_cjk_character_is_findable_wherever_it_stands(corpus: Corpus) -> None:
    known = runs(corpus.texts, 1)
    assert len(known) > 1200
    assert corpus.missed(known, [CHARACTER]) == []


def test_every_two_cjk_characters_that_stand_together_are_findable_as_two(corpus: Corpus) -> None:
    """Two letters inside a Latin word are no word and are not looked for: `ov` does not find an oven, `ov*` does."""
    known = runs(corpus.texts, 2)
    assert len(known) > 5000
    assert corpus.missed(known, [CHARACTER, BIGRAM]) == []
    # and these are what two characters in quotes ask for
    assert {int(k) for pair in list(known)[::50] for k in kind(Phrase.of(ANALYSER, pair).keys)} == {CHARACTER, BIGRAM}


def test_every_latin_word_and_number_is_findable(corpus: Corpus) -> None:
    known = words(corpus.texts)
    assert len(known) > 1000
    assert corpus.missed(known, [WORD]) == []


def test_what_the_index_holds_a_search_finds(corpus: Corpus) -> None:
    """A random sample of all these strings, typed: every document that says one is in the list."""
    dice = random.Random(9)
    known = {**runs(corpus.texts, 1), **runs(corpus.texts, 2), **words(corpus.texts)}
    for text in dice.sample(sorted(known), 150):
        found = corpus.library.ranked(text, limit=2 * DOCUMENTS, lane="lexical")
        assert {corpus.documents[chunk] for chunk in known[text]} <= set(found), text


def test_every_phrase_of_a_text_is_found_as_a_phrase(corpus: Corpus) -> None:
    """A random slice of each text that begins and ends between words, quoted, brings the text it is from."""
    library, stored = corpus.library, corpus.texts
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
