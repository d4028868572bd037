"""The analyser: whatever is written, its variants and its parts find it."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.text import keys
from inro.text.analyse import Analyser, kind, with_field
from inro.text.scan import key
from inro_native import chars
from inro_native.folding import fold, key_form

SHARED = Path(os.environ.get("INRO_SHARED", Path(__file__).parents[4] / "shared"))
ALPHABET = "検知機構人々サーバー2のrunning gpt-4.v1/é λд가나0:_,'\n第十条★𠮷か\u3099ﾊﾞ㌔²café"
texts = st.text(alphabet=st.one_of(st.sampled_from(ALPHABET), st.characters(codec=None)), max_size=60)

ANALYSER = Analyser()


def meets(query: str, text: str) -> bool:
    return bool(np.intersect1d(ANALYSER.query(query).keys, ANALYSER.terms(text).keys).size)


def shares(query: str, text: str, kinds: tuple[int, ...]) -> bool:
    both = np.intersect1d(ANALYSER.query(query).keys, ANALYSER.terms(text).keys)
    return bool(np.isin(kind(both), kinds).any())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("サーバー", "サーバー2を再起動する"),
        ("ｻｰﾊﾞｰ", "サーバーの設定方法"),
        ("さーばー", "サーバー"),
        ("人々", "多くの人々が"),
        ("𠮷野家", "𠮷野家で食べる"),
        ("検知機構", "この検知\n  機構は"),
        ("か\u3099く", "がく"),
        ("2026.4.10", "released 2026.4.10 today"),
        ("2026.4", "released 2026.4.10 today"),
        ("gpt-4", "GPT‐4の出力"),
        ("real time", "a real-time system"),
        ("realtime", "a real-time system"),
        ("real-time", "realtime"),
        ("第18条", "民法第十八条の規定"),
        ("ISO 9408", "ISO9408に従う"),
        ("9408", "ISO 9408"),
        ("Bi2Te3", "Bi₂Te₃薄膜"),
        ("300 K", "at 300K"),
        ("1000", "1,000 samples"),
        ("℃", "20℃"),
        ("★", "★重要"),
        ("条", "第18条"),
        ("한국", "한국어를"),
        ("cafe", "a café"),
        ("café", "a cafe"),
        ("L’Homme", "l'homme"),
    ],
)
def test_a_query_meets_its_text(query: str, text: str) -> None:
    assert meets(query, text)


@pytest.mark.parametrize(
    ("query", "text"), [("run", "running"), ("running", "run"), ("runs", "running"), ("company", "company's")]
)
def test_inflected_english_meets_in_both_directions(query: str, text: str) -> None:
    assert shares(query, text, (keys.WORD, keys.STEM))


@pytest.mark.parametrize(("query", "text"), [("university", "universal gravity"), ("ば", "は"), ("ab", "abc")])
def test_a_query_does_not_meet_what_only_looks_like_it(query: str, text: str) -> None:
    assert not shares(query, text, (keys.WORD, keys.BIGRAM, keys.CHARACTER, keys.IDENTIFIER))


def test_a_stem_stands_beside_its_word_only_where_it_differs() -> None:
    terms = ANALYSER.terms("run running")
    assert kind(terms.keys).tolist() == [keys.WORD, keys.WORD, keys.STEM]


@given(texts)
def test_a_text_meets_itself(text: str) -> None:
    assert set(ANALYSER.terms(text).keys.tolist()) <= set(ANALYSER.query(text).keys.tolist())


@given(texts)
def test_places_fall_on_the_characters_that_matched(text: str) -> None:
    """The original span of a term, folded by itself, gives the characters the term was made from."""
    terms = ANALYSER.terms(text)
    assert (np.diff(terms.start.astype(np.int64)) >= 0).all()
    for i in range(len(terms)):
        start, end = int(terms.start[i]), int(terms.end[i])
        assert 0 <= start < end <= len(text)
        assert terms.surface(i) in chars.string(key_form(fold(text[start:end]).chars))


@given(st.lists(texts, max_size=5))
def test_the_bulk_path_gives_the_same_terms(documents: list[str]) -> None:
    batch = ANALYSER.batch(documents)
    assert batch.offsets.size == len(documents) + 1
    for i, text in enumerate(documents):
        together = batch.keys[batch.offsets[i] : batch.offsets[i + 1]]
        assert sorted(together.tolist()) == sorted(ANALYSER.terms(text).keys.tolist())


@given(st.lists(texts, max_size=5))
def test_the_vocabulary_spells_every_word_and_identifier(documents: list[str]) -> None:
    batch = ANALYSER.batch(documents)
    spelt = batch.keys[np.isin(kind(batch.keys), (keys.WORD, keys.IDENTIFIER))]
    assert set(batch.vocabulary) == set(spelt.tolist())
    for each, spelling in batch.vocabulary.items():
        assert key(each >> keys.KIND_SHIFT, spelling) == each


def test_the_bulk_path_cuts_a_long_list_into_groups_without_a_seam() -> None:
    documents = ["検知機構 running S-1041\n" * 2_000] * 12
    batch = ANALYSER.batch(documents)
    counts = np.diff(batch.offsets)
    assert (counts == counts[0]).all()
    assert counts[0] == len(ANALYSER.terms(documents[0]))


def test_a_word_too_long_to_offer_is_indexed_but_not_spelt() -> None:
    batch = ANALYSER.batch(["a" * 1_000])
    assert batch.keys.size == 1
    assert batch.vocabulary == {}


@pytest.mark.parametrize(
    "text",
    ["検" * 300_000, "a" * 1_000_000, "a-" * 200_000, "\x00" * 1_000, "\ud800" * 1_000, " " * 500_000],
    ids=["ideographs", "letters", "chain", "nulls", "surrogates", "blanks"],
)
def test_monstrous_texts_are_read(text: str) -> None:
    assert ANALYSER.batch([text]).offsets.tolist() == [0, len(ANALYSER.terms(text))]


def test_nothing_gives_nothing() -> None:
    assert len(ANALYSER.terms("")) == 0
    assert ANALYSER.batch([]).offsets.tolist() == [0]
    assert ANALYSER.batch(["", " ", "\n\n"]).offsets.tolist() == [0, 0, 0, 0]


def test_what_is_asked_is_each_key_once_with_its_greatest_weight() -> None:
    terms = ANALYSER.query("running run ran running")
    asked, weights = terms.asked()
    assert asked.tolist() == sorted(set(terms.keys.tolist()))
    for each, weight in zip(asked.tolist(), weights.tolist(), strict=True):
        assert weight == terms.weight[terms.keys == each].max()


def test_the_id_names_the_rules_and_the_versions_below_them() -> None:
    assert ANALYSER.id.split()[0].startswith("inro-")
    assert "icu-" in ANALYSER.id
    assert "unicode-" in ANALYSER.id


def test_a_field_is_set_and_read_back_without_touching_the_rest() -> None:
    plain = ANALYSER.terms("検知 run S-1041").keys
    titled = with_field(plain, keys.TITLE)
    assert keys.field(titled).tolist() == [keys.TITLE] * plain.size
    assert with_field(titled, keys.BODY).tolist() == plain.tolist()
    assert kind(titled).tolist() == kind(plain).tolist()
    with pytest.raises(ValueError, match="field"):
        with_field(plain, 8)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["ja-jsquad", "zh-cmrc2018", "xquad-en"])
def test_every_pair_and_every_single_character_of_a_corpus_is_findable(name: str) -> None:
    path = SHARED / "eval" / name / "corpus.jsonl"
    if not path.exists():
        pytest.skip(f"no {name}")
    documents = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()[:700]]
    batch = ANALYSER.batch(documents)
    indexed = [set(batch.keys[a:b].tolist()) for a, b in pairwise(batch.offsets.tolist())]
    cjk = chars.classes() >= chars.HAN
    wanted: dict[str, int] = {}
    for i, text in enumerate(documents):
        for a, b in pairwise(text):
            if cjk[ord(a)] and cjk[ord(b)]:
                wanted.setdefault(a + b, i)
            if cjk[ord(a)]:
                wanted.setdefault(a, i)
    asked = ANALYSER.batch(list(wanted))
    classes = chars.classes()
    for (spelt, i), (a, b) in zip(wanted.items(), pairwise(asked.offsets.tolist()), strict=True):
        exact = asked.keys[a:b]
        whole = exact[kind(exact) == (keys.BIGRAM if len(spelt) == 2 else keys.CHARACTER)]
        one_script = (classes[ord(spelt[0])] == chars.HANGUL) == (classes[ord(spelt[-1])] == chars.HANGUL)
        assert whole.size or not one_script
        assert set(whole.tolist()) <= indexed[i]
