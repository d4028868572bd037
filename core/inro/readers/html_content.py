"""Which part of a page is its content: the choice of the root and what below it is furniture.

Two kinds of evidence: what the page says of itself (`main`, `article`, `nav`, roles, telling class names) and
how much of a part's text stands inside links. Furniture is only dropped while most of the page's own words
stay: a page that consists of links, or whose class names mislead, is kept whole. It is a judgement, and the
reader of a whole page errs on the side of keeping.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

_UNSEEN = """
script style noscript template svg math iframe frame frameset object embed applet canvas audio video map
head title meta link base param source track datalist rp rt rtc
"""
UNSEEN = frozenset(_UNSEEN.split())
"""Elements whose text no reader of the page sees as its text."""

_CONTROLS = frozenset(("button", "input", "select", "textarea", "option", "progress", "meter"))
_FURNITURE_TAGS = frozenset(("nav", "aside", "footer", "menu", "dialog"))
_ROLES = """
navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar
"""
_FURNITURE_ROLES = frozenset(_ROLES.split())
_FURNITURE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navi|navigation|menu|sidebar|breadcrumbs?|footer|masthead|pagination|pager|"
    r"share|sharing|social|sns|related|recommend(?:ed|ations?)?|cookies?|consent|gdpr|banner|advert(?:s|isement)?|ads?|"
    r"sponsor(?:ed)?|promo|popup|modal|overlay|newsletter|subscribe|subscription|signup|login|toolbar|"
    r"skip|skip-link|comments?|comment-list|disqus|respond|widget|copyright|legal|trending|popular|more-from|"
    r"read-more|tag-?cloud|byline-share|print-only|noprint|editsection|mw-jump|navbox|toc|site-header|"
    r"site-footer|global-header|global-footer|gnav|pankuzu)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CONTENT_SELECTORS = (
    "[itemprop=articleBody]",
    "article",
    "main",
    "[role=main]",
    "#mw-content-text",
    "#main-content",
    "#article-body",
    ".article-body",
    ".post-content",
    ".entry-content",
    ".article-content",
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_LEAST_SHARE = 0.4
"""A declared content element is believed if it holds this share of the page's words outside links."""
_MOST_NAMED = 0.3
"""An element that merely has a telling name is furniture only below this share of the page's words."""
_LINK_DENSE = 0.6
_LINK_LIST_LEAST = 4
_TEASERS_LEAST = 3
_MOST_TEASERS = 0.5
_BOXES = frozenset(("ul", "ol", "div", "section", "table"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass(slots=True)
class Weight:
    """What stands below a node, in characters without white space."""

    text: int = 0
    linked: int = 0
    away: int = 0
    """Of what is linked, what leads out of the page."""
    links: int = 0
    headings: int = 0
    teasers: int = 0
    """Headings that are wholly a link to somewhere else: what heads the teaser of another article."""


class Content:
    """The judgement of one page."""

    def __init__(self, body: LexborNode, keep_all: bool = False) -> None:
        self._weights = _weigh(body)
        self._page = max(self._own(body), 1)
        self._keep_all = keep_all
        self.root = body if keep_all else self._choose(body)
        self.declared = self.root is not body
        """Whether the page says itself which part is its content."""

    def dropped(self, node: LexborNode) -> bool:
        """Whether an element below the root is left out with all that is in it."""
        tag = node.tag or ""
        if tag in UNSEEN or tag in _CONTROLS:
            return True
        attributes = node.attributes
        if "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or ""):
            return True
        if self._keep_all or tag in ("html", "body", "main", "article"):
            return False
        share = self._own(node) / self._page
        if tag in _FURNITURE_TAGS or (attributes.get("role") or "").lower() in _FURNITURE_ROLES:
            return share < 0.5
        if tag == "header":
            return not self.declared and share < 0.1
        if attributes.get("aria-hidden") == "true" and share < _MOST_NAMED:
            return True
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
        if names != " " and share < _MOST_NAMED and _FURNITURE_NAMES.search(names):
            return True
        if tag not in _BOXES:
            return False
        return self._link_list(node, share) or self._teaser_list(node, share)

    def words(self, node: LexborNode) -> int:
        """Characters of text below a node, without white space."""
        weight = self._weights.get(node.mem_id)
        return weight.text if weight else 0

    def _own(self, node: LexborNode) -> int:
        weight = self._weights.get(node.mem_id)
        return weight.text - weight.linked if weight else 0

    def _link_list(self, node: LexborNode, share: float) -> bool:
        """A list of links that is no part of the running text: many links, little else, few words a link."""
        weight = self._weights.get(node.mem_id)
        if weight is None or weight.links < _LINK_LIST_LEAST or share > 0.1:
            return False
        return weight.linked > _LINK_DENSE * max(weight.text, 1) and not self.declared

    def _teaser_list(self, node: LexborNode, share: float) -> bool:
        """A run of teasers of other pages, with or without a heading of its own, on a page that is not made of them."""
        weight = self._weights.get(node.mem_id)
        if weight is None or weight.teasers < _TEASERS_LEAST or share >= _MOST_TEASERS:
            return False
        return weight.headings - weight.teasers <= 1

    def _choose(self, body: LexborNode) -> LexborNode:
        """The smallest declared content element that holds enough of the page; else the body."""
        for selector in _CONTENT_SELECTORS:
            found = [n for n in body.css(selector) if self._own(n) > 0]
            best = max(found, key=self._own, default=None)
            if best is not None and self._own(best) >= _LEAST_SHARE * self._page:
                return best
        return body


def _weigh(root: LexborNode) -> dict[int, Weight]:
    """The weight of every element below the root, in one walk without recursion."""
    weights: dict[int, Weight] = {}
    open_nodes: list[tuple[LexborNode, Weight, bool, bool]] = []
    node: LexborNode | None = root
    inside_link = inside_away = 0
    while node is not None:
        tag = node.tag or ""
        descend = False
        if node.is_text_node:
            size = len("".join((node.text_content or "").split()))
            if open_nodes and size:
                open_nodes[-1][1].text += size
                if inside_link:
                    open_nodes[-1][1].linked += size
                if inside_away:
                    open_nodes[-1][1].away += size
        elif node.is_element_node and tag not in UNSEEN and tag not in _CONTROLS:
            weight = Weight(links=int(tag == "a"))
            weights[node.mem_id] = weight
            if node.child is not None:
                is_away = tag == "a" and not (node.attributes.get("href") or "#").startswith("#")
                open_nodes.append((node, weight, tag == "a", is_away))
                inside_link += tag == "a"
                inside_away += is_away
                descend = True
            elif open_nodes:
                open_nodes[-1][1].links += weight.links
        if descend:
            node = node.child
            continue
        while node is not None and node.next is None:
            if not open_nodes:
                return weights
            node, weight, is_link, is_away = open_nodes.pop()
            inside_link -= is_link
            inside_away -= is_away
            if node.tag in _HEADINGS and weight.text:
                weight.headings = 1
                weight.teasers = int(weight.away > 0.9 * weight.text)
            if not open_nodes:
                return weights
            above = open_nodes[-1][1]
            above.text += weight.text
            above.linked += weight.linked
            above.away += weight.away
            above.headings += weight.headings
            above.teasers += weight.teasers
            above.links += weight.links
        node = node.next if node is not None else None
    return weights
