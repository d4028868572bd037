"""Small office files for the readers' tests, made from their parts."""

from __future__ import annotations

import io
import zipfile

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("presentation", "presentation"),
        ("meta", "meta"),
    )
)


def zipped(parts: dict[str, str | bytes]) -> bytes:
    """A zip file of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


def relations(*entries: tuple[str, str, str]) -> str:
    """A relationships part of (id, kind, target); a target with `://` is external."""
    lines = "".join(
        f'<Relationship Id="{i}" Type="{_R}/{kind}" Target="{target}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if '://' in target else ''}/>"
        for i, kind, target in entries
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'
    )


def core(title: str = "", author: str = "") -> str:
    """The core properties part."""
    return (
        '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator></cp:coreProperties>"
    )


def docx(body: str, parts: dict[str, str | bytes] | None = None, *links: tuple[str, str, str]) -> bytes:
    """A Word document of this body; `links` are the main part's relationships."""
    return zipped(
        {
            "_rels/.rels": relations(("r0", "officeDocument", "word/document.xml")),
            "word/document.xml": f'<w:document xmlns:w="{_W}" xmlns:r="{_R}"><w:body>{body}</w:body></w:document>',
            "word/_rels/document.xml.rels": relations(*links),
            **(parts or {}),
        }
    )


def word_part(root: str, content: str) -> str:
    """Another part of a Word document."""
    return f'<w:{root} xmlns:w="{_W}">{content}</w:{root}>'


def paragraph(text: str, properties: str = "") -> str:
    """A Word paragraph."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def slide(shapes: str) -> str:
    """A slide of these shapes."""
    return f'<p:sld xmlns:p="{_P}" xmlns:a="{_A}"><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>'


def shape(*lines: str, holder: str = "") -> str:
    """A text shape; `holder` is the placeholder it fills."""
    place = f'<p:nvPr><p:ph type="{holder}"/></p:nvPr>' if holder else ""
    text = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    return f"<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"


def pptx(slides: list[str], parts: dict[str, str | bytes] | None = None) -> bytes:
    """A presentation of these slides, stored in reverse so that only the list gives their order."""
    count = len(slides)
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="s{n}"/>' for n in range(count))
    return zipped(
        {
            "_rels/.rels": relations(("r0", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{_P}" xmlns:r="{_R}"><p:sldIdLst>{ids}</p:sldIdLst>'
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"s{n}", "slide", f"slides/slide{count - n}.xml") for n in range(count))
            ),
            **{f"ppt/slides/slide{count - n}.xml": content for n, content in enumerate(slides)},
            **(parts or {}),
        }
    )


def xlsx(
    sheets: dict[str, str], shared: str = "", styles: str = "", parts: dict[str, str | bytes] | None = None
) -> bytes:
    """A workbook: rows of each sheet by its name; a name that begins with `~` is hidden."""
    listed = "".join(
        f'<sheet name="{name.lstrip("~")}" state="{"hidden" if name[0] == "~" else "visible"}" r:id="s{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    return zipped(
        {
            "_rels/.rels": relations(("r0", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(
                *((f"s{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)),
                ("x1", "sharedStrings", "sharedStrings.xml"),
                ("x2", "styles", "styles.xml"),
            ),
            "xl/sharedStrings.xml": f'<sst xmlns="{_S}">{shared}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{_S}">{styles}</styleSheet>',
            **{
                f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{_S}"><sheetData>{rows}</sheetData></worksheet>'
                for n, rows in enumerate(sheets.values(), 1)
            },
            **(parts or {}),
        }
    )


def odf(kind: str, body: str, meta: str = "", parts: dict[str, str | bytes] | None = None) -> bytes:
    """An OpenDocument file whose body is of this kind: `text`, `spreadsheet` or `presentation`."""
    return zipped(
        {
            "content.xml": f"<office:document-content {_ODF}><office:body><office:{kind}>{body}</office:{kind}>"
            "</office:body></office:document-content>",
            "meta.xml": f'<office:document-meta {_ODF} xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<office:meta>{meta}</office:meta></office:document-meta>",
            **(parts or {}),
        }
    )


def epub(chapters: dict[str, str], manifest: str = "", spine: str = "", parts: dict[str, str] | None = None) -> bytes:
    """A book of these chapters by file name."""
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="c"><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles>'
            "</container>",
            "OPS/p.opf": '<package xmlns="o" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
            "<dc:title>草枕</dc:title><dc:creator>夏目漱石</dc:creator></metadata>"
            f"<manifest>{items}{manifest}</manifest><spine>{order}{spine}</spine></package>",
            **{f"OPS/{name}": content for name, content in chapters.items()},
            **(parts or {}),
        }
    )
