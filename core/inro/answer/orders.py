"""Sentences in documents that speak to a model instead of to a reader.

Rule: a model is not shown them, and its answer is not checked against them, so an order planted in a document can
neither be obeyed nor be quoted as evidence by a model. The document itself stays as it is: found, shown and quoted in
extractive answers. It is a sieve for the usual forms, not a proof; the fence around passages and the check afterwards
stand behind it.
"""

from __future__ import annotations

import re

from inro.text.sentences import sentences

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,60}"
    r"\b(?:instructions?|rules?|prompts?|guidelines|context|above|previous|earlier|passages?)\b"
    r"|^\W*(?:system|assistant|developer)\s*(?:message|prompt)?\s*[:：]"
    r"|\byou are now\b|\bnew instructions?\b\s*[:：]|\bfrom now on,? you\b"
    r"|\b(?:as an ai|dear (?:ai|assistant|model))\b"
    r"|\b(?:answer|respond|reply|output|say|print) (?:only )?(?:with|exactly|the (?:word|phrase|string))\b"
    r"|<\|[a-z_]+\|>|\[/?INST\]|<</?SYS>>"
    r"|(?:指示|命令|ルール|規則|プロンプト|文脈)[^。\n]{0,12}(?:無視|忘れ|破棄|従うな)"
    r"|(?:無視|忘れ)(?:して|し、)[^。\n]{0,30}(?:答え|出力|回答|言)"
    r"|と(?:だけ)?(?:言え|答えろ|答えよ|出力しろ|出力せよ|回答せよ|返答せよ)(?=[。！!」』\s]|$)"
    r"|(?:忽略|无视|無視|忘记|忘掉)[^。\n]{0,20}(?:指令|指示|规则|規則|提示|以上|之前|上述)"
    r"|(?:AI|アシスタント|人工智能|助手)(?:へ|は|に|，|、|请|，请)[^。\n]{0,30}(?:答え|出力|回答|输出)(?:せよ|しろ|しなさい|てください)?",
    re.IGNORECASE | re.MULTILINE,
)


def without_orders(text: str) -> str:
    """The text without the sentences that give a model orders; the same object when there is none."""
    if not _ORDER.search(text):
        return text
    kept: list[str] = []
    at = 0
    for start, end in sentences(text):
        if _ORDER.search(text, start, end):
            kept.append(text[at:start])
            at = end
    kept.append(text[at:])
    # an order may run over what the sentence break takes for two sentences
    rest = "".join(kept)
    return _ORDER.sub("", rest)
