"""Real files of many formats, some of them hostile: each has an outcome, and its text is what it should be."""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from inro.errors import Unreadable
from inro.readers.registry import READERS, read, reader_for, suffix_of
from inro.records import Reading

SHARED = Path(os.environ.get("INRO_SHARED") or Path(__file__).parents[4] / "shared")
FILES = SHARED / "files"
ELSEWHERE = frozenset((".pdf",))
"""Suffixes whose readers have tests of their own."""

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FILES.is_dir(), reason=f"no measuring data at {SHARED}: set INRO_SHARED"),
]

REFUSED = {
    "docx/testWORD_truncated.docx": "damaged",
    "odt/testODTnotaZipFile.odt": "damaged",
    "odt/testODTEncrypted.odt": "password",
    "pptx/testPPT_protected_passtika.pptx": "password",
    "xlsx/testEXCEL_protected_passtika.xlsx": "password",
    "hwp/testHWP_3.0.hwp": "version 3",
}
"""What cannot be read, with a word of the reason."""

PHRASES = {
    "docx/testWORD_phonetic.docx": ["東京"],
    "docx/testWORD_numbered_list.docx": ["1) This", "    iii) List", "II. bar", "I’m a little text box"],
    "docx/testWORD_text_box.docx": ["text box in the body", "text box in the header", "text box in the footer"],
    "docx/testWORD_various.docx": [
        "ゾルゲと尾崎、淡々と最期",
        "This is a footnote.",
        "Row 2 Col 2 | Row 2 Col 3",
        "header text",
    ],
    "docx/testAltChunkHTML.docx": ["Col 1 | Col 2", "emphasized word"],
    "docx/testWORD_charts.docx": ["January, February, March"],
    "pptx/testPPT_various.pptx": ["ゾルゲと尾崎、淡々と最期", "Row 1 Col 2"],
    "pptx/testPPT_comment.pptx": ["add some content to this tps deck"],
    "xlsx/test-columnar.xlsx": ["Record Number: 3 | Square of the Record Number: 9", "date: 1960-01-01"],
    "ods/test-columnar.ods": ["Record Number: 3 | Square of the Record Number: 9"],
    "csv/test-columnar.csv": ["Record Number: 3 | Square of the Record Number: 9"],
    "xlsx/testEXCEL_big_numbers.xlsx": ["123456789012345 | 123456789012346"],
    "xlsx/testComment.xlsx": ["Here is a comment"],
    "odt/testODFwithOOo3.odt": ["difficult test document", "This is of course a simple footnote", "- Second item"],
    "odp/LibreOfficeImpress_odp_1.3.odp": ["An example Impress file"],
    "rtf/testRTFJapanese.rtf": ["「何等取乱シタル態度無ク」と記されていた", "４７年８月５日の日付がある。"],
    "rtf/testRTFWindowsCodepage1250.rtf": ["ZAŻÓŁĆ GĘŚLĄ JAŹŃ"],
    "msg/testMSG_chinese.msg": ["張毓倫", "高票當選雲林縣總工會"],
    "msg/testMSG_att_msg.msg": ["Test Attachment"],
    "eml/testRFC822_multipart_attachments.eml": ["This is Test TXTA File for parser"],
    "mbox/complex.mbox": ["No you cannot raise this event yourself"],
    "epub/wasteland.epub": ["April is the cruellest month", "Σίβυλλα τί θέλεις"],
    "epub/regime-anticancer-arabic.epub": ["السرطان"],
    "hwp/testHWP_5.0.hwp": ["테스트"],
    "vault/lab-protocols-faircloth-rst.tar.gz": [".rst"],
    "html/testBoilerplateMissingSpace.html": ["blobfish"],
}


def outcome(name: str) -> Reading | Unreadable:
    try:
        return read((FILES / name).read_bytes(), name)
    except Unreadable as e:
        return e


def named() -> list[str]:
    if not FILES.is_dir():
        return []
    lines = (FILES / "manifest.tsv").read_text("utf-8").splitlines()[1:]
    return [name for line in lines if suffix_of(name := line.split("\t")[0]) not in ELSEWHERE]


@pytest.mark.parametrize("name", named())
def test_every_file_has_an_outcome(name: str) -> None:
    result = outcome(name)
    if name in REFUSED:
        assert isinstance(result, Unreadable) and REFUSED[name] in result.message and result.mend
        return
    assert isinstance(result, Reading)
    assert reader_for(suffix_of(name), b"") is not None and result.reader in {r.id for r in READERS}
    assert result.text.strip() and result.blocks
    assert result.outcome in ("ok", "partial")
    for before, after in zip(result.blocks, result.blocks[1:], strict=False):
        assert before.end <= after.start
    missing = [p for p in PHRASES.get(name, []) if p.lower() not in result.text.lower()]
    assert not missing, result.text[:2000]


def test_the_phonetic_guide_of_a_word_is_not_in_it() -> None:
    result = outcome("docx/testWORD_phonetic.docx")
    assert isinstance(result, Reading) and "とう" not in result.text


@pytest.mark.parametrize("gold", [n for n in named() if n.endswith(".gold.utf8.txt")])
def test_every_encoding_gives_its_gold_text(gold: str) -> None:
    result = outcome(gold.removesuffix(".gold.utf8.txt"))
    assert isinstance(result, Reading)
    assert result.text == (FILES / gold).read_text("utf-8").replace("\r\n", "\n").removeprefix("\ufeff")


def test_the_novel_is_read_without_its_readings() -> None:
    result = outcome("epub/kusamakura-japanese-vertical-writing.epub")
    assert isinstance(result, Reading)
    gold = (FILES / "epub/kusamakura.gold-without-ruby.txt").read_text("utf-8")
    mine = [line for raw in result.text.split("\n") if (line := "".join(raw.split()))]
    wanted = [line for raw in gold.split("\n") if (line := "".join(raw.split()))]
    same = in_chapters = 0
    for kind, a, b, c, d in SequenceMatcher(None, mine, wanted, autojunk=False).get_opcodes():
        ours, theirs = "".join(mine[a:b]), "".join(wanted[c:d])
        if kind == "delete" and d == len(wanted):
            # What follows the last chapter is the book's colophon, which the gold text leaves out.
            break
        in_chapters += len(ours)
        pieces = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks() if kind == "replace" else ()
        same += len(ours) if kind == "equal" else sum(piece.size for piece in pieces)
    assert same / sum(map(len, wanted)) >= 0.995
    assert same / in_chapters >= 0.995
