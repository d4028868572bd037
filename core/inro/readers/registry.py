"""Which reader is for which file, and the one call that turns bytes into a `Reading`.

A new format is one file with a `READER` and one line in `READERS`. The suffix decides; where there is none
that is known, the first bytes do. Knows no file system: it is handed bytes and a name.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from inro.errors import Unreadable
from inro.readers import (
    archive,
    canvas,
    csv,
    doc,
    docx,
    epub,
    graphium,
    html,
    hwp,
    image,
    json_text,
    mail,
    markdown,
    mhtml,
    msg,
    notebook,
    odf,
    org,
    pdf,
    plain,
    ppt,
    pptx,
    rst,
    rtf,
    source,
    toml_text,
    xls,
    xlsx,
    yaml_text,
)
from inro.readers.reader import Reader
from inro.readers.signatures import binary_kind, looks_like_html
from inro.records import Reading

READERS: tuple[Reader, ...] = (
    markdown.READER,
    html.READER,
    csv.READER,
    pdf.READER,
    image.READER,
    json_text.READER,
    yaml_text.READER,
    toml_text.READER,
    graphium.READER,
    canvas.READER,
    docx.READER,
    pptx.READER,
    xlsx.READER,
    doc.READER,
    xls.READER,
    ppt.READER,
    odf.READER,
    rtf.READER,
    epub.READER,
    mail.EML,
    mail.MBOX,
    msg.READER,
    notebook.READER,
    mhtml.READER,
    org.READER,
    rst.READER,
    hwp.READER,
    archive.ZIP,
    archive.TAR,
    source.READER,
    plain.READER,
)
"""Every reader; where two claim a suffix, the first wins."""

_BY_KIND_ALONE = {"zip container": archive.ZIP, "gzip": archive.TAR, "bzip2": archive.TAR, "xz": archive.TAR}
"""Archives are only taken for such by their bytes where there is no suffix: half of all formats are zip files."""

SNIFF_BYTES = 4096
"""How much of a file's beginning `reader_for` wants to see."""

_BY_SUFFIX: dict[str, Reader] = {}
for _reader in reversed(READERS):
    for _suffix in _reader.suffixes:
        _BY_SUFFIX[_suffix] = _reader


_BY_KIND: dict[str, Reader] = {
    "PDF": pdf.READER,
    "RTF": rtf.READER,
    **dict.fromkeys(("PNG image", "JPEG image", "GIF image", "TIFF image"), image.READER),
}
"""Readers of formats that their first bytes name beyond doubt, for files without a telling suffix."""


def suffix_of(name: str) -> str:
    """The last suffix of a file name in lower case with its dot; empty if there is none."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower()


def reader_for(path_suffix: str, first_bytes: bytes) -> Reader | None:
    """The reader of a file with this suffix (`.md`) and these first bytes, or None if there is none.

    A suffix that is known decides alone. Otherwise text is read as text, HTML as HTML, and of what begins
    like a binary format only what has a signature of its own, and nameless archives.
    """
    known = _BY_SUFFIX.get(path_suffix.lower())
    if known is not None:
        return known
    head = first_bytes[:SNIFF_BYTES]
    kind = binary_kind(head)
    if kind is not None:
        return _BY_KIND.get(kind) or (_BY_KIND_ALONE.get(kind) if not path_suffix else None)
    return html.READER if looks_like_html(head) else plain.READER


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read one file. `name` is its name or relative path; `encoding` overrides every guess.

    A file without a reader yields a `Reading` of outcome `skipped` and no text.

    Raises:
        Unreadable: the reader for this format cannot make text of these bytes; message and mend say why.
    """
    suffix = suffix_of(name)
    reader = reader_for(suffix, data[:SNIFF_BYTES])
    if reader is None:
        kind = binary_kind(data[:SNIFF_BYTES]) or "binary"
        return Reading(
            text="",
            title=PurePosixPath(name).stem,
            blocks=(),
            reader="none/0",
            encoding="",
            outcome="skipped",
            reason=f"no reader for {suffix or 'this kind of file'} ({kind})",
        )
    try:
        return reader.read(data, name, encoding)
    except RecursionError as e:
        raise Unreadable(f"nested too deeply to be read: {name}", "flatten the document or exclude it") from e
