"""Markdown is read without its marks: no word is lost, none that was found goes unmarked, nothing else is touched."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inro.sample
from inro.text.unmark import CELL, ROW, marks, shown


def read(text: str) -> str:
    return shown(text, marks(text), 0, len(text), ())[0]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("## 手順 #1 ##", "手順 #1"),
        ("**Heat** to `80 °C` ([SOP](../sops/SOP-015.md))", "Heat to 80 °C (SOP)"),
        ("これは**重要**です。*斜体*も__太字__も。", "これは重要です。斜体も太字も。"),
        ("**温度**80℃、S-1041**重要**です", "温度80℃、S-1041重要です"),
        ("> [!note] 注意 [[S-1041 密度|密度表]] を見る", "注意 密度表 を見る"),
        ("> # Quoted\n> more", "Quoted\nmore"),
        ("see [[glovebox]] and ![[plan.png]]", "see glovebox and plan.png"),
        ("[[note#heading]] [[a\\|b]]", "note#heading b"),
        ("[![alt](i.png)](https://e.org)", "alt"),
        ("![図1](fig.png) 参照[^2]", "図1 参照"),
        ("***both*** ~~old~~ ==new== ^ref1", "both old new"),
        ("**one *two* three**", "one two three"),
        ("**wrapped\nemphasis**", "wrapped\nemphasis"),
        ("[wiki](https://e.org/a_(b)) <https://e.org/a_b_c>", "wiki https://e.org/a_b_c"),
        (r"a literal \*star\* and \# sign", "a literal *star* and # sign"),
        ("Title\n=====\ntext\n\n---\n\nmore", "Title\n\ntext\n\n\n\nmore"),
        ("one<br>two", "one two"),
        ("<!-- unsaid -->", " unsaid "),
    ],
)
def test_marks_are_taken_away(written: str, said: str) -> None:
    assert read(written) == said


@pytest.mark.parametrize(
    "text",
    [
        "a*b and 2*3*4 and x**2 + y**2, 2**3**4",
        "f(*args, **kwargs) and f(**a, **b) and f(**a,**b)",
        "C# and F#, #tag, #実験, issue #12",
        "__init__ and snake_case_name and _private",
        "a == b == c, a==b==c, ~5 and ~/notes",
        "a | b, p(x|y), 3 < 4 > 2, x^2",
        "$a_{i} * b_{j}$ costs $5 and $10",
        "https://e.org/_a_/b*c*d and path/to/__a__/b",
        "- one\n- [x] two\n1. three",
        "[1] and [x] and a[i](x",
        "2 * 3 * 4 = 24",
        "5 * x, * y",
        "_ a _ and * b *",
    ],
)
def test_what_means_itself_stays(text: str) -> None:
    assert read(text) == text


def test_code_stays() -> None:
    text = "# T\n\n```python\n# comment\nx = a ** b  # **not bold** [[x]] | y |\n```\n\n**bold** `**not** [[this]]`\n"
    said = read(text)
    assert "# comment\nx = a ** b  # **not bold** [[x]] | y |" in said
    assert "\n\nbold **not** [[this]]\n" in said and said.startswith("T\n") and "`" not in said
    assert read("text\n\n    # indented **code**\n\n**bold**") == "text\n\n    # indented **code**\n\nbold"
    assert read("~~~\n```\n**a**\n~~~\n**b**") == "\n```\n**a**\n\nb"


def test_code_stays_where_its_fence_is_in_another_chunk() -> None:
    assert read("intro **a**\n\n```sh\n# **b**\n") == "intro a\n\nsh\n# **b**\n"
    assert read("# **b**\nmake run\n```\n\nafter **a**") == "# **b**\nmake run\n\n\nafter a"
    middle = "# first\nx = f(1)\n# second, **not bold**\ny = g(x)\nreturn y == 2\n"
    assert read(middle) == middle


def test_tables_are_read_by_their_cells() -> None:
    table = "| Sample | Density |\n|:--|--:|\n| S-1041 | **3.95** |\n| a\\|b | `c|d` |\n"
    assert read(table).splitlines() == [
        f" Sample {CELL} Density{ROW}",
        "",
        f" S-1041 {CELL} 3.95{ROW}",
        f" a|b {CELL} c|d ",
    ]
    assert read("a | b\n--|--\n1 | 2\n\nx | y") == f"a {CELL} b\n\n1 {CELL} 2\n\nx | y"


def test_a_mark_is_known_where_the_slice_cuts_it() -> None:
    text = "Keep **the lid closed** and [read on](far/away.md)."
    found = marks(text)
    assert shown(text, found, 0, 14, ())[0] == "Keep the lid"
    assert shown(text, found, text.index("closed"), len(text) - 4, ())[0] == "closed and read on"


def test_a_mark_with_a_word_that_was_found_stays_whole() -> None:
    text = "**Look** [there](kiln/plan.md) and [[kiln|there]]"
    at = text.index("kiln")
    said, (span,) = shown(text, marks(text), 0, len(text), [(at, at + 4)])
    assert said == "Look [there](kiln/plan.md) and there"
    assert said[slice(*span)] == "kiln"


@pytest.mark.parametrize("text", ["|---|:--|", "***", "![](a.png)", "#", ""])
def test_nothing_but_marks_is_shown_as_it_is(text: str) -> None:
    assert read(text) == text


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


SIGNS = "** * _ __ *** ~~ == ` ``` ~~~ # ## > - | \\ [ ] [[ ]] ]( ( ) ! [^ <br> <!-- --> $ : |---|---|"
WORDS = ["kiln", "乾燥庫", "a", "C#", "__init__", "x = f(1);", "80 °C", "https://e.org/_a_", "[a](b.md)", "[[p|q]]"]
FRAGMENTS = st.sampled_from([*SIGNS.split(), *WORDS, " ^a", " ", "    ", "\n", "\n\n"])


@given(st.lists(FRAGMENTS, max_size=40), st.data())
def test_found_words_stay_the_same_and_only_marks_are_dropped(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    found = marks(text)
    spans = sorted((a, b) for mark in found for a, b, _ in mark)
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    # what is taken away has no word in it, but for what nobody reads: a target, a reference, a callout's kind
    for mark in found:
        for a, b, put in mark:
            taken = text[a:b]
            assert put in ("", CELL, ROW, " ")
            if not re.match(r"\]\(|!?\[\[|\[\^|>|[ \t]\^|<br", taken):
                assert not words(taken), taken
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    wanted = [m.span() for m in re.finditer(r"kiln|乾燥庫|a|C#|__init__", text[start:end])]
    said, moved = shown(text, found, start, end, wanted)
    assert [said[a:b] for a, b in moved] == [text[start:end][a:b] for a, b in wanted]
    assert said.strip() or not text[start:end].strip()


@given(st.text(alphabet="[]()!|*_`a<>$~=#\n \\-^:", max_size=600))
def test_no_text_breaks_it(text: str) -> None:
    assert read(text).strip() or not text.strip()


def test_in_the_sample_library_no_word_is_lost_and_hardly_a_mark_left() -> None:
    left = total = 0
    for place in sorted(Path(inro.sample.folder()).rglob("*.md")):
        text = re.sub(r"\A---\n.*?\n---\n", "", place.read_text(encoding="utf-8"), flags=re.DOTALL)
        said = read(text)
        targets = " ".join(text[a:b] for mark in marks(text) for a, b, _ in mark)
        assert Counter("".join(words(text))) == Counter("".join(words(said + " " + targets))), place.name
        total += len(re.findall(r"\*\*|\[\[|\]\(|^#+ ", text, re.MULTILINE))
        left += len(re.findall(r"\*\*|\[\[|\]\(|^#+ ", said, re.MULTILINE))
    assert total > 80
    assert left <= 0.02 * total
