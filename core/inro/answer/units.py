"""Units of measurement in Latin letters, kana, kanji and hanzi, with their scale.

Rule: two quantities are compared only within a dimension. Counters (`samples`, `本`, `个`) are not units.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """A scale of a dimension: base = value · factor + offset."""

    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)

    def same_scale(self, other: Unit) -> bool:
        return self == other


def _scales(dimension: str, table: str) -> dict[str, Unit]:
    """`factor: name name; …` → units."""
    found: dict[str, Unit] = {}
    for entry in table.split(";"):
        factor, _, names = entry.partition(":")
        for name in names.split():
            found[name.replace("_", " ")] = Unit(dimension, Fraction(factor.strip()))
    return found


_UNITS: dict[str, Unit] = {
    **_scales(
        "pressure",
        "1: Pa パスカル; 100: hPa mbar ヘクトパスカル; 1000: kPa キロパスカル 千帕;"
        "1e6: MPa メガパスカル 兆帕; 1e9: GPa; 100000: bar バール; 101325: atm 気圧;"
        "133.322368: Torr mmHg; 6894.757293168: psi",
    ),
    **_scales(
        "length",
        "1e-10: Å; 1e-9: nm ナノメートル 纳米; 1e-6: μm um ミクロン マイクロメートル 微米;"
        "1e-3: mm ミリメートル ミリ 毫米; 1e-2: cm センチメートル センチ 厘米;"
        "1: m metre metres meter meters メートル 米;"
        "1000: km kilometre kilometres kilometer kilometers キロメートル 公里 千米; 0.0254: inch inches インチ;"
        "0.3048: ft foot feet フィート 英尺; 1609.344: mile miles マイル 英里",
    ),
    **_scales(
        "area",
        "1: m2 m² 平方メートル 平方米; 1e6: km2 km² 平方キロメートル 平方公里; 1e-4: cm2 cm²; 1e-6: mm2 mm²;"
        "10000: ha ヘクタール 公顷",
    ),
    **_scales(
        "mass",
        "1e-9: ng; 1e-6: μg ug マイクログラム 微克; 1e-3: mg ミリグラム 毫克; 1: g gram grams グラム 克;"
        "1000: kg kilogram kilograms キログラム 公斤 千克; 1e6: t tonne tonnes トン 吨",
    ),
    **_scales(
        "time",
        "1e-9: ns; 1e-6: μs; 1e-3: ms ミリ秒 毫秒; 1: s sec secs second seconds 秒 秒間 秒钟;"
        "60: min mins minute minutes 分 分間 分钟 分鐘; 3600: h hr hrs hour hours 時間 小时 小時 个小时;"
        "86400: d day days 日間 天; 604800: week weeks 週間 週 周 星期",
    ),
    **_scales("months", "1: month months か月 ヶ月 ヵ月 カ月 ケ月 箇月 个月; 12: year years 年間 yr yrs"),
    **_scales("percent", "1: % percent per_cent パーセント; 0.1: ‰; 10: 割"),
    **_scales(
        "volume",
        "1e-6: μL ul μl マイクロリットル 微升; 1e-3: mL ml cc ミリリットル 毫升; 0.1: dL;"
        "1: L l litre litres liter liters リットル 升; 1000: m3 m³ 立方メートル 立方米",
    ),
    **_scales("frequency", "1: Hz ヘルツ; 1000: kHz; 1e6: MHz; 1e9: GHz; 1e12: THz"),
    **_scales("rotation", "1: rpm 回転/分 r/min 转/分"),
    **_scales("voltage", "1e-6: μV; 1e-3: mV; 1: V volt volts ボルト 伏; 1000: kV"),
    **_scales("current", "1e-9: nA; 1e-6: μA; 1e-3: mA; 1: A ampere amperes アンペア 安培"),
    **_scales("power", "1e-3: mW; 1: W watt watts ワット 瓦; 1000: kW キロワット 千瓦; 1e6: MW; 1e9: GW"),
    **_scales("resistance", "1: Ω ohm ohms オーム; 1000: kΩ; 1e6: MΩ"),
    **_scales("energy", "1: J ジュール; 1000: kJ; 1e6: MJ; 4.184: cal; 4184: kcal; 3600: Wh; 3.6e6: kWh"),
    **_scales("electronvolt", "1e-3: meV; 1: eV; 1e3: keV; 1e6: MeV; 1e9: GeV"),
    **_scales("force", "1e-3: mN; 1: N ニュートン; 1000: kN"),
    **_scales("field", "1e-3: mT; 1: T テスラ"),
    **_scales(
        "data", "1: B bytes byte; 1e3: kB KB; 1e6: MB; 1e9: GB; 1e12: TB; 1024: KiB; 1048576: MiB; 1073741824: GiB"
    ),
    **_scales("concentration", "1e-6: μM; 1e-3: mM mmol/L; 1: M mol/L mol/l"),
    **_scales("substance", "1e-3: mmol; 1: mol モル"),
    **_scales("mass share", "1: wt% wt.% 重量% 質量%"),
    **_scales("volume share", "1: vol% vol.% 体積%"),
    **_scales("atom share", "1: at% at.% 原子%"),
    **_scales("parts", "1: ppm; 1e-3: ppb"),
    **_scales("speed", "1: m/s; 1/3600: m/h; 5/18: km/h; 1/60: m/min; 1/60000: mm/min; 1e-3: mm/s"),
    **_scales("heating rate", "1: °C/min ℃/min K/min; 1/60: °C/h ℃/h K/h; 60: °C/s ℃/s K/s"),
    **_scales("flow", "1: mL/min ml/min sccm; 1000: L/min l/min; 1/60: mL/h"),
    **_scales("density", "1: g/cm3 g/cm³; 1e-3: kg/m3 kg/m³ g/L mg/mL mg/ml; 1e-6: mg/L μg/mL μg/ml; 1e-9: ng/mL μg/L"),
    **_scales("yen", "1: 円 ¥ ￥ yen JPY"),
    **_scales("dollar", "1: $ dollar dollars ドル USD 美元"),
    **_scales("euro", "1: € euro euros ユーロ EUR 欧元"),
    **_scales("pound", "1: £ GBP ポンド"),
    **_scales("yuan", "1: 元 yuan RMB CNY 人民币"),
    **_scales("angle", "1: ° deg degrees"),
    "K": Unit("temperature", Fraction(1)),
    "°F": Unit("temperature", Fraction(5, 9), Fraction(45967, 180)),
    **{
        name: Unit("temperature", Fraction(1), Fraction("273.15"))
        for name in ("°C", "℃", "度C", "degC", "degrees C", "degrees Celsius", "degree Celsius", "摂氏", "摄氏度")
    },
}

CURRENCY_SIGNS = "¥￥$€£"
"""Signs that stand before the number."""


def _pattern() -> str:
    """Longest first; a unit in letters ends where its letters end, one in kanji where it will."""
    names = sorted(_UNITS, key=len, reverse=True)
    letters = [re.escape(n) for n in names if n[-1].isascii() and n[-1].isalnum()]
    rest = [re.escape(n) for n in names if not (n[-1].isascii() and n[-1].isalnum())]
    return rf"\s?(?P<unit>(?:{'|'.join(letters)})(?![A-Za-z0-9_²³])|(?:{'|'.join(rest)}))"


UNIT_PATTERN = _pattern()
"""A unit right after a number, one space allowed, as the group `unit`."""


def unit_of(name: str) -> Unit | None:
    """The unit of that name, or None."""
    return _UNITS.get(name)
