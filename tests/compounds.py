"""Small OLE compound files for the readers' tests: Office files of 1997 to 2003, made from their parts."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(streams: dict[str, bytes]) -> bytes:
    """A compound file of these streams, each padded to the size from which streams lie in sectors of their own."""
    padded = {name: data.ljust(4096, b"\0") for name, data in streams.items()}
    directory = -(-(len(padded) + 1) // 4)
    body = sum(-(-len(data) // _SECTOR) for data in padded.values())
    fats = 1
    while fats * 128 < fats + directory + body:
        fats += 1
    table = [_FAT] * fats + [*range(fats + 1, fats + directory), _END]
    names = sorted(padded, key=lambda name: (len(name), name.upper()))
    entries = [_entry("Root Entry", 5, 1 if names else _FREE, _FREE, _END, 0)]
    sectors: list[bytes] = []
    for n, name in enumerate(names, 1):
        data = padded[name]
        count = -(-len(data) // _SECTOR)
        start = len(table)
        table += [*range(start + 1, start + count), _END]
        sectors.append(data.ljust(count * _SECTOR, b"\0"))
        entries.append(_entry(name, 2, _FREE, n + 1 if n < len(names) else _FREE, start, len(data)))
    table += [_FREE] * (fats * 128 - len(table))
    header = struct.pack(
        "<8s16s5H6s9I", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, fats, fats, 0, 4096,
        _END, 0, _END, 0,
    )  # fmt: skip
    listed = struct.pack("<109I", *range(fats), *[_FREE] * (109 - fats))
    allocated = struct.pack(f"<{len(table)}I", *table)
    return b"".join([header, listed, allocated, b"".join(entries).ljust(directory * _SECTOR, b"\0"), *sectors])


def summary(properties: dict[int, str | bytes | int], page: int = 932) -> bytes:
    """A summary stream: a str is stored wide, bytes narrow in the code page, an int as a time in ticks."""
    made = {1: struct.pack("<IHH", 2, page, 0)}
    for number, value in properties.items():
        if isinstance(value, int):
            made[number] = struct.pack("<IQ", 0x40, value)
        elif isinstance(value, bytes):
            made[number] = struct.pack("<II", 0x1E, len(value) + 1) + value + b"\0"
        else:
            made[number] = struct.pack("<II", 0x1F, len(value) + 1) + (value + "\0").encode("utf-16-le")
        made[number] += bytes(-len(made[number]) % 4)
    at, places, values = 8 + 8 * len(made), b"", b""
    for number, data in made.items():
        places += struct.pack("<II", number, at + len(values))
        values += data
    head = struct.pack("<HHI16sI16sI", 0xFFFE, 0, 0, b"", 1, b"", 48)
    return head + struct.pack("<II", at + len(values), len(made)) + places + values


def _entry(name: str, kind: int, child: int, right: int, start: int, size: int) -> bytes:
    raw = (name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBB3I16sI16sIQ", raw, len(raw), kind, 1, _FREE, right, child, b"", 0, b"", start, size
    )  # fmt: skip


# Word


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph: its text without the mark, the mark, its style's number and its property modifiers."""

    text: str
    mark: str = "\r"
    style: int = 0
    modifiers: bytes = b""
    wide: bool = True


IN_TABLE = struct.pack("<HB", 0x2416, 1)
ROW_END = IN_TABLE + struct.pack("<HB", 0x2417, 1)
LISTED = struct.pack("<HH", 0x460B, 1)


def level(depth: int) -> bytes:
    """The modifier that puts a list item this deep."""
    return struct.pack("<HB", 0x260A, depth)


def doc(
    body: Sequence[Para],
    footnotes: Sequence[str] = (),
    headers: Sequence[str] = (),
    deleted: Sequence[tuple[int, int]] = (),
    flags: int = 0,
    reverse: bool = False,
    told: bytes = b"",
) -> bytes:
    """A Word document. `deleted` are spans of characters of the body; `reverse` stores the pieces
    backwards, `told` is the summary stream.
    """
    notes = [Para(f"\x02 {text}") for text in footnotes]
    margins = [Para(text) for text in headers]
    every = [*body, *notes, *margins]
    stream = bytearray(2048)
    starts: dict[int, int] = {}
    for n in reversed(range(len(every))) if reverse else range(len(every)):
        starts[n] = len(stream)
        stream += (every[n].text + every[n].mark).encode("utf-16-le" if every[n].wide else "cp1252")
    lengths = [len((p.text + p.mark).encode("utf-16-le")) // 2 for p in every]
    places = [sum(lengths[:n]) for n in range(len(every) + 1)]
    clx = struct.pack(f"<BI{len(every) + 1}I", 2, 4 + 12 * len(every), *places)
    for n, one in enumerate(every):
        clx += struct.pack("<HIH", 0, starts[n] if one.wide else starts[n] * 2 | 0x40000000, 0)
    order = sorted(starts, key=lambda n: starts[n])
    ends = [starts[n] + lengths[n] * (2 if every[n].wide else 1) for n in order]
    paragraphs = _page(stream, [(starts[n], ends[i], _properties(every[n])) for i, n in enumerate(order)], 13)
    runs = [
        (starts[n] + 2 * (a - places[n]), starts[n] + 2 * (b - places[n]), b"\x03\x00\x08\x01")
        for a, b in deleted
        for n in range(len(body))
        if places[n] <= a < places[n + 1]
    ]
    characters = _page(stream, runs, 1) if runs else b""
    references = [i for i, c in enumerate("".join(p.text + p.mark for p in body)) if c == "\x02"]
    bodies, aside = sum(lengths[: len(body)]), sum(lengths[len(body) : len(body) + len(notes)])
    texts = [places[len(body) + n] - bodies for n in range(len(notes))]
    tables = {
        33: clx,
        13: paragraphs,
        12: characters,
        1: _styles(),
        2: struct.pack(f"<{len(references) + 1}I", *references, bodies) + b"\1\0" * len(references) if notes else b"",
        3: struct.pack(f"<{len(texts) + 2}I", *texts, aside, aside) if notes else b"",
    }
    table = bytearray()
    struct.pack_into("<HHHHHH", stream, 0, 0xA5EC, 193, 0, 0x411, 0, flags | 0x200)
    struct.pack_into("<HH", stream, 62, 22, 0)
    struct.pack_into("<3i", stream, 76, bodies, aside, sum(lengths) - bodies - aside)
    for index, data in tables.items():
        struct.pack_into("<II", stream, 154 + 8 * index, len(table), len(data))
        table += data
    return compound({"WordDocument": bytes(stream), "1Table": bytes(table), "\x05SummaryInformation": told})


def _properties(one: Para) -> bytes:
    told = struct.pack("<H", one.style) + one.modifiers
    return bytes((len(told) // 2 + 1,)) + told if len(told) % 2 else b"\0" + bytes((len(told) // 2,)) + told


def _page(stream: bytearray, runs: Sequence[tuple[int, int, bytes]], entry: int) -> bytes:
    """Write a page of formatting into the stream; the table that names it."""
    stream.extend(b"\0" * (-len(stream) % 512))
    page = bytearray(512)
    bounds = [runs[0][0], *(end for _, end, _ in runs)]
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    at = 510
    for n, (_, _, data) in enumerate(runs):
        at = (at - len(data)) // 2 * 2
        page[at : at + len(data)] = data
        page[4 * len(bounds) + entry * n] = at // 2
    page[511] = len(runs)
    table = struct.pack("<III", bounds[0], bounds[-1], len(stream) // 512)
    stream += page
    return table


def _styles() -> bytes:
    """Normal, the built-in first heading, and a style of its own that is based on it."""
    made = [(0, 0xFFF), (1, 0), (0xFFE, 1)]
    sheet = struct.pack("<HHH", 18, len(made), 10) + bytes(14)
    for number, base in made:
        style = struct.pack("<HHHHHHH", number, base << 4 | 1, 0, 0, 0, 1, ord("s")) + bytes(2)
        sheet += struct.pack("<H", len(style)) + style
    return sheet


# Excel


def xls(sheets: dict[str, Sequence[Sequence[str | float | bool]]], locked: bool = False) -> bytes:
    """A workbook of these rows by sheet; `~` before a name hides it, a number from 40000 on is a date."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def wide(text: str, size: str) -> bytes:
        return struct.pack(size, len(text)) + b"\1" + text.encode("utf-16-le")

    parts = []
    for rows in sheets.values():
        cells = record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                if isinstance(value, str):
                    cells += record(0x204, struct.pack("<HHH", r, c, 0) + wide(value, "<H"))
                elif isinstance(value, bool):
                    cells += record(0x205, struct.pack("<HHHBB", r, c, 0, value, 0))
                else:
                    style = 1 if value >= 40000 else 2 if 0 < value < 1 else 0
                    cells += record(0x203, struct.pack("<HHHd", r, c, style, value))
        parts.append(cells + record(0x0A, b""))
    head = record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0))
    head += record(0x2F, struct.pack("<HHH", 1, 1, 1) + bytes(48)) if locked else b""
    head += record(0x31, struct.pack("<HHHHHBBBB", 200, 0, 0x7FFF, 400, 0, 0, 0, 0, 0) + b"\1\0a")
    for code in (0, 14, 9):
        head += record(0xE0, struct.pack("<HHH", 0, code, 0) + bytes(14))
    names = [record(0x85, struct.pack("<IBB", 0, n[0] == "~", 0) + wide(n.lstrip("~"), "<B")) for n in sheets]
    at = len(head) + sum(map(len, names)) + 4
    for name, part in zip(names, parts, strict=True):
        head += name[:4] + struct.pack("<I", at) + name[8:]
        at += len(part)
    return compound({"Workbook": head + record(0x0A, b"") + b"".join(parts)})


# PowerPoint


def record(kind: int, *inside: bytes, instance: int = 0, container: bool = True) -> bytes:
    """One record of a presentation."""
    data = b"".join(inside)
    return struct.pack("<HHI", instance << 4 | (15 if container else 0), kind, len(data)) + data


def atom(kind: int, data: bytes, instance: int = 0) -> bytes:
    """A record that holds no records."""
    return record(kind, data, instance=instance, container=False)


def words(kind: int, text: str, narrow: bool = False) -> bytes:
    """A text with its kind, as outlines and shapes hold it."""
    raw = atom(0x0FA8, text.encode("latin-1")) if narrow else atom(0x0FA0, text.encode("utf-16-le"))
    return atom(0x0F9F, struct.pack("<I", kind)) + raw


def page(kind: int, *boxes: bytes, notes: int = 0) -> bytes:
    """A slide (0x3EE) or notes page (0x3F0) of these text boxes."""
    head = atom(0x03EF, bytes(16) + struct.pack("<I", notes) + bytes(4)) if kind == 0x03EE else b""
    shapes = [record(0xF004, record(0xF00D, box)) for box in boxes]
    return record(kind, head, record(0x040C, record(0xF002, record(0xF003, *shapes))))


def ppt(
    slides: Sequence[tuple[bytes, bytes]],
    notes: Sequence[bytes] = (),
    beside: Sequence[bytes] = (),
    earlier: Sequence[bytes] = (),
    locked: bool = False,
) -> bytes:
    """A presentation of (slide, its texts in the outline); `beside` stands in the document, `earlier` are old."""

    def listed(first: int, ids: int, texts: Sequence[bytes]) -> list[bytes]:
        return [atom(0x03F3, struct.pack("<IIiII", first + n, 0, 0, ids + n, 0)) + text for n, text in enumerate(texts)]

    count = len(slides)
    document = record(
        0x03E8,
        record(0x0FF0, *listed(2, 256, [outline for _, outline in slides])),
        record(0x0FF0, *listed(2 + count, 512, [b""] * len(notes)), instance=2),
        *beside,
    )
    objects = [document, *(slide for slide, _ in slides), *notes]
    # Objects lie in the file in another order than the list's, after what an earlier save left.
    stream, places = b"".join(earlier), [0] * len(objects)
    for n in reversed(range(len(objects))):
        places[n] = len(stream)
        stream += objects[n]
    directory = len(stream)
    stream += atom(0x1772, struct.pack(f"<I{len(objects)}I", len(objects) << 20 | 1, *places))
    edit = len(stream)
    stream += atom(0x0FF5, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, len(objects) + 1, 0))
    token = 0xF3D1C4DF if locked else 0xE391C05F
    return compound({"PowerPoint Document": stream, "Current User": atom(0x0FF6, struct.pack("<III", 20, token, edit))})
