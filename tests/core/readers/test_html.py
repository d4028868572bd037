"""HTML pages to text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.readers import html
from inro.records import Reading


def read(page: str) -> Reading:
    return html.read(page.encode(), "page.html")


ARTICLE = """<!doctype html><html lang="ja"><head>
<title>乾燥の手順 | 研究室</title><meta name="author" content="田中">
<meta name="keywords" content="乾燥, 焼成">
<meta property="article:published_time" content="2026-04-01"><link rel="canonical" href="https://lab.example/a">
<style>p{}</style><script>var hidden = "no";</script></head><body>
<nav><a href="/">Home</a><a href="/b">B</a></nav>
<header class="site-header"><a href="/">研究室</a></header>
<main><h1>乾燥の手順</h1>
<p>試料は<ruby>乾燥庫<rp>(</rp><rt>かんそうこ</rt><rp>)</rp></ruby>に
入れる。See <a href="https://lab.example/sop">the
SOP</a>.</p>
<h2>表 <em>1</em></h2>
<table><tr><th>試料</th><th>質量</th></tr><tr><td>S-1</td><td><p>1.2</p><p>g</p></td></tr></table>
<ul><li>one</li><li><p>two</p><ul><li>two a</li></ul></li><li></li></ul>
<ol start="3"><li>three</li></ol>
<pre>x = 1
  y = 2</pre>
<blockquote><p>quoted</p><p>twice</p></blockquote>
</main>
<aside class="related">Related: <a href="/x">x</a></aside>
<footer>Copyright</footer></body></html>"""


def test_the_text_is_what_a_person_would_copy_out() -> None:
    assert read(ARTICLE).text == (
        "乾燥の手順\n\n"
        "試料は乾燥庫に入れる。See the SOP.\n\n"
        "表 1\n\n"
        "試料 | 質量\nS-1 | 1.2 g\n\n"
        "- one\n- two\n  - two a\n\n"
        "3. three\n\n"
        "x = 1\n  y = 2\n\n"
        "quoted\n\ntwice"
    )


def test_blocks_say_what_each_part_is() -> None:
    reading = read(ARTICLE)
    assert [(b.kind, b.level, b.label) for b in reading.blocks] == [
        ("heading", 1, "乾燥の手順"),
        ("paragraph", 0, ""),
        ("heading", 2, "表 1"),
        ("table", 0, ""),
        ("list", 0, ""),
        ("list", 0, ""),
        ("code", 0, ""),
        ("quote", 0, ""),
    ]


def test_what_the_page_declares_becomes_fields() -> None:
    reading = read(ARTICLE)
    assert reading.title == "乾燥の手順"
    assert reading.fields["author"] == ("田中",)
    assert reading.fields["keywords"] == ("乾燥", "焼成")
    assert reading.fields["date"] == ("2026-04-01",)
    assert reading.fields["url"] == ("https://lab.example/a",)


def test_links_are_kept_with_their_words() -> None:
    reading = read(ARTICLE)
    assert [(x.kind, x.target, reading.text[x.start : x.end]) for x in reading.links] == [
        ("url", "https://lab.example/sop", "the SOP")
    ]
    assert read("<p><a href='javascript:x()'>a</a><a href='#f'>b</a><a href='c.html'>c</a>").links[0].target == "c.html"


def test_a_page_of_links_or_with_misleading_names_is_kept_whole() -> None:
    links = "".join(f"<li><a href='/{i}'>bookmark number {i}</a></li>" for i in range(30))
    assert "bookmark number 29" in read(f"<body><ul class='menu'>{links}</ul></body>").text
    text = "The whole text of the page stands in here. " * 20
    assert "whole text" in read(f"<body><div class='sidebar'><p>{text}</p></div></body>").text
    assert "whole text" in read(f"<body><article>tiny</article><div><p>{text}</p></div></body>").text


def test_layout_tables_are_read_as_text_and_data_tables_as_rows() -> None:
    page = "<table><tr><td>menu</td><td><h1>Head</h1><p>body text</p></td></tr></table>"
    assert [b.kind for b in read(page).blocks] == ["paragraph", "heading", "paragraph"]
    assert read("<table><tr><td>a</td><td></td><td>c</td></tr></table>").text == "a |  | c"


def test_hidden_parts_and_controls_are_left_out() -> None:
    page = "<p>seen</p><p hidden>a</p><p style='display: none'>b</p><button>c</button><!-- d -->"
    page += "<template>e</template>"
    assert read(page).text == "seen"


def test_broken_pages_give_what_they_hold() -> None:
    assert read("<p>one<p>two<b>bold</p>three").text == "one\n\ntwobold\n\nthree"
    assert "unclosed" in read("<div><p>unclosed <a href='x'>link").text
    assert read("").text == ""
    assert read("just text, no tags").text == "just text, no tags"
    assert read("<?xml version='1.0'?><html xmlns='x'><body><p>xhtml</p></body></html>").text == "xhtml"


def test_a_page_nested_beyond_sense_is_refused_and_a_deep_one_is_read() -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        read("<div>" * 50000 + "x")
    assert read("<div>" * 2000 + "deep" + "</div>" * 2000).text == "deep"


def test_an_entity_bomb_expands_to_nothing() -> None:
    page = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><html><body><p>&b; ok</p></body></html>'
    assert len(read(page).text) < 100


_TAGS = "p div ul li table tr td pre h1 h2 blockquote a br b span ruby rt nav dl dt ol q"
_TAG = st.sampled_from(_TAGS.split())
_PART = st.one_of(_TAG.map(lambda t: f"<{t}>"), _TAG.map(lambda t: f"</{t}>"), st.text("ab 日本\n.&;", max_size=6))


@given(st.lists(_PART, max_size=60).map("".join))
def test_any_soup_of_tags_gives_ordered_blocks_that_cover_the_text(page: str) -> None:
    reading = read(page)
    at = 0
    for block in reading.blocks:
        assert at <= block.start < block.end <= len(reading.text)
        at = block.end
    covered = "".join(reading.text[b.start : b.end] for b in reading.blocks)
    assert "".join(covered.split()) == "".join(reading.text.split())
    for link in reading.links:
        assert 0 <= link.start < link.end <= len(reading.text)


TEASERS = "".join(
    f'<div><a href="/{n}"><h3>Other story {n}</h3></a><p>Its first lines in words.</p></div>' for n in range(4)
)
STORY = "<p>" + "The furnace was heated slowly and held for an hour. " * 12 + "</p>"


def test_teasers_of_other_pages_are_left_out_without_any_telling_name() -> None:
    page = f"<div class=a><h1>Story</h1>{STORY}</div><section><h2>You may like</h2>{TEASERS}</section>"
    assert read(page).text == "Story\n\n" + STORY[3:-5]


def test_a_page_made_of_teasers_keeps_them() -> None:
    assert read(f"<h1>All stories</h1><div>{TEASERS}</div>").text.count("Other story") == 4


def test_headings_that_link_to_themselves_are_no_teasers() -> None:
    sections = "".join(f'<h2><a href="#{n}">Part {n}</a></h2><p>{n} in words.</p>' for n in range(5))
    page = f"<div class=a><h1>Manual</h1>{STORY}</div><div>{sections}</div>"
    assert read(page).text.count("in words") == 5


def test_a_chapter_is_read_whole_and_what_xhtml_leaves_empty_closes_nothing_else() -> None:
    chapter = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>'
        '<body><nav class="toc"><p>kept</p></nav><p><a id="x"/>first</p><p>second<br/>line</p></body></html>'
    )
    assert html.read_whole(chapter.encode(), "a.xhtml").text == "kept\n\nfirst\n\nsecond\nline"
