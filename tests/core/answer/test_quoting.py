"""A quoted sentence of a Markdown note is shown without its marks, and nothing else is touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.answer.quoting import shown


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("## 手順 #1 ##", "手順 #1"),
        ("- **Heat** to `80 °C` ([SOP](../sops/SOP-015.md))", "Heat to 80 °C (SOP)"),
        ("> [!note] 注意 [[S-1041 密度|密度表]] を見る", "注意 密度表 を見る"),
        ("- [x] done ~~old~~ ==new== ^ref1", "done old new"),
        ("| S-1041 | 3.95 | g/cm3 |", "S-1041 · 3.95 · g/cm3"),
        ("1. 最初に *慎重に* 測る[^2]", "1. 最初に 慎重に 測る"),
        ("![図1](fig.png) 参照", "図1 参照"),
        ("see <https://example.org/a_b_c>", "see https://example.org/a_b_c"),
        ("[wiki](https://e.org/a_(b)) end", "wiki end"),
        ("keep `**these**` marks", "keep **these** marks"),
        ("2 * 3 * 4 = 24 and snake_case_name", "2 * 3 * 4 = 24 and snake_case_name"),
        (r"a literal \*star\*", "a literal *star*"),
        ("|---|:--|", "|---|:--|"),
        ("***", "***"),
    ],
)
def test_marks_are_taken_away(written: str, read: str) -> None:
    assert shown(written, "notes/a.md") == read


def test_what_is_no_markdown_is_left_alone() -> None:
    assert shown("| a | *b* |", "table.txt") == "| a | *b* |"
    assert shown("# define X", "x.c") == "# define X"


@given(st.text(alphabet="ab 漢字*_`[]()|#>-!~=\\\n1.", max_size=60))
def test_no_word_is_ever_lost(text: str) -> None:
    """Letters stay, in order, but for the target of a link or an image, which is not what it says."""
    if "](" in text or "|" in text or "[^" in text or "[!" in text:
        return
    assert [c for c in shown(text, "a.md") if c.isalnum()] == [c for c in text if c.isalnum()]


@given(st.text(alphabet="[]()!|*_`a<>", max_size=400))
def test_no_text_takes_long_or_comes_out_empty(text: str) -> None:
    assert shown(text, "a.md") or not text.strip()
