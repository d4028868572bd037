"""The form of a model's answer as a grammar of llama.cpp (GBNF): every sentence ends with the passage it comes from.

Rule: an answer is one to `SENTENCES` sentences that each cite passages that were given, or the one sentence that says
the passages do not hold the answer, or the request for more of them. The rule is about form alone: any script, any
words, decimals, abbreviations and quotations with full stops in them. Neither the fence around passages nor thinking
aloud (`<think>`) is part of an answer. What is said is for `verify` to judge.
"""

from __future__ import annotations

from collections.abc import Sequence

from inro.answer.question import Language

SENTENCES = 8
"""Sentences of an answer at most; the prompt asks for three."""
MARKS = 3
"""Passages that one sentence may cite."""
NOTHING: dict[Language, str] = {
    "en": "The passages do not hold the answer.",
    "ja": "資料に答えはありません。",
    "zh": "资料中没有答案。",
    "ko": "자료에 답이 없습니다.",
}
"""What a model says if the answer is not in the passages."""
MORE = "MORE PASSAGES"
"""What a model says to be given the next passages."""

_SHORTENED = (
    "Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Mt", "Gen", "Col", "Capt", "Lt", "Rev", "Gov", "Sen", "Jr", "Sr", "Inc",
    "Ltd", "Co", "vs", "cf", "e.g", "i.e", "viz", "resp", "incl", "al", "etc",
)  # fmt: skip
"""What a full stop may follow inside a sentence."""
_COUNTED = (
    "No", "Nos", "Fig", "Figs", "Tab", "Eq", "Ref", "Sec", "Ch", "Vol", "Art", "Para", "fig", "figs", "eq", "ref",
    "sec", "ch", "vol", "para", "p", "pp", "ca", "approx",
)  # fmt: skip
"""What a full stop and a number may follow inside a sentence."""

_SENTENCE = r"""
sentence ::= item? run+ (" "? marks stop? | stop+ [ ]? marks)
item ::= ("- " | "* " | [1-9] ". ")
run ::= plain | dotted | shortened | counted | initials | quoted | bracketed
plain ::= [^\x00-\x1F\x3C\x7F\x5B\x5D.!?。！？「」『』“”【】［］] | "<" [^\x00-\x1F/pPtT\x5B\x5D.!?。！？]
dotted ::= [.!?] [^\x00-\x2B\x2E\x3C-\x40\x5B-\x5E\x60\x7C\x7E\x7F。！？「」『』“”【】［］]
shortened ::= ({shortened}) ". " [^\x00-\x20\x5B\x5D]
counted ::= ({counted}) ". " [0-9]
initials ::= ([A-Z] ". ")+ [A-Z]
bracketed ::= "[" [^\x00-\x1F\x5B\x5D0-9] [^\x00-\x1F\x5B\x5D]* "]"
quoted ::= "「" said "」" | "『" said "』" | "“" said "”"
said ::= [^\x00-\x1F\x7F\x5B\x5D「」『』“”【】［］]+
stop ::= [.!?。！？]
marks ::= mark (" "? mark){{0,{more}}}
gap ::= [ \n]?
"""


def grammar(numbers: Sequence[int], language: Language, *, more: bool) -> str:
    """GBNF for an answer that cites these passages.

    Args:
        numbers: of the passages given, at least one.
        language: that of the answer, which the refusal is in.
        more: whether further passages may be asked for.
    """
    if not numbers:
        raise ValueError("a grammar of citations needs a passage to cite")
    rules = _SENTENCE.format(shortened=_either(_SHORTENED), counted=_either(_COUNTED), more=MARKS - 1)
    fixed = [_literal(NOTHING[language]), *([_literal(MORE)] if more else [])]
    return (
        f"root ::= {' | '.join(fixed)} | sentence (gap sentence){{0,{SENTENCES - 1}}}"
        f'{rules}mark ::= "[" ({_either([str(n) for n in numbers])}) "]"\n'
    )


def says_nothing(text: str) -> bool:
    """Whether a model's text is the sentence that the passages do not hold the answer, in any language."""
    return text.strip() in NOTHING.values()


def asks_more(text: str) -> bool:
    """Whether a model's text is the request for more passages."""
    return text.strip().rstrip(".").strip() == MORE


def _either(words: Sequence[str]) -> str:
    return " | ".join(map(_literal, words))


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
