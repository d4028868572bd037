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
from inro.answer.extract import Excerpt, Extract, extract
from inro.answer.follow_up import whole
from inro.answer.generate import unmended
from inro.answer.orders import without_orders
from inro.answer.question import Question, alike, language, read
from inro.answer.quoting import shown
from inro.answer.refuse import features, judge
from inro.answer.relevance import QueryTerms, query_terms
from inro.answer.second_pass import missing, second_pass
from inro.answer.verify import Checker, untraceable
from inro.answer.writing import write
from inro.errors import ModelError
from inro.records import (
    NOT_HERE,
    Answer,
    AnswerDone,
    AnswerDraft,
    AnswerEvent,
    AnswerSentence,
    AnswerStep,
    Hit,
    SourcePassage,
    Speed,
    Turn,
)
from inro.text.analyse import Analyser


def answer(
    question: str,
    search: Search,
    analyser: Analyser,
    *,
    chat: Chat | None = None,
    no_chat: str = "",
    embed: Embed | None = None,
    settings: AnswerSettings | None = None,
    history: Sequence[Turn] = (),
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
        history: earlier turns, oldest first; they help the search find what a follow-up is about, and nothing else.

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
    sought = asked
    looked_for = whole(asked, history, analyser, evidence.weigh, None if settings.small else chat)
    if looked_for != asked.text:
        yield step(f"read as: {looked_for}")
        evidence, sought = search(looked_for), replace(asked, text=looked_for, asking=read(looked_for).asking)
    count = len(evidence.passages)
    yield step(f"{count} passage{'' if count == 1 else 's'} found")
    terms = query_terms(sought, analyser, evidence.weigh)
    lacking = missing(sought, terms, evidence.passages[: settings.passages], analyser)
    if evidence.passages and lacking:
        evidence, added = second_pass(sought, terms, lacking, evidence, settings.passages, search)
        yield step(f"searched again for what they lack ({lacking}): {added or 'nothing'} found")
    sources = numbered(evidence.passages, settings.passages, evidence.nearest)
    drafted = _draft(sought, terms, evidence, sources, analyser, embed, settings)
    verdict = judge(features(asked, evidence, drafted))
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
    try:
        written = yield from write(asked, sources, evidence.passages, chat, settings, step)
    except ModelError as e:
        yield step(f"the model gave no answer ({e.message}); the passages are quoted instead")
        yield AnswerDone(_extractive(asked, sources, drafted, steps))
        return
    if written.nothing and not settings.small:
        yield step("not answered: the model finds no answer in the passages")
        yield AnswerDone(replace(_refusal(asked, steps, evidence.misses), speed=written.speed))
        return
    given = [replace(s, quote=without_orders(s.quote)) for s in written.sources if s.n in written.given]
    checker = Checker(given, analyser, evidence.weigh, asked.text, written.fields)
    checked = () if written.nothing else checker.check(unmended(written.text))
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
        yield step(_rejected(checked, failed if too_many else 0, nothing=written.nothing))
        yield AnswerDone(_extractive(asked, sources, drafted, steps, written.speed))
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
            sources=written.sources,
            steps=tuple(steps),
            speed=written.speed,
        )
    )


def _draft(
    asked: Question,
    terms: QueryTerms,
    evidence: Evidence,
    sources: Sequence[SourcePassage],
    analyser: Analyser,
    embed: Embed | None,
    settings: AnswerSettings,
) -> Extract:
    """Sentences out of the numbered passages; excerpt indices are positions in `sources`."""
    by_place = {(p.hit.document, p.hit.start, p.hit.end): p for p in evidence.passages}
    given = [by_place[s.document, s.start, s.end] for s in sources]
    # words choose better and at once; meaning is for passages in another language, with which no word is shared
    foreign = any(not alike(language(p.text), asked.language) for p in given)
    vector = evidence.question_vector if foreign else None
    return extract(asked, terms, given, analyser, limit=settings.sentences, embed=embed, vector=vector)


def _extractive(
    asked: Question,
    sources: tuple[SourcePassage, ...],
    drafted: Extract,
    steps: Sequence[str],
    speed: Speed | None = None,
) -> Answer:
    quoted = tuple(_quoted(e, sources[e.passage]) for e in drafted.excerpts)
    return Answer(
        question=asked.text,
        answer=_joined(quoted),
        refused=False,
        mode="extractive",
        sentences=quoted,
        sources=sources,
        steps=tuple(steps),
        speed=speed,
    )


def _quoted(excerpt: Excerpt, source: SourcePassage) -> AnswerSentence:
    span = (source.start + excerpt.start, source.start + excerpt.end)
    return AnswerSentence(shown(excerpt.text, source.path), (source.n,), True, span=span)


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


def _rejected(checked: Sequence[AnswerSentence], failed: int, *, nothing: bool) -> str:
    if nothing:
        return "the model finds no answer in the passages: they are quoted instead"
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
