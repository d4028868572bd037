"""What a question wants a value of (a price, a temperature, a version, a way to get in touch), and what has one.

Rule: an aspect with a format is told by the format (a number with a unit of its dimension, a mail address), any other
by the words of its topic, which only ever find, never exclude. A question may want none or several. Knows nothing of
the library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inro.answer.values import values


@dataclass(frozen=True, slots=True)
class Aspect:
    """One thing a question may want."""

    name: str
    asks: re.Pattern[str]
    """What in a question asks for it."""
    topic: str
    """Words to look for it by, in English, Japanese and Chinese."""
    dimensions: frozenset[str] = frozenset()
    """Of the units its values have, see `inro.answer.units`."""
    format: re.Pattern[str] | None = None
    """What its values look like where they have no unit."""
    dated: bool = False
    """A date is a value of it."""

    @property
    def has_format(self) -> bool:
        """Whether a text can be told to lack it."""
        return bool(self.dimensions) or self.format is not None or self.dated

    def held(self, text: str) -> bool:
        """Whether the text has a value of it; of an aspect without a format, whether a word of its topic is there."""
        if not self.has_format:
            lower = text.lower()
            return any(word in lower for word in self.topic.split())
        if self.format is not None and self.format.search(text):
            return True
        if not self.dimensions and not self.dated:
            return False
        found = values(text, liberal=True)
        if self.dated and found.dates:
            return True
        return any(n.unit is not None and n.unit.dimension in self.dimensions for n in found.numbers)


def _aspect(name: str, asks: str, topic: str, dimensions: str = "", format_: str = "", dated: bool = False) -> Aspect:
    return Aspect(
        name,
        re.compile(asks, re.IGNORECASE),
        topic,
        frozenset(dimensions.split("|")) - {""},
        re.compile(format_, re.IGNORECASE) if format_ else None,
        dated,
    )


ASPECTS: tuple[Aspect, ...] = (
    _aspect(
        "price",
        r"\b(?:prices?|costs?|fees?|how expensive)\b"
        r"|いくら|値段|価格|料金|費用|代金|多少钱|价格|價格|费用|售价",
        "price cost fee 価格 料金 費用 円 价格 费用",
        "yen|dollar|euro|pound|yuan",
    ),
    _aspect(
        "duration",
        r"\bhow long\b|\bduration\b|時間(?=[はをが？?]|$)|どのくらいの?(?:時間|期間)|所要時間"
        r"|何(?:時間|分間?|秒|日間|週間|か月|ヶ月|年間)"
        r"|多久|多长时间|多長時間|几个?(?:小时|分钟|天|周|月|年)",
        "duration hours minutes 時間 期間 所要 时间 小时",
        "time|months",
    ),
    _aspect(
        "date",
        r"\bwhen\b|\b(?:what|which) (?:date|day|year|month)\b|いつ|何年(?!間)|何月|何日(?!間)|日付|期日|期限"
        r"|什么时候|哪一?年|几月|何时|日期",
        "date 日付 期日 年月日 日期",
        format_=r"\d{3,4}\s?年|\d+\s?世[紀纪]|\b(?:1\d|20)\d\d\b|\d{1,2}:\d\d",
        dated=True,
    ),
    _aspect(
        "temperature",
        r"\btemperature\b|\bhow (?:hot|cold|warm)\b|何℃|何度(?:で|に|まで|から|以|か|が)|温度|気温|水温"
        r"|多少度|几度|气温",
        "temperature °C 温度 ℃ 摄氏",
        "temperature|angle",
        r"\d\s?(?:度|℃|°\s?[CFK])",
    ),
    _aspect("pressure", r"\bpressure\b|圧力|気圧|真空度|压力|气压", "pressure Pa 圧力 压力", "pressure"),
    _aspect(
        "concentration",
        r"\bconcentration\b|\bhow (?:concentrated|dilute)\b|濃度|含有[率量]|浓度|含量",
        "concentration 濃度 mol/L ppm 浓度",
        "concentration|mass share|volume share|atom share|parts|percent|density",
    ),
    _aspect("humidity", r"\bhumidity\b|湿度", "humidity 湿度 %", "percent"),
    _aspect(
        "weight",
        r"\bhow heavy\b|\b(?:weigh|weight|mass|dose)\b|何(?:グラム|キロ(?!メ)|mg|kg|g)|質量|重さ|体重"
        r"|多重|多少(?:克|公斤|千克)|重量",
        "weight mass 質量 重さ 重量",
        "mass|substance",
    ),
    _aspect(
        "contact",
        r"\b(?:e-?mail|phone|telephone|contact)\b|連絡先|電話|メール|内線|問い合わせ先|联系方式|电话|邮箱",
        "contact phone mail 連絡先 電話 内線 联系 电话",
        format_=r"[\w.+-]+@[\w-]+\.\w+|(?<!\d)\+?\d[\d\s()-]{6,}\d(?!\d)"
        r"|(?:内線|extension|ext\.?|分机)\s*[:：]?\s*\d+|https?://",
    ),
    _aspect(
        "version",
        r"\bversions?\b|バージョン|リビジョン|版(?:数|番号)|版本",
        "version release バージョン 版 版本",
        format_=r"\bv?\d+(?:\.\d+)+\b|\b(?:version|rev(?:ision)?\.?)\s*\w*\d|第\s?\d+\s?版|版\s?\d+",
    ),
    _aspect(
        "limit",
        r"\b(?:limit|maximum|minimum|at (?:most|least)|no more than|allowed)\b"
        r"|上限|下限|最大|最小|最高|最低|限度|极限|最多|最少",
        "limit maximum minimum within below 上限 下限 最大 以下 以内 最多 不得",
    ),
    _aspect(
        "person",
        r"\bwho(?:m|se)?\b|誰|だれ|どなた|担当者|谁|哪位|责任人",
        "responsible 担当 責任者 氏 负责",
    ),
    _aspect("place", r"\bwhere\b|どこ|場所|何処|哪里|哪裡|哪儿|在哪|地点", "place room located 場所 室 保管 位于 地点"),
    _aspect(
        "reason",
        r"\b(?:why|reason|cause)\b|なぜ|何故|どうして|理由|原因|为什么|為什麼|为何",
        "because reason cause ため 原因 理由 因为 由于",
    ),
    _aspect(
        "procedure",
        r"\bhow (?:do|to|should|can|must)\b|\b(?:procedure|steps?)\b|手順|方法|やり方|どうやって|どのように"
        r"|怎么|怎样|如何|步骤",
        "procedure steps first then 手順 方法 次に 步骤 首先",
    ),
)


def wanted(question: str) -> tuple[Aspect, ...]:
    """The aspects a question wants, in the order of `ASPECTS`."""
    return tuple(aspect for aspect in ASPECTS if aspect.asks.search(question))
