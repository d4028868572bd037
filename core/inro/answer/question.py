"""What a question asks for, told from its words in English, Japanese and Chinese, and whether a sentence
has it.

Rule: over-eager recognition is fine, since a kind only prefers sentences, it never excludes one. Knows
nothing of the library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inro.answer.aspects import Aspect, wanted
from inro.answer.values import Values, values
from inro.records import Span

Kind: TypeAlias = Literal["when", "quantity", "who", "where", "why", "how", "what"]
Language: TypeAlias = Literal["en", "ja", "zh", "ko"]

_KANA = re.compile(r"[\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HAN = re.compile(r"[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HANGUL = re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_LETTER = re.compile(r"[A-Za-z\u00c0-\u024f]")

_COUNTERS_JA = (
    "人|名|個|本|枚|回|件|台|匹|頭|ページ|項目|点|度|位|階|層|種類?|倍|割|歳|代|つ|章|円|元|ドル|%|％|パーセント|キロ|メートル|"
    "グラム|トン|リットル|ヘクタール|平方|立方|時間|分間?|秒|週間?|日間|か月|ヶ月|カ月|年間|℃|番目?|次|"
    "世帯|校|社|国|か国|ヶ国|都市|字|巻|作|曲|隻|機|門|両|km|m|g|kg"
)

# In order: the first kind whose words are found is the question's.
_KINDS: list[tuple[Kind, re.Pattern[str]]] = [
    ("when", re.compile(
        r"いつ(?:から|まで|ごろ|頃)?|何(?:年(?!間)|月|日(?!間)|時(?!間)|曜日|世紀|年代)(?:何月|何日|ごろ|頃)*|"
        r"何時代|年号|どの(?:年|時代|時期)|"
        r"什么时候|什麼時候|何时(?!间)|哪(?:一)?(?:年|月|天|日|个?世纪|个?时期|个?朝代)|几(?:年(?!间)|月|日|号|点)|"
        r"\b(?:when|(?:what|which|in what|in which)\s+(?:year|date|month|day|time|century|decade|era))\b", re.I)),
    ("quantity", re.compile(
        rf"何(?:{_COUNTERS_JA})|いくつ|いくら|どの(?:くらい|ぐらい|程度)|どれ(?:くらい|ぐらい|だけ|ほど)|幾つ|"
        r"多少|几(?!乎|何|率)(?:个|個|人|次|名|位|岁|层|种|米|公里|支|条|座|家|部|年间|天|所|只|艘|间|场|届|代|张|项|辆|门|期)?|"
        r"多(?:大|长|長|高|远|久|重|深|快|宽)|"
        r"\b(?:how\s+(?:many|much|long|far|high|tall|old|big|large|often|heavy|hot|fast|deep|wide|thick|cold)|"
        r"what\s+(?:percentage|percent|number|amount|price|share|fraction|proportion)|"
        r"at\s+what\s+(?:temperature|pressure|speed|rate))\b", re.I)),
    ("who", re.compile(
        r"誰|だれ|どなた|何者|何という人|谁|哪(?:一)?位|什么人|哪(?:个|些)人|"
        r"\b(?:who|whom|whose)\b", re.I)),
    ("where", re.compile(
        r"どこ|何処|どの(?:国|都市|町|州|県|場所|地域|地方|大陸|部屋)|何(?:県|市|州|町|村|地方|島)|どちらの国|"
        r"哪里|哪裡|哪儿|何处|在哪|什么地方|"
        r"哪(?:个|一|些|座)?(?:国家?|城市|省|市|县|地方|地区|州|岛|大洲|房间)|"
        r"\b(?:where|(?:what|which)\s+"
        r"(?:city|country|place|state|town|province|region|continent|room|location))\b", re.I)),
    ("why", re.compile(
        r"なぜ|何故|なんで|どうして|理由|原因は|为什么|為什麼|为何|原因|"
        r"\b(?:why|what\s+(?:reason|cause)s?)\b", re.I)),
    ("how", re.compile(
        r"どうやって|どのように|どのような(?:方法|手順)|どうすれば|方法は|手順|やり方|"
        r"怎么|怎麼|如何|怎样|\bhow\b", re.I)),
    ("what", re.compile(
        r"何(?:という|て|と|が|を|に|の|で|か|は|から|であ)?|なに|なん(?:です|という)|"
        r"どんな|どのような|どの|どちら|どれ|どう|"
        r"什么|什麼|哪(?:个|些|种|一|家|部|类|项|本|条)?|何种|"
        r"\b(?:what|which)\b", re.I)),
]  # fmt: skip
_POLITE = re.compile(
    r"(?:教えて|おしえて|答えて)(?:ください|下さい|くれ(?:ます|る)?)?|"
    r"(?:でしょう|ですか|ますか|ましたか|だろうか|のか|か)?[?？]|"
    r"\b(?:please|tell me|can you|could you|do you know)\b|请问|告诉我|请|吗|呢",
    re.I,
)

_WHEN_TEXT = re.compile(
    r"\d{3,4}年|\d+世紀|\d+世纪|世紀|世纪|年代|時代|时代|"
    r"\b(?:1\d|20)\d\d(?:s)?\b|\bcentury\b|\d{1,2}:\d\d|\d+時|[朝昼夕]方?"
)
_WHY_TEXT = re.compile(
    r"から|ため|ので|ゆえ|により|によって|原因|理由|結果|因为|因為|由于|由於|所以|导致|"
    r"\b(?:because|since|due to|so that|as a result|therefore|in order to|caused?|reason)\b", re.I,
)  # fmt: skip
_HOW_TEXT = re.compile(
    r"して|まず|次に|手順|方法|によって|により|を用い|を使|で行|通过|使用|采用|首先|然后|利用|以|"
    r"\b(?:by|using|with|first|then|through)\b",
    re.I,
)
_WHERE_TEXT = re.compile(
    r"[都道府県市区町村郡国州島山川湾港駅城寺社省县縣镇鎮村洲岛岸湖海]|地方|大陸|大学|研究所|公園|[室棚庫]|"
    r"\b(?:in|at|on|near|from|inside|between)\s+(?:the\s+)?[A-Z]|\b(?:room|shelf|drawer|building|cabinet)\b"
)
_SURNAMES_JA = (
    "佐藤|鈴木|高橋|田中|伊藤|渡[辺邊部]|山本|中村|小林|加藤|吉田|山田|佐々木|山口|"
    "松本|井上|木村|林|斎藤|清水|山崎|森|池田|橋本|阿部|石川|山下|中島|石井|小川|前田|"
    "岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|斉藤|福田|太田|西村|藤井|金子|岡本|"
    "藤原|中野|三浦|原田|中川|松田|竹内|小野|田村|中山|和田|石田|森田|上田|内田|柴田|"
    "酒井|宮崎|横山|高木|安藤|宮本|大野|小島|谷口|今井|工藤|高田|増田|丸山|杉山|村田|"
    "大塚|新井|小山|平野|藤本|河野|上野|野口|武田|松井|千葉|菅原|岩崎|久保|木下|佐野|"
    "野村|松尾|菊地|市川|古川|織田|徳川|豊臣|源|平"
)
_SURNAMES_ZH = (
    "李王张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖"
    "田董袁潘蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾夏韦付方邹熊孟秦邱江尹"
    "薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严武戴莫孔向汤"
)
_WHO_TEXT = re.compile(
    r"[ァ-ヴー]{2,}[・＝=][ァ-ヴー]{2,}|[氏君様卿公帝]|さん|先生|博士|教授|大臣|将軍|監督|選手|国王|皇帝|总统|總統|主席|将军|导演|"
    rf"(?:{_SURNAMES_JA})[\u4e00-\u9fffぁ-ん]{{0,3}}|(?<![\u4e00-\u9fff])[{_SURNAMES_ZH}][\u4e00-\u9fff]{{1,2}}|"
    r"[ァ-ヴー]{3,}|(?<!^)(?<![.!?] )\b[A-Z][a-z]+"
)
_COUNTED = re.compile(rf"何(?P<ja>{_COUNTERS_JA})|几(?P<zh>[个個人次名位岁层种米支条座家部天所只艘间场届代张项辆])")


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart."""

    text: str
    kind: Kind
    asking: tuple[Span, ...]
    """Spans that ask and say nothing of the subject: `how many`, `いつですか`, `please`."""
    counter: str
    """What is counted, where the question says it (`何人` → `人`); else empty."""
    language: Language
    own: Values
    """The question's own numbers and dates: repeating them answers nothing."""
    aspects: tuple[Aspect, ...]
    """What it wants a value of that can be told by its format: a duration, a temperature."""


def read(text: str) -> Question:
    """Take a question apart. Never raises."""
    kind: Kind = "what"
    asking: list[Span] = []
    found = False
    for name, pattern in _KINDS:
        spans = [m.span() for m in pattern.finditer(text) if m.group()]
        if spans and not found:
            kind, found = name, True
        asking += spans
    asking += [m.span() for m in _POLITE.finditer(text) if m.group()]
    counted = _COUNTED.search(text)
    counter = (counted["ja"] or counted["zh"] or "") if counted and kind == "quantity" else ""
    aspects = tuple(aspect for aspect in wanted(text) if aspect.has_format)
    return Question(text, kind, tuple(sorted(asking)), counter, language(text), values(text, liberal=True), aspects)


def language(text: str) -> Language:
    """The language by its script: kana is Japanese, Hangul Korean, Han alone Chinese, the rest English.

    A short Japanese text in kanji alone cannot be told from Chinese; callers ask `alike` instead of
    comparing.
    """
    kana, han, hangul = len(_KANA.findall(text)), len(_HAN.findall(text)), len(_HANGUL.findall(text))
    letters = len(_LETTER.findall(text))
    # a letter says about a third of what a CJK character does
    if 3 * (kana + han + hangul) <= letters:
        return "en"
    if hangul > kana + han:
        return "ko"
    if kana:
        return "ja"
    return "zh" if han else "en"


def alike(first: Language, second: Language) -> bool:
    """Whether two texts may be in the same language, as far as the script tells."""
    return first == second or {first, second} == {"ja", "zh"}


def fits(question: Question, sentence: str, *, verbatim: str = "") -> float:
    """How well a sentence can answer this kind of question, 0 to 1; 0.5 where nothing can be said.

    Args:
        question: what is asked.
        sentence: a candidate, its citations left out.
        verbatim: unused text around the sentence that may hold the value (a heading); counts half.
    """
    direct = _fits(question, sentence)
    if direct == 0.0 and verbatim:
        return 0.5 * _fits(question, verbatim)
    return direct


def _fits(question: Question, sentence: str) -> float:
    if question.kind == "when":
        found = values(sentence, liberal=True)
        known = {(d.year, d.month, d.day) for d in question.own.dates}
        if any((d.year, d.month, d.day) not in known for d in found.dates):
            return 1.0
        new = [m for m in _WHEN_TEXT.finditer(sentence) if m.group() not in question.text]
        return 1.0 if new else 0.0
    if question.kind == "quantity":
        asked = {(n.value, n.unit) for n in question.own.numbers}
        new_numbers = [n for n in values(sentence, liberal=True).numbers if (n.value, n.unit) not in asked]
        if not new_numbers:
            return 0.0
        if question.aspects and not any(aspect.held(sentence) for aspect in question.aspects):
            return 0.4
        if question.counter:
            at = [sentence.startswith(question.counter, n.end) or question.counter in n.text for n in new_numbers]
            return 1.0 if any(at) else 0.4
        return 1.0
    if question.kind == "what" and question.aspects:
        return 1.0 if any(aspect.held(sentence) for aspect in question.aspects) else 0.3
    if question.kind == "who":
        return 1.0 if _WHO_TEXT.search(sentence) else 0.3
    if question.kind == "where":
        return 1.0 if _WHERE_TEXT.search(sentence) else 0.2
    if question.kind == "why":
        return 1.0 if _WHY_TEXT.search(sentence) else 0.3
    if question.kind == "how":
        return 1.0 if _HOW_TEXT.search(sentence) else 0.4
    return 0.5
