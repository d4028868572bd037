"""Markdown and what Obsidian adds to it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inro.readers import markdown
from inro.records import Reading


def read(text: str, name: str = "folder/note.md") -> Reading:
    return markdown.read(text.encode(), name)


NOTE = """---
title: 試料 S-1041
date: 2026-04-01
number: 007
tags: [実験, xrd/powder]
aliases:
  - S1041
related: [[Furnace A]]
measured:
  mass: 1.20 g
---
# 試料 S-1041 の焼成

Date: 2026-04-02
作成者：田中

## 手順
乾燥庫で保管した。#乾燥 See [[SOP-017#Drying|drying]], ![[fig.png]], `#no-tag [[no link]]`.

Underlined
----------
temp:: 300 K

```python
#include <x>
[[no link]]
```

| sample | mass |
|---|---|
| S-1 | 1.2 |

> [!note] Callout
> text ^block-id

- one
- two
"""


def test_the_text_is_the_file_as_written_and_blocks_cover_the_body() -> None:
    reading = read(NOTE)
    assert reading.text == NOTE
    kinds = [(b.kind, b.level) for b in reading.blocks]
    assert kinds == [
        ("heading", 1),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
        ("code", 0),
        ("table", 0),
        ("quote", 0),
        ("list", 0),
    ]
    assert [b.label for b in reading.blocks if b.kind == "heading"] == [
        "試料 S-1041 の焼成",
        "手順",
        "Underlined",
    ]
    assert reading.blocks[0].start == NOTE.index("# 試料")


def test_declared_fields_keep_their_values_as_written() -> None:
    fields = read(NOTE).fields
    assert fields["date"] == ("2026-04-01", "2026-04-02")
    assert fields["number"] == ("007",)
    assert fields["aliases"] == ("S1041",)
    assert fields["related"] == ("[[Furnace A]]",)
    assert fields["measured.mass"] == ("1.20 g",)
    assert fields["作成者"] == ("田中",)
    assert fields["temp"] == ("300 K",)


def test_tags_come_from_frontmatter_and_text_but_not_from_code() -> None:
    assert read(NOTE).tags == ("実験", "xrd/powder", "乾燥")
    assert read("no #1 but #v1 and#not (#paren) http://a/#frag\n#行頭").tags == ("v1", "paren", "行頭")


def test_links_carry_target_and_span() -> None:
    text = "[[A#H|x]] ![[p.png]] [t](../b.md) ![i](c.png) <https://d.e/f> https://g.h/i。[r]: x\n\n[r]: https://j.k\n"
    found = {(link.kind, link.target) for link in read(text).links}
    assert found == {
        ("wiki", "A#H"),
        ("embed", "p.png"),
        ("file", "../b.md"),
        ("embed", "c.png"),
        ("url", "https://d.e/f"),
        ("url", "https://g.h/i"),
        ("url", "https://j.k"),
    }
    for link in read(text).links:
        assert link.target in text[link.start : link.end]


def test_links_in_code_are_no_links() -> None:
    assert read("`[[a]]`\n\n    [[b]]\n\n```\n[[c]]\n```\n").links == ()


def test_the_title_is_declared_or_the_first_heading_or_the_file_name() -> None:
    assert read(NOTE).title == "試料 S-1041"
    assert read("text\n\n# **Big** [[Page|title]]\n").title == "Big title"
    assert read("text\n", "notes/2026-04-01 会議.md").title == "2026-04-01 会議"


def test_broken_frontmatter_stays_text_and_is_told() -> None:
    reading = read("---\ntitle: [unclosed\n---\n\nbody\n")
    assert reading.outcome == "partial"
    assert "not valid YAML" in reading.reason
    assert reading.fields == {}
    assert reading.text[reading.blocks[0].start : reading.blocks[0].end].startswith("---\ntitle")


def test_hostile_frontmatter_is_refused_quickly() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(f"k{i}: [*a,*a,*a,*a]\n" for i in range(50))
    deep = "k: " + "[" * 5000 + "]" * 5000
    wide = "k: [" + "x," * 30000 + "x]"
    tag = "k: !!python/object/apply:os.system ['true']"
    assert read(f"---\n{bomb}\n---\nbody").outcome == "partial"
    assert read(f"---\n{deep}\n---\nbody").outcome == "partial"
    assert read(f"---\n{wide}\n---\nbody").outcome == "partial"
    assert read(f"---\n{tag}\n---\nbody").fields == {"k": ("true",)}


def test_a_rule_at_the_top_is_not_frontmatter() -> None:
    reading = read("---\n\nJust a rule above.\n")
    assert reading.outcome == "ok" and reading.fields == {}
    assert "Just a rule" in reading.text[reading.blocks[-1].start : reading.blocks[-1].end]


def test_a_list_of_tags_keeps_tags_of_two_words_and_one_line_is_split() -> None:
    assert read("---\ntags: [zone melting, crystal]\n---\n").tags == ("zone melting", "crystal")
    assert read("---\ntags: zone, crystal\n---\n").tags == ("zone", "crystal")
    assert read("---\ntags: zone crystal\n---\n").tags == ("zone", "crystal")


def test_prose_with_a_colon_is_no_header() -> None:
    assert read("- G-11: argon\n- G-12: nitrogen\n").fields == {}
    assert read("Note: this matters.\nAnd this line goes on without one.\n").fields == {}
    assert read("https://example.org/x\n").fields == {}


def test_headings_in_lists_and_quotes_open_no_section() -> None:
    kinds = [b.kind for b in read("- # not a section\n\n> # nor this\n\n# but this\n").blocks]
    assert kinds == ["list", "quote", "heading"]


def test_link_definitions_and_html_are_not_lost() -> None:
    text = "para\n\n[ref]: https://example.org 'title'\n\n<div>\nraw\n</div>\n\n***\n"
    covered = "".join(text[b.start : b.end] for b in read(text).blocks)
    assert "".join(covered.split()) == "".join(text.split())


@given(st.text(st.sampled_from("ab #-=>|`*[]()!:\n\t日本語。1.~^_\\<&\"'"), max_size=200))
def test_blocks_are_ordered_and_cover_all_but_frontmatter(text: str) -> None:
    reading = markdown.read_text(text, "x.md")
    at = 0
    for block in reading.blocks:
        assert at <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip()
        at = block.end
    covered = "".join(text[b.start : b.end] for b in reading.blocks)
    if not text.startswith("---"):
        assert "".join(covered.split()) == "".join(text.split())
