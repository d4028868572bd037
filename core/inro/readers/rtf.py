"""Rich Text Format: the text with its paragraphs, tables, headings and links.

Bytes written as `\\'hh` are in the encoding of the font at that place, not of the file: Japanese mail from
Outlook changes it in the middle of a sentence. HTML that was wrapped in RTF comes out as its text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from inro.errors import Unreadable
from inro.readers.charsets import python_codec
from inro.readers.draft import Draft
from inro.readers.reader import Reader, stem_of
from inro.records import BlockKind, Reading

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)"
)
_DEEPEST = 500
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 78: "cp932", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257",
    204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_SKIPPED = frozenset(
    b"""colortbl fontemb fontfile listtable listoverridetable revtbl rsidtbl generator themedata colorschememapping
    latentstyles datastore pict objdata objclass nonshppict shpinst filetbl xmlnstbl mmathPr bkmkstart bkmkend
    panose falt listpicture pgptbl pntext listtext pntxta pntxtb htmltag mhtmltag blipuid template hlinkbase
    userprops printim buptim creatim revtim ftnsep ftnsepc aftnsep aftnsepc""".decode().split()
)
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords", "operator": "editor"}
_SIGNS = {
    "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "bullet": "•", "tab": "\t", "line": "\n", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_DOUBLE = frozenset(("cp932", "cp949", "johab", "gb18030", "cp950"))
_HYPERLINK = re.compile(r'HYPERLINK\s+(?:\\l\s+)?"?([^"\s]+)')


@dataclass(slots=True)
class _State:
    """What a group inherits."""

    to: str = "body"
    """Where text goes: `body`, `skip`, or the name of a destination that is gathered."""
    font: int = -1
    skip_after: int = 1
    hidden: bool = False
    star: bool = False


@dataclass(slots=True)
class _Out:
    codec: str
    draft: Draft = field(default_factory=Draft)
    fonts: dict[int, str] = field(default_factory=dict)
    styles: dict[int, str] = field(default_factory=dict)
    gathered: dict[str, list[str]] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    in_table: bool = False
    level: int = 0
    style: int = 0

    def paragraph(self) -> None:
        """End a paragraph: inside a cell a space, else a block."""
        text = "".join(self.text)
        if self.in_table:
            self.text.append(" ")
            return
        self.table()
        self.text = []
        level = self.level or _style_level(self.styles.get(self.style, ""))
        span = self.draft.heading(level, text) if level and text.strip() else self.draft.add("paragraph", text)
        for target in self.targets:
            self.draft.link("url", target, span)
        self.targets = []

    def cell(self) -> None:
        """End a table cell."""
        self.cells.append(" ".join("".join(self.text).split()))
        self.text = []

    def row(self) -> None:
        """End a table row."""
        line = " | ".join(self.cells).strip(" |")
        self.cells = []
        if line:
            self.rows.append(line)

    def table(self) -> None:
        """Write the table that is open."""
        if self.rows:
            kind: BlockKind = "table"
            self.draft.add(kind, "\n".join(self.rows))
            self.rows = []


def read(data: bytes, name: str, encoding: str | None = None) -> Reading:
    """Read an RTF document. Raises `Unreadable` if it is none, or nested beyond sense."""
    if not data.lstrip()[:6].startswith(b"{\\rt"):
        raise Unreadable(f"not RTF, though its suffix says so: {name}", "give it the suffix of its format")
    out = _parse(data, name)
    draft = out.draft
    for key, target in _INFO.items():
        draft.declare(target, "".join(out.gathered.get(key, [])))
    title = draft.declared("title")
    return draft.reading(READER.id, title or draft.first_heading() or stem_of(name), encoding=out.codec)


def _parse(data: bytes, name: str) -> _Out:
    out = _Out("cp1252")
    state = _State()
    stack: list[_State] = []
    pending = bytearray()
    pending_codec = ""
    high = 0
    skip = 0
    at = 0
    size = len(data)

    def put(text: str) -> None:
        if state.to == "body":
            if not state.hidden:
                out.text.append(text)
        elif state.to != "skip":
            out.gathered.setdefault(state.to, []).append(text)

    def settle() -> None:
        if pending:
            put(bytes(pending).decode(pending_codec, "replace"))
            pending.clear()

    while at < size:
        match = _TOKEN.match(data, at)
        if match is None:
            at += 1
            continue
        at = match.end()
        word, number, pair, sign, brace, plain = match.groups()
        if pair is not None:
            if skip:
                skip -= 1
                continue
            codec = out.fonts.get(state.font, out.codec)
            if codec != pending_codec:
                settle()
                pending_codec = codec
            pending.append(int(pair, 16))
            continue
        if plain is not None and pending and _half(pending, pending_codec):
            # The second byte of a character may be written as it is.
            pending.append(plain[0])
            plain = plain[1:]
        if sign is not None and sign in b"\\{}" and pending and _half(pending, pending_codec):
            pending.extend(sign)
            continue
        settle()
        if brace == b"{":
            stack.append(replace(state, star=False))
            if len(stack) > _DEEPEST:
                raise Unreadable(f"RTF nested too deeply: {name}", "save it again with another program")
            skip = 0
        elif brace == b"}":
            closed, state = state, stack.pop() if stack else _State()
            _closed(closed, state, out)
            skip = 0
        elif plain is not None:
            if skip:
                cut = min(skip, len(plain))
                skip -= cut
                plain = plain[cut:]
            put(plain.decode(out.codec if not plain.isascii() else "ascii", "replace"))
        elif sign is not None:
            if skip and sign not in (b"*",):
                skip -= 1
                continue
            if sign == b"*":
                state.star = True
            elif sign in b"\\{}":
                put(sign.decode())
            elif sign == b"~":
                put("\u00a0")
            elif sign == b"_":
                put("-")
            elif sign in b"\r\n" and state.to == "body":
                out.paragraph()
        elif word is not None:
            key = word.decode()
            value = int(number) if number is not None else None
            if key == "bin":
                at += max(value or 0, 0)
            elif key == "u" and value is not None:
                unit = value & 0xFFFF
                skip = state.skip_after
                if 0xD800 <= unit < 0xDC00:
                    high = unit
                elif 0xDC00 <= unit < 0xE000:
                    if high:
                        put(chr(0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00)))
                    high = 0
                else:
                    put(chr(unit))
            else:
                _word(key, value, state, out, put)
    settle()
    out.in_table = False
    out.paragraph()
    out.table()
    return out


def _word(key: str, value: int | None, state: _State, out: _Out, put: object) -> None:
    """One control word."""
    if state.to == "skip":
        return
    if key in _SKIPPED or key in _INFO or key in ("fonttbl", "stylesheet", "fldinst", "header", "footer"):
        state.to = "skip" if key in _SKIPPED else key
        if key in _INFO or key == "fldinst":
            out.gathered[key] = []
    elif state.star and key not in ("shptxt", "shprslt", "ud", "cs", "footnote"):
        state.to = "skip"
    elif key == "ansicpg" and value:
        out.codec = _page(value)
    elif key in ("mac", "pc", "pca"):
        out.codec = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}[key]
    elif key in ("f", "deff", "af") and value is not None:
        if key == "f":
            state.font = value
    elif key in ("fcharset", "cpg") and value is not None and state.to == "fonttbl":
        codec = _CHARSETS.get(value) if key == "fcharset" else _page(value)
        if codec and not (key == "fcharset" and value in (0, 1)):
            out.fonts[state.font] = codec
    elif key == "uc" and value is not None:
        state.skip_after = min(max(value, 0), 16)
    elif key == "v" or key == "htmlrtf":
        state.hidden = value != 0
    elif key == "plain":
        state.hidden = False
    elif key == "s" and value is not None:
        out.style = value
        if state.to == "stylesheet":
            out.gathered["stylesheet"] = []
    elif state.to == "body":
        _body_word(key, value, state, out)
    elif key in _SIGNS and callable(put):
        put(_SIGNS[key])


def _body_word(key: str, value: int | None, state: _State, out: _Out) -> None:
    if key in ("par", "sect", "page"):
        out.paragraph()
    elif key == "pard":
        out.level, out.style, out.in_table = 0, 0, False
    elif key == "intbl":
        out.in_table = True
    elif key in ("cell", "nestcell"):
        out.cell()
    elif key in ("row", "nestrow"):
        out.row()
    elif key == "outlinelevel" and value is not None:
        out.level = value + 1 if 0 <= value < 9 else 0
    elif key == "footnote":
        out.text.append(" [")
        state.to = "footnote"
        out.gathered["footnote"] = []
    elif key in _SIGNS and not state.hidden:
        out.text.append(_SIGNS[key])


def _closed(closed: _State, now: _State, out: _Out) -> None:
    """What the end of a group settles."""
    if closed.to == "fldinst" and now.to != "fldinst":
        match = _HYPERLINK.search("".join(out.gathered.get("fldinst", [])))
        if match:
            out.targets.append(match[1])
    elif closed.to == "footnote" and now.to != "footnote":
        out.text.append("".join(out.gathered.get("footnote", [])).strip() + "]")
    elif closed.to == "stylesheet" and "stylesheet" in out.gathered:
        out.styles[out.style] = "".join(out.gathered.pop("stylesheet")).strip("; \n").lower()
        out.style = 0
    elif closed.to in ("header", "footer") and now.to == "body":
        out.draft.add("paragraph", "".join(out.gathered.pop(closed.to, [])))


def _style_level(name: str) -> int:
    match = re.match(r"(?:heading|見出し)\s*([1-9])", name)
    return int(match[1]) if match else 0


def _half(pending: bytearray, codec: str) -> bool:
    """Whether the bytes end in the first half of a character."""
    if codec not in _DOUBLE:
        return False
    try:
        bytes(pending).decode(codec)
    except UnicodeDecodeError as e:
        return e.start == len(pending) - 1
    return False


def _page(number: int) -> str:
    named = {936: "gb18030", 950: "cp950", 10000: "mac_roman", 65001: "utf-8"}.get(number, f"cp{number}")
    return python_codec(named) or "cp1252"


READER = Reader("rtf", 1, frozenset({".rtf"}), read, isolated=True)
