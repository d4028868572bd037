"""The words of Graphium's provenance: what a label or a link kind is called, in every spelling notes hold.

Notes of earlier versions carry labels in Japanese brackets (`[材料]`), of later ones as keys (`material`);
`result` was renamed to `output`. All come out as the five kinds of today.
"""

from __future__ import annotations

LABELS = ("procedure", "material", "tool", "attribute", "result")
"""Kinds of label, by the name that a search uses."""

SHOWN = {
    "procedure": "procedure 手順",
    "material": "material 材料",
    "tool": "tool 道具",
    "attribute": "attribute 属性",
    "result": "result 結果",
}
"""How a label stands in the text: in both languages, so that either finds it."""

LINKS = {
    "used": "used 使用",
    "generated": "generated 生成",
    "derived_from": "derived_from 派生元",
    "informed_by": "informed_by 前手順",
    "reproduction_of": "reproduction_of 再現",
    "reference": "reference 参照",
}
"""Kinds of link and how they stand in the text."""

_ALIASES = {
    "procedure": "procedure step activity 手順 操作 工程",
    "material": "material reagents reagent materials 材料 使用したもの 試薬 原料 試料 サンプル sample",
    "tool": "tool tools instrument equipment 道具 ツール 装置 器具 機器",
    "attribute": "attribute attributes condition parameter 属性 条件 パラメータ 仕様",
    "result": "result results output product 結果 産物 生成物 出力",
}
_BY_ALIAS = {alias: label for label, aliases in _ALIASES.items() for alias in aliases.split()}


def label_of(raw: str) -> str:
    """The kind of label that a spelling means; the spelling itself, bare, if it is the user's own."""
    bare = raw.strip().strip("[]［］【】#").strip()
    return _BY_ALIAS.get(bare.lower(), bare)


def link_of(raw: str) -> str:
    """The kind of link that a spelling means: `informed_by` for `informedBy` or `wasInformedBy`."""
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in raw.strip()).strip("_").replace("-", "_")
    snake = snake.removeprefix("prov:").removeprefix("was_").removeprefix("had_")
    return {"generated_by": "generated", "前手順": "informed_by"}.get(snake, snake)
