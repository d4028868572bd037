"""Which encoding a file is in, and when to refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.readers.charsets import declared_charset, python_codec
from inro.readers.decode import decode
from inro.readers.mojibake import wrongly_decoded

JAPANESE = (
    "乾燥庫の温度を毎朝記録する。湿度が四割を超えたときは、シリカゲルを交換してください。\n次の点検は金曜日です。\n"
)
CHINESE = "实验样品保存在干燥箱里，我们每天早上记录温度和湿度。如果湿度超过百分之四十，就要更换干燥剂。\n"
TRADITIONAL = "實驗樣品保存在乾燥箱裡，我們每天早上記錄溫度和濕度。如果濕度超過百分之四十，就要更換乾燥劑。\n"
KOREAN = "시료는 건조고에 보관하고 매일 아침 온도와 습도를 기록합니다. 습도가 높으면 건조제를 바꾸어 주십시오.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-8"),
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
        (KOREAN, "cp949"),
        (KOREAN, "iso2022_kr"),
        (KOREAN, "johab"),
        ("Bugün hava çok güzel, değil mi? Bir çocuk ağaçtan düştü, şapkası kayboldu.\n", "cp1254"),
        ("①試料Ａを５０℃で乾燥。㈱髙田製作所から届いた。\n", "cp932"),
        ("ｼﾘｶｹﾞﾙ ｦ ｺｳｶﾝ ｼﾀ\n", "cp932"),
        ("Heat to 500 °C for 2 h, ±5 µm – “fine”, he said; that’s all.\n", "cp1252"),
        ("Größe und Übermut: die Äpfel fallen nicht weit vom Stamm.\n", "cp1252"),
        ("Les élèves étaient très âgés, où le garçon mangeait à Noël.\n", "cp1252"),
        ("Zażółć gęślą jaźń. Książka leży na stole, a żółw śpi pod łóżkiem.\n", "cp1250"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю.\n", "cp1251"),
        ("Съешь же ещё этих мягких французских булок, да выпей чаю.\n", "koi8_r"),
        ("Η γρήγορη αλεπού πηδάει πάνω από το τεμπέλικο σκυλί.\n", "cp1253"),
        ("שלום עולם, מה שלומך היום? אני גר בירושלים ולומד באוניברסיטה.\n", "cp1255"),
        ("สวัสดีครับ วันนี้อากาศดีมาก เราไปเที่ยวทะเลกันเถอะ\n", "cp874"),
    ],
)
def test_text_in_a_legacy_encoding_is_read_as_it_was_written(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding), "note.txt")
    assert decoded.text == text
    assert decoded.outcome == "ok"
    assert 0.5 < decoded.confidence <= 1.0


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("marked", [True, False])
def test_wide_text_is_read_with_and_without_a_byte_order_mark(encoding: str, marked: bool) -> None:
    for text in (JAPANESE * 3, "Plain English, line by line.\n" * 3):
        data = ("\ufeff" if marked else "").encode(encoding) + text.encode(encoding)
        decoded = decode(data, "note.txt")
        assert (decoded.text, decoded.encoding) == (text, encoding)


def test_iso_2022_jp_with_vendor_characters_and_half_width_kana_is_read() -> None:
    data = b"\x1b$B-!;nNA\x1b(B No.1 \x1b(I1\x1b(B\n"
    assert decode(data, "mail.txt").text == "①試料 No.1 ｱ\n"


def test_line_ends_become_line_feeds_and_nul_and_marks_go() -> None:
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n\x00d", "x.txt").text == "a\nb\nc\nd"


def test_text_is_not_normalised_otherwise() -> None:
    text = "か\u3099 ﾊﾞ \u00a0  \t"
    assert decode(text.encode(), "x.txt").text == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00\ufeff\x1b~\ufffd"), max_size=80))
def test_utf_8_is_always_read_as_utf_8(text: str) -> None:
    try:
        decoded = decode(text.encode(), "x.txt")
    except Unreadable as e:
        # Only what no text holds: a control character in every second place, or proven mojibake.
        assert "binary" in e.message or "mojibake" in e.message
    else:
        assert decoded.text == text


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_one_reason(data: bytes) -> None:
    try:
        decoded = decode(data, "x.txt")
    except Unreadable as e:
        assert e.message and e.mend
    else:
        assert "\r" not in decoded.text and "\x00" not in decoded.text


def test_an_override_goes_before_every_guess() -> None:
    assert decode(JAPANESE.encode("euc_jp"), "x.txt", override="EUC-JP").text == JAPANESE
    with pytest.raises(Unreadable, match="not cp932"):
        decode(CHINESE.encode("utf-8"), "x.txt", override="Shift_JIS")
    with pytest.raises(Unreadable, match="no such encoding"):
        decode(b"x", "x.txt", override="klingon")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(64),
        b"\x7fELF" + bytes(64),
        bytes(range(256)) * 4,
        b"abc\x00\x00\x00\x00def" * 9,
    ],
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="binary"):
        decode(data, "x.txt")


def test_utf_8_that_was_cut_or_spoilt_in_one_place_is_partial() -> None:
    cut = decode(JAPANESE.encode()[:-3], "x.txt")
    assert cut.outcome == "partial" and cut.encoding == "utf-8" and cut.text.startswith(JAPANESE[:20])
    spoilt = decode((JAPANESE * 2).encode()[:30] + b"\xff" + (JAPANESE * 2).encode()[30:], "x.txt")
    assert spoilt.outcome == "partial" and spoilt.text.count("\ufffd") == 1


@pytest.mark.parametrize(
    ("original", "misread_as"),
    [
        ("Größe, Äpfel, Übermut, schöne Grüße aus Köln", "cp1252"),
        (JAPANESE, "latin_1"),
        (JAPANESE, "cp932"),
        ("さくらの花がとてもきれいだった。" * 3, "cp932"),
    ],
)
def test_text_that_was_misread_before_it_was_saved_is_refused(original: str, misread_as: str) -> None:
    spoilt = original.encode().decode(misread_as, "replace").replace("\ufffd", "・")
    with pytest.raises(Unreadable, match="mojibake"):
        decode((spoilt * 2).encode(), "x.txt")


@pytest.mark.parametrize(
    "text",
    [
        JAPANESE,
        CHINESE,
        TRADITIONAL,
        KOREAN,
        "縺れた糸を繕う。",
        "Größe – Ärger “quoted” naïve café",
        "½ ± µ",
    ],
)
def test_real_text_is_never_called_mojibake(text: str) -> None:
    assert wrongly_decoded(text * 3) == ""


def test_a_declared_charset_is_believed_only_if_the_bytes_agree() -> None:
    page = '<html><head><meta charset="{}"></head><body>{}</body></html>'
    right = page.format("shift_jis", JAPANESE).encode("cp932")
    assert decode(right, "a.html", markup=True).encoding == "cp932"
    wrong = page.format("shift_jis", JAPANESE).encode("utf-8")
    assert JAPANESE in decode(wrong, "a.html", markup=True).text
    lying = page.format("euc-kr", JAPANESE).encode("cp932")
    assert JAPANESE in decode(lying, "a.html", markup=True).text


def test_declarations_are_found_as_browsers_find_them() -> None:
    assert declared_charset(b'<meta http-equiv="Content-Type" content="text/html; charset=x-sjis">') == "cp932"
    assert declared_charset(b'<?xml version="1.0" encoding="EUC-JP"?><html>') == "euc_jp"
    assert declared_charset(b'<!-- <meta charset="big5"> --><meta charset="gb2312">') == "gb18030"
    assert declared_charset(b"<meta charset=utf-16>") == "utf-8"
    assert declared_charset(b"<meta charset=nonsense>") is None
    assert python_codec("rot13") is None
    assert python_codec("zlib") is None


@pytest.mark.shared
def test_every_measured_encoding_matches_its_gold(shared: Path) -> None:
    files = [p for p in sorted((shared / "files" / "encodings").glob("*.txt")) if ".gold." not in p.name]
    assert files
    for path in files:
        gold = path.with_name(path.name + ".gold.utf8.txt").read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        assert decode(path.read_bytes(), path.name).text == gold, path.name
