"""Main content of web pages: what the HTML reader keeps of an article, beside trafilatura.

Gold are article bodies (`files/html-articles` and the chapters of a Japanese novel). Saved pages may not be
passed on, so each body is set into page shapes as sites build them, with the furniture that makes extraction
hard: teasers of other articles in running text, boxes in mid-article, comments, tables for layout, classes that
say nothing. Whoever has the pages of the article extraction benchmark hands their folder over and measures on
those as well. Prints mean token F1, precision and recall; asserts nothing.

    python tests/bench/html_articles.py [FOLDER OF id.html OR id.html.gz]
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from random import Random

from inro.errors import Unreadable
from inro.readers import html

SHARED = Path(os.environ.get("INRO_SHARED") or Path(__file__).parents[3] / "shared")
_TOKEN = re.compile(r"[぀-ヿ㐀-鿿]|\w+")

Article = tuple[str, list[str]]
"""Title and paragraphs."""


def tokens(text: str) -> Counter[str]:
    """Words, and CJK characters one by one, with their counts."""
    return Counter(_TOKEN.findall(text.lower()))


def score(found: str, gold: str) -> tuple[float, float, float]:
    """(F1, precision, recall) of the tokens of a text against the gold text's."""
    mine, wanted = tokens(found), tokens(gold)
    same = (mine & wanted).total()
    precision = same / max(mine.total(), 1)
    recall = same / max(wanted.total(), 1)
    return (2 * precision * recall / (precision + recall) if same else 0.0), precision, recall


def articles() -> dict[str, Article]:
    """Gold articles by id."""
    raw = json.loads((SHARED / "files/html-articles/ground-truth.json").read_text("utf-8"))
    found: dict[str, Article] = {}
    for key, entry in raw.items():
        paragraphs = [p.strip() for p in entry["articleBody"].split("\n") if p.strip()]
        found[key] = (" ".join(paragraphs[0].split()[:9]), paragraphs)
    novel = (SHARED / "files/epub/kusamakura.gold-without-ruby.txt").read_text("utf-8")
    lines = [line.strip() for line in novel.split("\n") if line.strip()]
    for n in range(0, 600, 40):
        found[f"ja-{n}"] = (lines[n][:20], lines[n + 1 : n + 13])
    return found


def _p(paragraphs: list[str]) -> str:
    return "".join(f"<p>{escape(p)}</p>\n" for p in paragraphs)


def _links(words: list[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="/{n}">{escape(w)}</a></li>' for n, w in enumerate(words)) + "</ul>"


def _teasers(others: list[Article], tag: str, name: str) -> str:
    items = "".join(
        f'<{tag} class="{name}"><a href="/x"><h3>{escape(t)}</h3></a><p>{escape(b[0][:160])}</p></{tag}>'
        for t, b in others
    )
    return f"<div>{items}</div>"


NAV = ["Home", "News", "Sport", "Culture", "About us", "Contact", "ホーム", "お知らせ", "アクセス"]
FOOT = "<p>© 2026 Example Media. All rights reserved.</p>" + _links(["Privacy policy", "Terms of use", "Imprint"])
COOKIES = "<p>We use cookies to improve your experience on this site. Accept all or choose what we may store.</p>"


def semantic(title: str, body: list[str], others: list[Article]) -> str:
    return (
        f"<header><nav>{_links(NAV)}</nav></header><main><article><h1>{escape(title)}</h1>{_p(body)}</article></main>"
        f"<aside><h2>Related</h2>{_teasers(others, 'div', 'card')}</aside><footer>{FOOT}</footer>"
    )


def named(title: str, body: list[str], others: list[Article]) -> str:
    return (
        f'<div id="header"><div class="menu">{_links(NAV)}</div></div><div class="wrap"><div class="post-content">'
        f"<h1>{escape(title)}</h1>{_p(body)}</div>"
        f'<div class="sidebar">{_teasers(others, "div", "w")}</div></div>'
        f'<div class="footer">{FOOT}</div>'
    )


def nameless(title: str, body: list[str], others: list[Article]) -> str:
    return (
        f'<div class="a1">{_links(NAV)}</div><div class="b2"><div class="c3"><h1>{escape(title)}</h1>{_p(body)}</div>'
        f'<div class="d4">{_teasers(others, "div", "e5")}</div></div><div class="f6">{FOOT}</div>'
    )


def tabled(title: str, body: list[str], others: list[Article]) -> str:
    return (
        f'<table width="800"><tr><td colspan="2">{_links(NAV)}</td></tr><tr><td width="160">'
        f"{_links([t for t, _ in others])}"
        f"</td><td><h1>{escape(title)}</h1>{'<br><br>'.join(map(escape, body))}</td></tr>"
        f'<tr><td colspan="2">{FOOT}</td></tr></table>'
    )


def discussed(title: str, body: list[str], others: list[Article]) -> str:
    comments = "".join(
        f'<li class="comment"><b>reader{n}</b><p>I read this twice and still disagree: {escape(b[0][:120])}</p></li>'
        for n, (_, b) in enumerate(others)
    )
    return (
        f'<nav>{_links(NAV)}</nav><div class="entry"><h1>{escape(title)}</h1><p class="byline">By A. Writer'
        f'</p><div class="entry-content">{_p(body)}</div><div class="share">{_links(["Tweet", "Share", "Mail"])}</div>'
        f'<div id="comments"><h2>Comments</h2><ol>{comments}</ol></div></div><footer>{FOOT}</footer>'
    )


def interrupted(title: str, body: list[str], others: list[Article]) -> str:
    half = len(body) // 2
    box = f'<div class="related-box"><h4>Read also</h4>{_links([t for t, _ in others])}</div>'
    letter = '<div class="newsletter-signup"><p>Get our best stories every morning.</p></div>'
    return (
        f'<div class="cookie-consent">{COOKIES}</div><div class="topbar">{_links(NAV)}</div><div class="story">'
        f"<h1>{escape(title)}</h1>{_p(body[:half])}{box}{letter}{_p(body[half:])}</div>"
        f'<section class="more-stories"><h2>More stories</h2>{_teasers(others, "article", "teaser")}</section>'
        f"<footer>{FOOT}</footer>"
    )


def sectioned(title: str, body: list[str], others: list[Article]) -> str:
    return (
        f"<section>{_links(NAV)}</section><section><div><div><h1>{escape(title)}</h1></div><div>{_p(body)}</div></div>"
        f"</section><section><h2>You may also like</h2>{_teasers(others, 'div', 'x')}"
        f"</section><section>{FOOT}</section>"
    )


SHAPES: tuple[Callable[[str, list[str], list[Article]], str], ...] = (
    semantic, named, nameless, tabled, discussed, interrupted, sectioned,
)  # fmt: skip


def pages() -> Iterator[tuple[str, str, str]]:
    """(shape, page, gold) of every article in every shape."""
    known = articles()
    chance = Random(7)
    for key, (title, body) in known.items():
        rest = [article for other, article in known.items() if other != key]
        others = chance.sample(rest, 4)
        for shape in SHAPES:
            head = f"<head><meta charset=utf-8><title>{escape(title)} | Example</title></head>"
            yield (
                shape.__name__,
                f"<!doctype html><html>{head}<body>{shape(title, body, others)}</body></html>",
                ("\n".join([title, *body])),
            )


def saved(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The pages of a folder for which there is a gold body."""
    for key, (_, body) in articles().items():
        for path in (folder / f"{key}.html", folder / f"{key}.html.gz"):
            if path.is_file():
                raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
                yield "saved", raw.decode("utf-8", "replace"), "\n".join(body)


def ours(page: str) -> str:
    """The text that the HTML reader gives."""
    try:
        return html.read(page.encode(), "page.html").text
    except Unreadable:
        return ""


def theirs() -> Callable[[str], str] | None:
    """Trafilatura's extraction with its own settings; None if it is not installed."""
    try:
        import trafilatura
    except ImportError:
        return None
    return lambda page: str(trafilatura.extract(page) or "")


def main() -> None:
    """Print a table: shape, reader, F1, precision, recall."""
    readers: dict[str, Callable[[str], str]] = {"inro": ours}
    peer = theirs()
    if peer is not None:
        readers["trafilatura"] = peer
    else:
        print("for the comparison: pip install trafilatura lxml_html_clean")
    sums: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    source = saved(Path(sys.argv[1])) if len(sys.argv) > 1 else pages()
    for shape, page, gold in source:
        for name, extract in readers.items():
            result = score(extract(page), gold)
            sums.setdefault((shape, name), []).append(result)
            sums.setdefault(("all", name), []).append(result)
    for (shape, name), results in sorted(sums.items()):
        f1, precision, recall = (sum(column) / len(results) for column in zip(*results, strict=True))
        print(
            f"{shape:12} {name:12} pages {len(results):4}  F1 {f1:.4f}  precision {precision:.4f}  recall {recall:.4f}"
        )


if __name__ == "__main__":
    main()
