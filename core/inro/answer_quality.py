"""Answer quality on a judged set: what is refused, and whether the known answers stand in what is quoted and cited.

A question counts as answerable unless its row says `"answerable": false`. Its known answers (`answers`) are looked
for as strings, width, case and white space aside, and only those that stand in a document judged relevant: a reply
that a person phrased is in no document and proves nothing. What was asked before (`history`) is handed on.
"""

from __future__ import annotations

import re
import statistics
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from inro.errors import UsageError
from inro.evaluate import EvaluationSet, turns
from inro.records import Answer, AnswerDone, AnswerDraft, AnswerScore, Turn

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
"""A run of digits; looked for without the parser that the check itself uses."""


@dataclass(frozen=True, slots=True)
class _Question:
    text: str
    history: tuple[Turn, ...]
    answerable: bool
    answers: tuple[str, ...]
    """Folded; empty where none can be looked for."""


@dataclass(slots=True)
class _Counts:
    refused_rightly: int = 0
    refused_wrongly: int = 0
    answerable: int = 0
    unanswerable: int = 0
    known: int = 0
    in_extract: int = 0
    in_sources: int = 0
    cited: int = 0
    cited_holding: int = 0
    untraceable: int = 0
    by_model: int = 0
    first_ms: list[float] = field(default_factory=list)


def measure_answers(evaluation: EvaluationSet, *, limit: int | None = None) -> AnswerScore:
    """Ask every question, or `limit` of them spread evenly over the file.

    The time is that to the first complete answer: the quoted one, or the refusal.

    Raises:
        UsageError: the set has no question.
    """
    asked = _spread(list(_questions(evaluation)), limit)
    if not asked:
        raise UsageError(f"there is no question in {evaluation.directory}")
    evaluation.library.warm()
    counts = _Counts()
    for question in asked:
        _count(counts, question, *_ask(evaluation, question, counts))
    refused = counts.refused_rightly + counts.refused_wrongly
    return AnswerScore(
        set=evaluation.name,
        questions=len(asked),
        unanswerable=counts.unanswerable,
        known=counts.known,
        refusal_precision=_share(counts.refused_rightly, refused) if counts.unanswerable else None,
        refusal_recall=_share(counts.refused_rightly, counts.unanswerable),
        false_refusal=_share(counts.refused_wrongly, counts.answerable),
        answer_in_extract=_share(counts.in_extract, counts.known),
        answer_in_sources=_share(counts.in_sources, counts.known),
        citation_precision=_share(counts.cited_holding, counts.cited),
        untraceable=counts.untraceable,
        model_answers=counts.by_model,
        p50_ms=statistics.median(counts.first_ms),
    )


def untraced(answer: Answer) -> list[str]:
    """Figures of an answer that no passage its sentence cites holds, in sentences that are not marked as failing.

    Every run of digits is looked for as it stands, then as the same quantity in another form.
    """
    from inro.answer.values import supports, values

    quotes = {source.n: f"{source.title}\n{source.heading}\n{source.path}\n{source.quote}" for source in answer.sources}
    missing = []
    for sentence in answer.sentences:
        if not sentence.supported:
            continue
        text = "\n".join(quotes.get(n, "") for n in sentence.citations)
        folded, found = fold(text), values(text, liberal=True)
        claims = values(sentence.text).all
        for figure in _FIGURE.finditer(unicodedata.normalize("NFKC", sentence.text)):
            same = any(figure.group() in claim.text and supports(claim, found) for claim in claims)
            if not same and not re.search(rf"(?<!\d){re.escape(figure.group())}(?!\d)", folded):
                missing.append(figure.group())
    return missing


def fold(text: str) -> str:
    """Width, case and white space taken away."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _ask(evaluation: EvaluationSet, question: _Question, counts: _Counts) -> tuple[Answer, Answer]:
    """The first complete answer and the last one."""
    started = time.perf_counter()
    first: Answer | None = None
    for event in evaluation.library.ask(question.text, history=question.history):
        if isinstance(event, AnswerDraft | AnswerDone):
            if first is None:
                first = event.answer
                counts.first_ms.append(1000 * (time.perf_counter() - started))
            last = event.answer
    assert first is not None
    return first, last


def _count(counts: _Counts, question: _Question, first: Answer, last: Answer) -> None:
    if not question.answerable:
        counts.unanswerable += 1
        counts.refused_rightly += last.refused
    else:
        counts.answerable += 1
        counts.refused_wrongly += last.refused
    counts.untraceable += len(untraced(last))
    counts.by_model += last.mode == "model"
    if last.refused or not question.answerable or not question.answers:
        return
    counts.known += 1
    counts.in_extract += _holds("".join(s.text for s in first.sentences), question.answers)
    quotes = {source.n: source.quote for source in last.sources}
    counts.in_sources += any(_holds(quote, question.answers) for quote in quotes.values())
    for n in {n for sentence in last.sentences for n in sentence.citations if n in quotes}:
        counts.cited += 1
        counts.cited_holding += _holds(quotes[n], question.answers)


def _questions(evaluation: EvaluationSet) -> Iterator[_Question]:
    texts = {str(row["id"]): fold(str(row.get("text", ""))) for row in evaluation.rows("corpus")}
    grades = evaluation.grades()
    for row in evaluation.rows("queries"):
        relevant = [texts[document] for document in grades.get(str(row["id"]), {}) if document in texts]
        known = {fold(str(answer)) for answer in row.get("answers") or ()} - {""}
        yield _Question(
            str(row.get("text", "")),
            turns(row.get("history") or ()),
            row.get("answerable", True) is not False,
            tuple(answer for answer in known if any(answer in text for text in relevant)),
        )


def _spread(questions: list[_Question], limit: int | None) -> list[_Question]:
    """`limit` of them, evenly over the list: a set may have its unanswerable questions last."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[i * len(questions) // limit] for i in range(limit)]


def _holds(text: str, answers: Sequence[str]) -> bool:
    folded = fold(text)
    return any(answer in folded for answer in answers)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
