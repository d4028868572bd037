"""Files with the suffix of an old Office format that are another format inside, as programs have always written them.

A `.doc` is often RTF or HTML, a `.xls` a page of HTML or lines of text, and either may be an Office Open XML file
that was given the old name. What the bytes say goes before the suffix.
"""

from __future__ import annotations

from collections.abc import Callable

from inro.errors import Unreadable
from inro.readers import docx, html, plain, pptx, rtf, xlsx
from inro.readers.package import Package
from inro.readers.signatures import binary_kind, looks_like_html
from inro.records import Reading

_SNIFFED = 4096
_PARTS: tuple[tuple[str, Callable[[bytes, str, str | None], Reading]], ...] = (
    ("word/", docx.read),
    ("xl/", xlsx.read),
    ("ppt/", pptx.read),
)


def read_renamed(data: bytes, name: str, encoding: str | None) -> Reading | None:
    """The reading of a file that is another format; None if it is an OLE compound file.

    Raises:
        Unreadable: it is no format that is kept under such a name, or its own reader cannot read it.
    """
    head = data[:_SNIFFED]
    kind = binary_kind(head)
    if kind == "OLE container":
        return None
    if head.lstrip().startswith(b"{\\rt"):
        return rtf.read(data, name, encoding)
    if kind == "zip container":
        main = Package(data, name).main("")
        for folder, read in _PARTS:
            if main.startswith(folder):
                return read(data, name, encoding)
    if kind is None and data.strip(b"\0 \t\r\n"):
        return html.read(data, name, encoding) if looks_like_html(head) else plain.read(data, name, encoding)
    what = "an empty file" if not data.strip(b"\0 \t\r\n") else f"not what its suffix says ({kind or 'unknown'})"
    raise Unreadable(f"{what}: {name}", "give it the suffix of its format, or exclude it")
