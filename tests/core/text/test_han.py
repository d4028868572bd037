"""The analyser told that forms of a Han character are one."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.records import HanFolding
from inro.text import identifiers, keys
from inro.text.analyse import Analyser
from inro.text.weigh import ASKING, CJK_WORD
from inro_native import chars, folding, han

OPTIONS: tuple[HanFolding, ...] = get_args(HanFolding)
every = pytest.mark.parametrize("option", OPTIONS)
texts = st.text(
    alphabet=st.one_of(st.sampled_from("國国檢検检齒歯齿髙高第十條条サーバーa1-\n 𠮷吉ﾊﾞ㌔"), st.characters()),
    max_size=40,
)


def found(option: HanFolding, query: str, text: str) -> list[str]:
    """What of a text, as written, has a term of the query."""
    analyser = Analyser(option)
    terms = analyser.terms(text)
    met = np.isin(terms.keys, analyser.query(query).keys)
    return [text[a:b] for a, b in zip(terms.start[met].tolist(), terms.end[met].tolist(), strict=True)]


@pytest.mark.parametrize(
    ("query", "text", "options"),
    [
        ("國", "中国", {"simplified", "shinjitai", "all"}),
        ("国", "中國", {"simplified", "shinjitai", "all"}),
        ("検", "檢查", {"shinjitai", "all"}),
        ("检", "檢査", {"simplified", "all"}),
        ("检", "検査", {"all"}),
        ("髙﨑", "高崎", {"shinjitai", "all"}),
        ("第十條", "第10条", {"simplified", "shinjitai", "all"}),
    ],
)
def test_another_form_is_found_only_where_it_is_asked_for(query: str, text: str, options: set[HanFolding]) -> None:
    kinds = {option for option in OPTIONS if len(max(found(option, query, text), key=len, default="")) >= len(query)}
    assert kinds == options


def test_what_matched_is_marked_as_written() -> None:
    assert "檢查" in found("all", "検査", "試料の ﾊﾞｯﾁ を檢查した")
    assert found("shinjitai", "吉", "𠮷野家と吉") == ["𠮷", "吉"]


@every
def test_words_are_broken_as_the_text_was_written(option: HanFolding) -> None:
    """A dictionary knows `檢查` and `検査`, not what they meet in."""
    text = "品質檢查と品質検査と品质检查"
    plain, folded = Analyser().terms(text), Analyser(option).terms(text)
    assert folded.start.tolist() == plain.start.tolist()
    assert folded.end.tolist() == plain.end.tolist()


@every
@given(texts)
def test_terms_stand_where_they_stood_and_every_form_finds_the_text(option: HanFolding, text: str) -> None:
    analyser = Analyser(option)
    terms = analyser.terms(text)
    plain = folding.fold(text)
    assert len(terms.folded) == len(plain.text)
    for i in range(len(terms)):
        a, b = int(terms.fold_start[i]), int(terms.fold_end[i])
        assert (int(terms.start[i]), int(terms.end[i])) == plain.original(a, b)
    folded = chars.string(han.forms(option)[chars.code_points(plain.text)])
    other = analyser.query(folded)
    # characters and their neighbours do not depend on where a dictionary breaks words
    for kind in (keys.BIGRAM, keys.CHARACTER):
        assert np.isin(terms.keys[keys.kind(terms.keys) == kind], other.keys).all()


@every
@given(st.lists(texts, max_size=5))
def test_in_bulk_the_keys_are_the_same(option: HanFolding, several: list[str]) -> None:
    analyser = Analyser(option)
    batch = analyser.batch(several)
    for i, text in enumerate(several):
        own = batch.keys[batch.offsets[i] : batch.offsets[i + 1]]
        assert sorted(own.tolist()) == sorted(analyser.terms(text).keys.tolist())


def test_its_id_says_which_forms_are_one_and_names_it() -> None:
    ids = [Analyser(option).id for option in OPTIONS]
    assert len(set(ids)) == len(OPTIONS)
    assert [Analyser.named(f"{one} fields-1").han for one in ids] == list(OPTIONS)


@pytest.mark.parametrize("id_", ["", "inro-1 icu-72.1 unicode-15.0", "inro-9 han-hanja", "han-all-of-them"])
def test_an_id_that_says_nothing_known_names_the_plain_analyser(id_: str) -> None:
    assert Analyser.named(id_) == Analyser()


@every
def test_an_identifier_stays_one_and_pinworthy(option: HanFolding) -> None:
    for counter in identifiers._COUNTERS:
        (pin,) = identifiers.pins(f"第十{counter}", option)
        assert pin.key in Analyser(option).terms(f"第10{counter}").keys
        assert pin.text == f"第十{counter}"


@every
def test_words_that_ask_weigh_little_in_every_form(option: HanFolding) -> None:
    for asks in ("什麼", "什么", "哪裡", "為什麼", "誰", "谁", "怎樣", "多少", "請問", "请问", "教えて"):
        assert (Analyser(option).query(asks).weight <= max(1.3, CJK_WORD) * ASKING + 1e-6).all(), asks
