"""Source code and settings files: pieces of code between blank lines, kept as written.

Knows no language: a function is usually a run of lines that begins at the margin, and that is all that is
used. Comments and names are found because the whole file is text.
"""

from __future__ import annotations

from inro.readers.blocks import cover, paragraphs
from inro.readers.decode import decode
from inro.readers.reader import Reader
from inro.records import Block, Reading

_LARGEST_PIECE = 4000
"""Characters above which neighbouring pieces are no longer joined into one block."""


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read a source file. Raises `Unreadable` if it is not text."""
    decoded = decode(data, name, override=encoding)
    text = decoded.text
    return Reading(
        text=text,
        title=name.replace("\\", "/").rsplit("/", 1)[-1],
        blocks=cover(text, code_blocks(text), kind="code"),
        reader=READER.id,
        encoding=decoded.encoding,
        confidence=decoded.confidence,
        outcome=decoded.outcome,
        reason=decoded.reason,
    )


def code_blocks(text: str) -> list[Block]:
    """Runs of lines, each from a line at the margin to the last blank line before the next one."""
    blocks: list[Block] = []
    for start, end in paragraphs(text, 0, len(text)):
        indented = text[start] in " \t}"
        if blocks and indented and end - blocks[-1].start <= _LARGEST_PIECE:
            blocks[-1] = Block("code", blocks[-1].start, end)
        else:
            blocks.append(Block("code", start, end))
    return blocks


_SUFFIXES = """
.py .pyi .ipy .c .h .cc .cpp .cxx .hpp .hh .cs .java .kt .kts .scala .go .rs .swift .m .mm .js .mjs .cjs
.jsx .ts .tsx .vue .svelte .rb .pl .pm .php .lua .r .jl .hs .ml .mli .fs .clj .cljs .el .lisp .scm .erl
.ex .exs .dart .zig .nim .v .sv .vhd .vhdl .f .f90 .f95 .for .pas .asm .s .sql .sh .bash .zsh .fish .ps1
.bat .cmd .awk .sed .mk .cmake .gradle .ini .cfg
.conf .properties .env .xml .xsd .xsl .svg .css .scss .less .graphql .proto .tf .nix .diff .patch .gcode
.bib .ris .ics .vcf
"""

READER = Reader("source", 3, frozenset(_SUFFIXES.split()), read)
