"""From elements to text with blocks and links: what a person would copy out of the page by hand.

White space is collapsed as a browser does, except that a line end between two CJK characters vanishes, since
there it is the editor's and not the writer's. List items keep a mark, table rows stay on one line with cells
joined by ` | `, preformatted text keeps its lines. The walk is a loop: a page nested ten thousand deep must
not end the process. Chooses nothing: `html_content` says what is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from inro.records import Block, BlockKind, Link, LinkKind

_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_CONTAINERS: dict[str, BlockKind] = {
    "ul": "list",
    "ol": "list",
    "dl": "list",
    "menu": "list",
    "table": "table",
    "pre": "code",
    "blockquote": "quote",
}
_BLOCK_TAGS = """
p div section article main header footer aside nav figure figcaption address hr details summary fieldset
form legend center body html hgroup search td th tr caption dt dd li
"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_CELLS = frozenset(("td", "th"))
_SPACE = re.compile(r"[ \t\n\r\f]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LONGEST_TARGET = 2000
_LARGEST_CELL = 500
"""Characters above which a table's cell holds running text, and the table is only layout."""


@dataclass(slots=True)
class Extract:
    """The text of a page, in the making and made."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    last: str = ""
    """The last character written."""
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join(self.parts)

    def write(self, piece: str) -> None:
        """Append a piece that is not empty."""
        self.parts.append(piece)
        self.length += len(piece)
        self.last = piece[-1]


class _Walker:
    def __init__(self, dropped: Callable[[LexborNode], bool], words: Callable[[LexborNode], int]) -> None:
        self._dropped = dropped
        self._words = words
        self.out = Extract()
        self._gap = 0
        """Line ends owed before the next text: 1 for a line, 2 for a block."""
        self._space = ""
        """White space owed before the next text; the source's own, to see line ends in it."""
        self._prefix = ""
        """List mark or cell separator owed before the next text."""
        self._container: BlockKind | None = None
        self._container_node = 0
        self._heading = 0
        self._block_start = -1
        self._lists: list[list[int]] = []
        """Open lists: [number of the next item, or -1 for an unordered list]."""
        self._pre = 0
        self._cell = 0
        self._cells_in_row = 0
        self._links: list[tuple[str, int]] = []

    def walk(self, root: LexborNode) -> None:
        node: LexborNode | None = root
        opened: list[LexborNode] = []
        while node is not None:
            descend = False
            if node.is_text_node:
                self._text(node.text_content or "")
            elif node.is_element_node and not self._dropped(node):
                self._enter(node)
                if node.child is not None:
                    opened.append(node)
                    descend = True
                else:
                    self._leave(node)
            if descend:
                node = node.child
                continue
            while node is not None and (node.next is None or node.mem_id == root.mem_id):
                if not opened:
                    node = None
                    break
                node = opened.pop()
                self._leave(node)
                if node.mem_id == root.mem_id:
                    node = None
            node = node.next if node is not None else None
        self._close_block()

    # Elements

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "br":
            self._break_line()
        elif tag in _HEADINGS and self._container is None:
            self._close_block()
            self._heading = _HEADINGS[tag]
        elif tag in _CONTAINERS:
            self._enter_container(node, tag)
        elif tag in _CELLS and self._container == "table":
            self._cell += 1
            if self._cell == 1:
                if self._cells_in_row:
                    self._prefix += " | "
                    self._space = ""
                self._cells_in_row += 1
        elif tag == "li" and self._lists:
            self._line()
            number = self._lists[-1][0]
            mark = "- " if number < 0 else f"{number}. "
            if number >= 0:
                self._lists[-1][0] += 1
            self._prefix = "  " * (len(self._lists) - 1) + mark if not self._cell else ""
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._paragraph(tag)
        elif tag == "a":
            self._links.append((node.attributes.get("href") or "", -1))
        elif tag == "q":
            self._text("“")

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS and self._container is None:
            self._close_block()
        elif tag in _CONTAINERS:
            self._leave_container(node, tag)
        elif tag in _CELLS and self._container == "table":
            self._cell -= 1
        elif tag == "tr" and self._container == "table" and not self._cell:
            self._line()
            self._cells_in_row = 0
            self._prefix = ""
        elif tag == "li" and self._lists:
            self._line()
            self._prefix = ""
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._paragraph(tag)
        elif tag == "a" and self._links:
            self._close_link(*self._links.pop())
        elif tag == "q":
            self._text("”")

    def _enter_container(self, node: LexborNode, tag: str) -> None:
        if tag in ("ul", "ol", "menu"):
            start = node.attributes.get("start") or "1"
            self._lists.append(
                [int(start) if tag == "ol" and re.fullmatch(r"\d{1,6}", start) else 1 if tag == "ol" else -1]
            )
        if tag == "pre":
            self._pre += 1
        if self._container is not None:
            if not self._cell:
                self._line()
            return
        if tag == "table" and self._is_layout(node):
            self._paragraph(tag)
            return
        self._close_block()
        self._container = _CONTAINERS[tag]
        self._container_node = node.mem_id
        self._cells_in_row = 0

    def _leave_container(self, node: LexborNode, tag: str) -> None:
        if tag in ("ul", "ol", "menu") and self._lists:
            self._lists.pop()
        if tag == "pre":
            self._pre -= 1
        if node.mem_id == self._container_node:
            self._close_block()
            self._container = None
            self._container_node = 0
            self._cell = 0
            self._prefix = ""
        elif self._container is None:
            self._paragraph(tag)
        elif not self._cell:
            self._line()

    def _is_layout(self, table: LexborNode) -> bool:
        """Whether a table only places things: it holds tables, headings or cells of running text."""
        if table.css_first("table table, h1, h2, h3, article, section, form") is not None:
            return True
        return any(self._words(cell) > _LARGEST_CELL for cell in table.css("td")[:400])

    # Text

    def _text(self, raw: str) -> None:
        if not raw:
            return
        if self._pre:
            self._put(raw.expandtabs(4) if self._cell == 0 else _SPACE.sub(" ", raw))
            return
        for i, word in enumerate(_SPACE.split(raw)):
            if i:
                self._space = self._space or " "
                if "\n" in raw:
                    self._space = "\n"
            if word:
                self._put(word)

    def _put(self, piece: str) -> None:
        out = self.out
        if self._block_start < 0:
            if not piece.strip():
                return
            if out.length:
                out.write("\n\n")
            self._gap = 0
            self._space = ""
            self._block_start = out.length
        if self._gap and piece.strip():
            out.write("\n" * self._gap)
            self._gap = 0
            self._space = ""
        elif self._space:
            joined = self._space == "\n" and _is_cjk(out.last) and _is_cjk(piece[0])
            if not joined and out.last not in (" ", "\n") and not self._prefix:
                out.write(" ")
            self._space = ""
        if self._prefix:
            out.write(self._prefix)
            self._prefix = ""
        if self._links and self._links[-1][1] < 0:
            self._links[-1] = (self._links[-1][0], out.length)
        out.write(piece)

    def _break_line(self) -> None:
        if self._cell:
            self._space = " "
        elif self._pre:
            self._put("\n")
        else:
            self._line()

    def _line(self) -> None:
        self._gap = max(self._gap, 1)
        self._space = ""

    def _paragraph(self, tag: str) -> None:
        """A boundary between blocks; inside a container only a boundary between lines, in a cell a space."""
        if self._cell:
            self._space = " "
        elif self._container == "quote":
            self._gap = max(self._gap, 2 if tag == "p" else 1)
            self._space = ""
        elif self._container is not None:
            # The mark of an item stands on the line of its first paragraph.
            if not self._prefix:
                self._line()
        else:
            self._close_block()

    def _close_block(self) -> None:
        start, self._block_start = self._block_start, -1
        level, self._heading = self._heading, 0
        self._gap = 0
        self._space = ""
        if self._container is None:
            self._prefix = ""
        if start < 0 or start >= self.out.length:
            return
        if level:
            label = " ".join(self._since(start).split())
            self.out.blocks.append(Block("heading", start, self.out.length, level, label=label))
        else:
            self.out.blocks.append(Block(self._container or "paragraph", start, self.out.length))

    def _since(self, start: int) -> str:
        """What was written from an offset on, which is always the beginning of a part."""
        taken: list[str] = []
        at = self.out.length
        for part in reversed(self.out.parts):
            if at <= start:
                break
            taken.append(part)
            at -= len(part)
        return "".join(reversed(taken))

    def _close_link(self, target: str, start: int) -> None:
        target = target.strip()
        if start < 0 or start >= self.out.length or not target or target.startswith("#"):
            return
        scheme = _SCHEME.match(target)
        if scheme and scheme[0].lower() in ("javascript:", "data:", "about:", "blob:"):
            return
        kind: LinkKind = "url" if scheme or target.startswith("//") else "file"
        self.out.links.append(Link(kind, target[:_LONGEST_TARGET], start, self.out.length))


def extract(root: LexborNode, dropped: Callable[[LexborNode], bool], words: Callable[[LexborNode], int]) -> Extract:
    """Walk an element. `dropped` says what to leave out, `words` how much text is below a node."""
    walker = _Walker(dropped, words)
    walker.walk(root)
    return walker.out


def _is_cjk(char: str) -> bool:
    return char > "\u2e7f" and unicodedata.east_asian_width(char) in ("W", "F")
