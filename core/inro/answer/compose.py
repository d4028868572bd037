"""One question, from evidence to a checked answer, as a stream of events.

Rule: the extractive answer comes first and stands unless a model's text passes every check; then that is
the answer. A missing, crashed or unfit model costs the user nothing but its prose. The last event is
always `AnswerDone`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inro.answer.citations import marked
from inro.answer.context import numbered, plain
from inro.answer.evidence import AnswerSettings, Chat, Embed, Evidence, Search
from inro.answer.extract import Extract, extract
from inro.answer.generate import generate, prepare, unmended
from inro.answer.orders import without_orders
from inro.answer.question import Question, alike, language, read
from inro.answer.refuse import Features, judge, lead
from inro.answer.relevance import query_terms
from inro.answer.verify import Checker, untraceable
from inro.errors import ModelError
from inro.records import (
    Answer,
    AnswerDone,
    AnswerDraft,
    AnswerEvent,
    AnswerSentence,
    AnswerStep,
    AnswerText,
    Hit,
    SourcePassage,
)
from inro.text.analyse import Analyser

NOT_HERE = "This is not in your library."


def answer(
    question: str,
    search: Search,
    analyser: Analyser,
    *,
    chat: Chat | None = None,
    no_chat: str = "",
    embed: Embed | None = None,
    settings: AnswerSettings | None = None,
) -> Iterator[AnswerEvent]:
    """Answer a question from what `search` brings.

    Args:
        question: as asked.
        search: gives the evidence for a question.
        analyser: the one the library was indexed with.
        chat: the model; None answers from the passages alone.
        no_chat: why there is no model, for the steps.
        embed: sentence vectors, for choosing sentences by meaning.
        settings: defaults if None.

    Yields: steps; a draft, unless refused; the model's text as it comes; the final answer.

    Raises: what `search` raises. A failing model is a step, not an error.
    """
    settings = settings or AnswerSettings()
    asked = read(plain(question).strip())
    steps: list[str] = []

    def step(text: str) -> AnswerStep:
        steps.append(text)
        return AnswerStep(text)

    evidence = search(asked.text)
    count = len(evidence.passages)
    yield step(f"{count} passage{'' if count == 1 else 's'} found")
    sources = numbered(evidence.passages, settings.passages, evidence.nearest)
    drafted = _draft(asked, evidence, sources, analyser, embed, settings)
    verdict = judge(_features(asked, evidence, drafted))
    yield step(("not answered: " if verdict.refuse else "answered: ") + verdict.reason)
    if verdict.refuse or not drafted.excerpts:
        yield AnswerDone(_refusal(asked, steps, evidence.misses))
        return
    draft = _extractive(asked, sources, drafted, steps)
    yield AnswerDraft(draft)
    why_not = _unfit(asked, sources, drafted, chat, no_chat, settings)
    if why_not or chat is None:
        yield step(why_not)
        yield AnswerDone(_extractive(asked, sources, drafted, steps))
        return
    text = ""
    try:
        prompt, context = prepare(asked, sources, chat, settings)
        if context.left_out or context.shortened:
            yield step(_squeezed(context.left_out, context.shortened))
        if not context.given:
            raise ModelError("no passage fits the model's context")
        for piece in generate(prompt, chat, settings):
            text += piece
            yield AnswerText(piece)
    except ModelError as e:
        yield step(f"the model gave no answer ({e.message}); the passages are quoted instead")
        yield AnswerDone(_extractive(asked, sources, drafted, steps))
        return
    given = [replace(s, quote=without_orders(s.quote)) for s in sources if s.n in context.given]
    checked = Checker(given, analyser, evidence.weigh, asked.text).check(unmended(text))
    failed = untraceable(checked)
    if settings.strict and failed:
        checked = tuple(s for s in checked if s.supported)
        yield step(f"{failed} sentence{'' if failed == 1 else 's'} dropped that the passages do not support")
        failed = 0
    if settings.small:
        yield step("the answering model is very small: trust the quoted passages before its words")
    spoken = language(" ".join(s.text for s in checked))
    too_many = failed > (0 if settings.small else (len(checked) - 1) // 2)
    if not checked or too_many or not alike(spoken, asked.language):
        yield step(_rejected(checked, failed if too_many else 0))
        yield AnswerDone(_extractive(asked, sources, drafted, steps))
        return
    if failed:
        yield step(f"{failed} of {len(checked)} sentences failed the check and are marked")
    yield step(f"{len(checked)} sentence{'' if len(checked) == 1 else 's'} checked against the passages they cite")
    yield AnswerDone(
        Answer(
            question=asked.text,
            answer=_joined(checked),
            refused=False,
            mode="model",
            sentences=checked,
            sources=sources,
            steps=tuple(steps),
        )
    )


def _draft(
    asked: Question,
    evidence: Evidence,
    sources: Sequence[SourcePassage],
    analyser: Analyser,
    embed: Embed | None,
    settings: AnswerSettings,
) -> Extract:
    """Sentences out of the numbered passages; excerpt indices are positions in `sources`."""
    by_place = {(p.hit.document, p.hit.start, p.hit.end): p for p in evidence.passages}
    shown = [by_place[s.document, s.start, s.end] for s in sources]
    terms = query_terms(asked, analyser, evidence.weigh)
    return extract(
        asked, terms, shown, analyser, limit=settings.sentences, embed=embed, vector=evidence.question_vector
    )


def _features(asked: Question, evidence: Evidence, drafted: Extract) -> Features | None:
    if not evidence.passages:
        return None
    nearest = max(evidence.passages, key=lambda p: p.dense_z)
    return Features(
        window=drafted.window,
        lead=lead(evidence.shares or [p.lexical_share for p in evidence.passages]),
        dense_z=nearest.dense_z if evidence.question_vector is not None else None,
        language=asked.language,
        foreign=not alike(language(nearest.text), asked.language),
        pinned=any(p.hit.pinned for p in evidence.passages),
    )


def _extractive(asked: Question, sources: tuple[SourcePassage, ...], drafted: Extract, steps: Sequence[str]) -> Answer:
    quoted = tuple(AnswerSentence(e.text, (sources[e.passage].n,), True) for e in drafted.excerpts)
    return Answer(
        question=asked.text,
        answer=_joined(quoted),
        refused=False,
        mode="extractive",
        sentences=quoted,
        sources=sources,
        steps=tuple(steps),
    )


def _refusal(asked: Question, steps: Sequence[str], misses: tuple[Hit, ...]) -> Answer:
    return Answer(
        question=asked.text,
        answer=NOT_HERE,
        refused=True,
        mode="extractive",
        sentences=(),
        sources=(),
        steps=tuple(steps),
        misses=misses,
    )


def _unfit(
    asked: Question,
    sources: Sequence[SourcePassage],
    drafted: Extract,
    chat: Chat | None,
    no_chat: str,
    settings: AnswerSettings,
) -> str:
    """Why the model is not asked, or nothing."""
    if chat is None:
        return no_chat or "no answering model: the passages are quoted"
    if not settings.languages:
        return ""
    reads = ", ".join(settings.languages)
    if asked.language not in settings.languages:
        return f"the answering model reads {reads} only: the passages are quoted"
    best = max(drafted.excerpts, key=lambda e: e.score)
    if language(sources[best.passage].quote) not in settings.languages:
        return f"the answering model reads {reads} only and the best passage is in another language: it is quoted"
    return ""


def _squeezed(left_out: Sequence[int], shortened: Sequence[int]) -> str:
    parts = []
    if shortened:
        parts.append("shortened " + "".join(f"[{n}]" for n in shortened))
    if left_out:
        parts.append("left out " + "".join(f"[{n}]" for n in left_out))
    return f"the model's context is short: {', '.join(parts)}"


def _rejected(checked: Sequence[AnswerSentence], failed: int) -> str:
    if not checked:
        return "the model said nothing of use: the passages are quoted instead"
    if not failed:
        return "the model answered in another language: the passages are quoted instead"
    first = next(p for s in checked for p in s.problems)
    return (
        f"{failed} of {len(checked)} sentences of the model failed the check ({first}): the passages are quoted instead"
    )


def _joined(sentences: Sequence[AnswerSentence]) -> str:
    return "\n".join(marked(plain(s.text), s.citations) for s in sentences)
