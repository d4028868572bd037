"""Weighing the legacy encodings against each other by the text that each of them would give.

Bytes do not say which of Shift_JIS, EUC-JP, GB18030, Big5 and CP949 they are in; most texts decode in
several of them. What tells is the text: Japanese has kana, Chinese and Korean have a few characters that
make up much of any page, and in each national set the rare half of the ideographs is rare indeed. So each
candidate is decoded strictly and its characters are weighed. The single-byte encodings are weighed by
`alphabets`; charset-normalizer is asked last, about what neither believes in.
"""

from __future__ import annotations

from collections.abc import Callable

from inro.readers.alphabets import ALPHABETS, guess_alphabet

_SAMPLE = 65536
_LEAST = 0.35
"""Mean weight of a non-ASCII character below which a decoding is not believed; real text reaches .6."""

_ALONE = 0.3
_PAIRED = 0.12
"""What it counts that every byte found its partner, which chance rarely brings about."""

_BIAS = {"cp932": 0.08, "euc_jp": 0.08, "gb18030": 0.02}
"""Settles what a few ideographs cannot: the encodings more likely to be met."""

_HANS = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    "日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政"
    "美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员"
    "解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件"
    "计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象"
)
_HANT = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡"
    "用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    "日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政"
    "美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員"
    "解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件"
)
_KANJI = frozenset(
    "日一国十大会人年二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新"
    "場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作"
    "性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権"
    "心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信"
    "策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢"
    "減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送"
)
_HANGUL = frozenset(
    "이다는을가에의고하지은기로도사한리자어나인를해서시아대일수정들그라있으스보여부장주게전상만원과제안구유"
    "연소성우비생선와했조면무관요경오마세동신학거공진물러었것국위미적할내적방계화용습니까했던때데없같말중두운간"
    "결실르교년심건당분되며드개발영양려모후통식행호바명집문치저속예트음입였올체회남름차단더히현본금"
)
_CJK_PUNCTUATION = frozenset("、。「」『』（）・，．：；？！《》〈〉“”‘’…—～　【】")

_JAPANESE_SIGNS = frozenset("→←↑↓○●◎△▲▽▼□■◇◆☆★※〒℃％＆＋－＝×÷±∞°′″々〆〇ヶ①②③㈱㎡㎝㎏髙﨑")


def guess_legacy(data: bytes, prefer: str | None = None) -> tuple[str, str, float] | None:
    """(text, Python's encoding name, confidence) of the most likely legacy encoding, or None if none fits.

    `prefer` is the encoding the file declares, even though it did not decode strictly.
    """
    sample = data[:_SAMPLE]
    ranked: list[tuple[float, str]] = []
    for encoding, weigh in _MULTI_BYTE.items():
        text = _strictly(sample, encoding, whole=len(data) <= _SAMPLE)
        if text is None:
            continue
        score = _mean(text, weigh)
        ranked.append((score + (0.1 if encoding == prefer else 0.0) + _BIAS.get(encoding, 0.0), encoding))
    ranked.sort(key=lambda item: -item[0])
    alphabet, encoding = guess_alphabet(sample)
    believed = max(_LEAST, alphabet - _PAIRED)
    if ranked and ranked[0][0] >= believed:
        for score, candidate in ranked:
            if score < believed:
                break
            whole = _decoded(data, candidate)
            if whole is not None:
                rival = next((r for r, other in ranked if _family(other) != _family(candidate)), 0.0)
                return whole, candidate, round(min(0.99, 0.6 + max(score - max(rival, alphabet), 0.0)), 2)
    if alphabet >= _LEAST:
        whole = _decoded(data, encoding)
        if whole is not None:
            return whole, encoding, round(min(0.9, 0.2 + 0.6 * alphabet), 2)
    return _single_byte(data)


def _strictly(sample: bytes, encoding: str, whole: bool) -> str | None:
    """The sample decoded; a sample that was cut may end inside a character."""
    try:
        return sample.decode(encoding)
    except UnicodeDecodeError as e:
        if whole or e.start < len(sample) - 3:
            return None
        return sample[: e.start].decode(encoding)


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    return text if text.count("\ufffd") * 500 < len(text) else None


def _mean(text: str, weigh: Callable[[str], float]) -> float:
    """Mean weight of the characters beyond ASCII; control characters in the text speak against it.

    A character that stands alone among ASCII counts little: ideographs and kana come in runs, while the
    dashes and quotation marks of Western text swallow the letter after them and look like one.
    """
    wide = 0
    total = 0.0
    last = len(text) - 1
    for i, char in enumerate(text):
        if char <= "\x7f":
            if char < " " and char not in "\t\n\r\x0c\x1a":
                total -= 1.0
            continue
        wide += 1
        weight = weigh(char)
        alone = (i == 0 or text[i - 1] <= "\x7f") and (i == last or text[i + 1] <= "\x7f")
        alone = alone and ("\u3400" <= char < "\uff00" or "\uff61" <= char <= "\uff9f")
        total += min(weight, _ALONE) if alone else weight
    return total / wide if wide else 0.0


def _japanese(char: str) -> float:
    code = ord(char)
    if 0x3041 <= code <= 0x3096:
        return 1.0
    if 0x30A1 <= code <= 0x30FC:
        return 0.8
    if char in _CJK_PUNCTUATION:
        return 0.8
    if char in _KANJI:
        return 0.9
    if 0x4E00 <= code < 0xA000:
        return 0.45 if _in_first_level(char, "shift_jis", 0x88, 0x98) else -0.3
    if 0xFF61 <= code <= 0xFF9F:
        # Half-width kana are what most wrong readings consist of, yet there is text that is nothing else.
        return 0.42
    if 0xFF01 <= code <= 0xFF5E or 0x2460 <= code <= 0x2473 or char in _JAPANESE_SIGNS:
        return 0.4
    if 0xE000 <= code < 0xF900:
        return -3.0
    return -0.3


def _simplified(char: str) -> float:
    code = ord(char)
    if char in _HANS:
        return 1.0
    if char in _HANT:
        return 0.7
    if char in _CJK_PUNCTUATION:
        return 0.8
    if 0x4E00 <= code < 0xA000:
        if _in_first_level(char, "gb2312", 0xB0, 0xD8):
            return 0.5
        return -0.2 if _encodable(char, "gb2312") else -0.8
    if 0x3041 <= code <= 0x30FE:
        return 0.3
    if 0xE000 <= code < 0xF900 or 0x80 <= code < 0xA0:
        return -3.0
    return 0.4 if 0xFF01 <= code <= 0xFF5E else -0.3


def _traditional(char: str) -> float:
    code = ord(char)
    if char in _HANT:
        return 1.0
    if char in _CJK_PUNCTUATION:
        return 0.8
    if 0x4E00 <= code < 0xA000:
        if _in_first_level(char, "big5", 0xA4, 0xC7):
            return 0.5
        return -0.3 if _encodable(char, "big5") else -1.0
    if 0xE000 <= code < 0xF900:
        return -3.0
    return 0.4 if 0xFF01 <= code <= 0xFF5E else -0.3


def _korean(char: str) -> float:
    code = ord(char)
    if char in _HANGUL:
        return 1.0
    if 0xAC00 <= code < 0xD7A4:
        return 0.5 if _encodable(char, "euc_kr") else -0.8
    if 0x4E00 <= code < 0xA000 or 0xF900 <= code < 0xFB00:
        return -0.4
    if 0x3041 <= code <= 0x30FE:
        return -0.4
    if char in _CJK_PUNCTUATION:
        return 0.4
    return -3.0 if 0xE000 <= code < 0xF900 else -0.2


_MULTI_BYTE: dict[str, Callable[[str], float]] = {
    "cp932": _japanese,
    "euc_jp": _japanese,
    "euc_jis_2004": lambda char: _japanese(char) - 0.01,
    "gb18030": _simplified,
    "big5hkscs": _traditional,
    "cp950": lambda char: _traditional(char) - 0.01,
    "cp949": _korean,
    "johab": lambda char: _korean(char) - 0.02,
}


def _family(encoding: str) -> str:
    """Encodings that give the same text for almost all bytes."""
    return {"euc_jis_2004": "euc_jp", "cp950": "big5hkscs"}.get(encoding, encoding)


def _in_first_level(char: str, encoding: str, low: int, high: int) -> bool:
    """Whether the lead byte of the character in its national set lies in the set's common half."""
    try:
        return low <= char.encode(encoding)[0] < high
    except UnicodeEncodeError:
        return False


def _encodable(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _single_byte(data: bytes) -> tuple[str, str, float] | None:
    """charset-normalizer's best guess, if it is free of chaos."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE], cp_isolation=list(ALPHABETS)).best()
    if best is None or best.chaos > 0.2:
        return None
    text = data.decode(best.encoding, "replace")
    if text.count("\ufffd") * 500 > len(text):
        return None
    return text, best.encoding, round(0.7 * (1.0 - best.chaos), 2)
