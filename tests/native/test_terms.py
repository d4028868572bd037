"""Spans, names and keys: what a text is found by, against slow references."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro_native import chars, names, spans, terms
from inro_native.folding import fold, key_form
from inro_native.segment import bounds

ALPHABET = "検知機構人々サーバー2のgpt-4.v1/é λд가나0:_,' \n第十条★𠮷\u3099％%#+@()10a"
texts = st.text(alphabet=st.one_of(st.sampled_from(ALPHABET), st.characters(exclude_categories=["Cs"])), max_size=50)
NO_LONERS = np.empty(0, np.uint64)

Found = list[tuple[int, int, str]]


def read(text: str, loners: tuple[str, ...] = ()) -> tuple[Found, terms.Tokens, str]:
    """(kind, form, spelling) of each term, the tokens, the folded text."""
    folded = fold(text)
    points = key_form(folded.chars)
    classes = chars.classes()
    found = spans.scan(points, classes, bounds(folded.text), np.array([points.size]))
    keys = np.sort(np.array([terms.hashed_key(0, chars.code_points(w)) for w in loners], np.uint64))
    tokens = terms.tokens(points, classes, found, names.scan(points, classes, found), keys)
    spelt, offsets = terms.spell(points, classes, tokens.start, tokens.end, tokens.form)
    whole = chars.string(spelt)
    spellings = [whole[a:b] for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)]
    kinds = (tokens.keys >> np.uint64(terms.KIND_SHIFT)).tolist()
    return list(zip(kinds, tokens.form.tolist(), spellings, strict=True)), tokens, chars.string(points)


def of_kind(text: str, kind: int) -> list[str]:
    return [spelling for k, _, spelling in read(text)[0] if k == kind]


def words(text: str) -> list[str]:
    return of_kind(text, spans.WORD)


def identifiers(text: str) -> list[str]:
    return of_kind(text, spans.IDENTIFIER)


# CJK


def slow_runs(text: str) -> list[list[str]]:
    """Runs of CJK characters with marks left out, by definition."""
    runs: list[list[str]] = [[]]
    previous = chars.OTHER
    for c in text:
        kind = int(chars.classes()[ord(c)])
        if kind == chars.MARK:
            continue
        cjk = kind in (chars.HAN, chars.KANA, chars.HANGUL)
        if not cjk or (kind == chars.HANGUL) != (previous == chars.HANGUL):
            runs.append([])
        if cjk:
            runs[-1].append(c)
        previous = kind
    return [run for run in runs if run]


@given(texts)
def test_characters_and_bigrams_are_those_of_the_slow_reference(text: str) -> None:
    found, tokens, folded = read(text)
    runs = slow_runs(folded)
    singles = [ord(c) for run in runs for c in run]
    pairs = [ord(a) << 21 | ord(b) for run in runs for a, b in itertools.pairwise(run)]
    payload = tokens.keys & np.uint64((1 << 58) - 1)
    kinds = np.array([k for k, _, _ in found], int)
    symbols = [ord(c) for c in folded if chars.classes()[ord(c)] == chars.SYMBOL]
    assert sorted(payload[kinds == spans.CHARACTER].tolist()) == sorted(singles + symbols)
    assert payload[kinds == spans.BIGRAM].tolist() == pairs


@given(texts)
def test_every_letter_and_digit_is_in_a_term(text: str) -> None:
    _, tokens, folded = read(text)
    covered = np.zeros(len(folded), bool)
    for a, b in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True):
        assert 0 <= a < b <= len(folded)
        covered[a:b] = True
    telling = chars.classes()[chars.code_points(folded)] >= chars.LETTER
    assert covered[telling].all()


def test_digits_and_latin_letters_never_swallow_the_cjk_beside_them() -> None:
    assert words("1674年に") == ["1674"]
    assert words("gptを使う") == ["gpt", "使う"]
    assert words("Tシャツ") == ["t", "しゃつ"]
    assert words("サーバー2を再起動") == ["さーばー", "2", "起動"]


def test_marks_that_form_words_do_not_break_a_run() -> None:
    assert of_kind("人々", spans.BIGRAM) == ["人々"]
    assert of_kind("サーバー", spans.BIGRAM) == ["さー", "ーば", "ばー"]
    assert of_kind("𠮷野家", spans.BIGRAM) == ["𠮷野", "野家"]
    assert of_kind("〆切・締切", spans.BIGRAM) == ["〆切", "締切"]


def test_hangul_has_words_and_bigrams_of_its_own() -> None:
    assert words("서울2024년 한국어를") == ["서울", "2024", "한국어를"]
    assert of_kind("漢字한국", spans.BIGRAM) == ["漢字", "한국"]


def test_a_sign_that_means_something_stands_alone() -> None:
    assert of_kind("★ 5→6 😀", spans.CHARACTER) == ["★", "→", "😀"]
    assert of_kind("| a | --- ...", spans.CHARACTER) == []


# Atoms and chains


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can't", ["can't"]),
        ("l'homme", ["l'homme", "homme"]),
        ("3.14", ["3.14"]),
        ("1,000,000.5", ["1000000.5"]),
        ("1,0000", ["1", "0000"]),
        ("real-time", ["realtime", "real", "time"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("300K", ["300", "k"]),
        ("0.3MPa", ["0.3", "mpa"]),
        ("gpt4", ["gpt", "4"]),
        ("2026.4.10", ["2026.4", "2026", "4", "10"]),
        ("naïve café", ["naïve", "café"]),
        ("ภาษาไทย", ["ภาษา", "ไทย"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "variants",
    [
        (
            "ISO 9408",
            "ISO9408",
            "iso-9408",
            "ISO‐9408",
            "ＩＳＯ－９４０８",
            "ISO−9408",
            "iso_9408",
            "ISO\u00a09408",
            "ISO\n9408",
        ),
        ("S-1041", "s1041", "Ｓ‑1041"),
        ("GPT-4", "gpt4", "gpt‐4"),
        ("Bi₂Te₃", "Bi2Te3"),
        ("M-1204-B", "m1204b", "M‐1204‐B"),
        ("No. 5", "no.5", "No 5", "no5"),
        ("第18条", "第１８条", "第 18 条", "第十八条", "第一八条"),
        ("第100項", "第百項", "第一〇〇項"),
        ("第2024号", "第二千二十四号", "第二〇二四号"),
        ("JIS B 0205", "JIS B0205"),
        ("C++", "c++"),
    ],
)
def test_the_spellings_of_an_identifier_have_one_key(variants: tuple[str, ...]) -> None:
    keys = []
    for variant in variants:
        found, tokens, _ = read(variant)
        kinds = np.array([k for k, _, _ in found])
        lengths = (tokens.end - tokens.start)[kinds == spans.IDENTIFIER]
        keys.append(int(tokens.keys[kinds == spans.IDENTIFIER][lengths.argmax()]))
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("S-1041", "S-104-1"),
        ("2026.4.10", "2026.41.0"),
        ("7732-18-5", "77321-8-5"),
        ("v1.2", "v12"),
        ("第18条", "第18項"),
    ],
)
def test_different_identifiers_have_different_keys(one: str, other: str) -> None:
    assert not set(identifiers(one)) & set(identifiers(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ISO 9408:2009", {"iso9408:2009", "iso9408", "9408:2009"}),
        ("ISO/IEC 27001", {"iso/iec", "iso/iec27001", "iec27001"}),
        ("IEC 61508-3:2010", {"iec61508-3:2010", "iec61508-3", "61508-3:2010", "61508-3"}),
        ("S-1041/S-1042", {"s1041/s1042", "s1041", "s1042"}),
        ("S-1041.pdf", {"s1041.pdf", "s1041"}),
        ("S-1041_v2", {"s1041v2", "s1041", "v2"}),
        ("v1.2.3", {"v1.2.3", "v1", "1.2.3"}),
        ("see Fig. 3.", {"fig3"}),
        ("10.1016/S0021-9258(19)50881-X.", {"10.1016/s0021-9258(19)50881-x"}),
        ("https://doi.org/10.1000/xyz", {"10.1000/xyz"}),
        ("doi:10.1000/xyz", {"10.1000/xyz"}),
        ("id:S-1041", {"s1041"}),
        ("C# and F#", {"c#", "f#"}),
    ],
)
def test_identifiers_are_found_whole_and_in_the_parts_that_are_names(text: str, expected: set[str]) -> None:
    assert expected <= set(identifiers(text))


@pytest.mark.parametrize("text", ["grew 5%", "sold 1,000", "about 300K", "S. A", "第一に", "第", "a 5", "issue#"])
def test_amounts_and_loose_neighbours_make_no_designation(text: str) -> None:
    forms = [form for kind, form, _ in read(text, ("about", "a"))[0] if kind == spans.IDENTIFIER]
    assert spans.DESIGNATION not in forms
    assert spans.ORDINAL not in forms


def test_a_loner_names_no_number() -> None:
    assert "in2004" in identifiers("in 2004")
    assert "in2004" not in [spelling for _, _, spelling in read("in 2004", ("in",))[0]]


def test_a_chain_without_end_is_cut_and_loses_nothing() -> None:
    assert words("-".join(f"{n}" for n in range(1000))) == [f"{n}" for n in range(1000)]


# Keys


@given(st.lists(texts, min_size=1, max_size=4))
def test_documents_read_in_one_go_have_the_terms_they_have_alone(documents: list[str]) -> None:
    classes = chars.classes()
    folded = [fold(text) for text in documents]
    joined = "\n\n".join(f.text for f in folded)
    points = key_form(chars.code_points(joined))
    ends = np.cumsum([len(f.text) + 2 for f in folded])
    ends[-1] -= 2
    found = spans.scan(points, classes, bounds(joined), ends)
    tokens = terms.tokens(points, classes, found, names.scan(points, classes, found), NO_LONERS)
    for i, text in enumerate(documents):
        together = tokens.keys[tokens.offsets[i] : tokens.offsets[i + 1]].tolist()
        assert together == read(text)[1].keys.tolist()


@given(texts)
def test_a_hashed_key_is_the_key_of_its_spelling(text: str) -> None:
    found, tokens, _ = read(text)
    for (kind, _, spelling), key in zip(found, tokens.keys.tolist(), strict=True):
        if kind in (spans.WORD, spans.IDENTIFIER):
            assert terms.hashed_key(kind, chars.code_points(spelling)) == key


def test_keys_are_the_same_on_every_machine() -> None:
    assert terms.hashed_key(spans.WORD, chars.code_points("inro")) == 0x21247CD27632047
    assert terms.hashed_key(spans.IDENTIFIER, chars.code_points("第18条")) == 0x81E9FF466BB049C0
    assert read("漢字")[1].keys.tolist()[1:3] == [3 << 61 | 0x6F22, 2 << 61 | 0x6F22 << 21 | 0x5B57]


def test_the_hash_spreads() -> None:
    spelt = [chars.code_points(f"w{n}") for n in range(20_000)]
    keys = np.array([terms.hashed_key(0, s) for s in spelt], np.uint64)
    assert np.unique(keys).size == keys.size
    share = [float(((keys >> np.uint64(bit)) & np.uint64(1)).mean()) for bit in range(58)]
    assert 0.48 < min(share) <= max(share) < 0.52


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=40))
def test_distinct_finds_each_key_of_its_kinds_once(pairs: list[tuple[int, int]]) -> None:
    keys = np.array([kind << 61 | payload for kind, payload in pairs], np.uint64)
    first, group = terms.distinct(keys, 1 << spans.WORD | 1 << spans.IDENTIFIER)
    wanted = [k for k, (kind, _) in zip(keys.tolist(), pairs, strict=True) if kind in (0, 4)]
    assert keys[first].tolist() == list(dict.fromkeys(wanted))
    assert [keys[first][g] for g in group if g >= 0] == wanted
    assert [g < 0 for g in group.tolist()] == [kind not in (0, 4) for kind, _ in pairs]


def test_interleave_puts_each_extra_behind_its_term() -> None:
    source, is_extra, offsets = terms.interleave(
        np.array([0, 2, 3]), np.array([0, -1, 0], np.int32), np.array([9], np.uint64)
    )
    assert source.tolist() == [0, 0, 1, 2, 2]
    assert is_extra.tolist() == [False, True, False, False, True]
    assert offsets.tolist() == [0, 3, 5]


def test_an_empty_text_has_no_terms() -> None:
    assert read("")[0] == []
