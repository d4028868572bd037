"""The marks inside Markdown lines: links, embeds, tags, Dataview fields, and labels without markup.

Works on text in which code is already blanked, so offsets are those of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inro.records import Link, LinkKind

_WIKI = re.compile(r"\[\[([^\[\]\n|]+?)(?:\\?\|[^\[\]\n]*)?\]\]")
_INLINE = re.compile(
    r"(!?)\[(?:[^\[\]\n]|\[[^\[\]\n]*\]){0,500}\]\("
    r"[ \t]*(?:<([^<>\n]{1,2000})>|((?:[^()\s]|\([^()\s]*\)){1,2000}))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_DEFINITION = re.compile(r"^[ ]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]*<?([^\s<>]{1,2000})>?", re.MULTILINE)
_BARE = re.compile(r"\b(?:https?|ftp)://[^\s<>\"'`|　-〿一-鿿぀-ヿ＀-￯]{1,2000}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

_TAG = re.compile(r"#(?<![^\s(（、。,;]#)([\w\-/]*[^\W\d][\w\-/]*)")
_FIELD_LINE = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?([^\W\d][\w /-]{0,59}?)(?:\*\*|__)?[ \t]*::[ \t]+(\S.*?)[ \t]*$",
    re.MULTILINE,
)
_FIELD_INLINE = re.compile(r"[\[(]([^\W\d][\w /-]{0,59}?)[ \t]*::[ \t]*([^\[\]()\n]{1,500}?)[ \t]*[\])]")

_LABEL_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_LABEL_WIKI = re.compile(r"!?\[\[(?:[^\[\]\n|]*\|)?([^\[\]\n|]*)\]\]")
_LABEL_MARK = re.compile(r"\*{1,3}|~~|==|`+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def links(visible: str) -> tuple[Link, ...]:
    """Links and embeds in order of their place, in text whose code is blanked."""
    found: list[Link] = []
    covered: list[tuple[int, int]] = []
    for match in _WIKI.finditer(visible):
        target = match[1].rstrip("\\").strip()
        start, end = match.span()
        if target:
            embedded = start > 0 and visible[start - 1] == "!"
            found.append(Link("embed" if embedded else "wiki", target, start - embedded, end))
            covered.append((start, end))
    for match in _INLINE.finditer(visible) if "](" in visible else ():
        target = (match[2] or match[3]).strip()
        kind: LinkKind = "embed" if match[1] else "url" if _SCHEME.match(target) else "file"
        found.append(Link(kind, target, match.start(), match.end()))
        covered.append(match.span())
    for match in _DEFINITION.finditer(visible) if "]:" in visible else ():
        if match[0].lstrip().startswith("[^"):
            continue
        kind = "url" if _SCHEME.match(match[1]) else "file"
        found.append(Link(kind, match[1], match.start(1), match.end(1)))
        covered.append(match.span())
    covered.sort()
    at = 0
    for match in _BARE.finditer(visible) if "://" in visible else ():
        while at < len(covered) and covered[at][1] <= match.start():
            at += 1
        if at < len(covered) and covered[at][0] <= match.start():
            continue
        target = match[0].rstrip(".,;:!?)]}*_")
        found.append(Link("url", target, match.start(), match.start() + len(target)))
    return tuple(sorted(found, key=lambda link: (link.start, link.end)))


def inline_tags(visible: str) -> list[str]:
    """Tags written as `#tag`, `#tag/sub` or `#実験`, without the mark; a number alone is no tag."""
    return [tag for match in _TAG.finditer(visible) if (tag := match[1].strip("/-"))]


def inline_fields(visible: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Dataview fields: `key:: value` on a line of its own, `[key:: value]` and `(key:: value)` within one."""
    if "::" not in visible:
        return
    for pattern in (_FIELD_LINE, _FIELD_INLINE):
        for match in pattern.finditer(visible):
            yield match[1], (match[2].strip(),)


def plain_label(text: str) -> str:
    """A heading's text as a person reads it: links by their words, emphasis and block ids gone."""
    label = " ".join(text.split())
    label = _BLOCK_ID.sub("", label)
    if "[" in label:
        label = _LABEL_LINK.sub(r"\1", _LABEL_WIKI.sub(r"\1", label))
    label = _LABEL_MARK.sub("", label)
    return _ESCAPE.sub(r"\1", label).strip()
