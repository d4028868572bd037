"""What is delivered of a model's answers, looked through by a slow checker that knows nothing of the program's own.

    python tests/bench/generated.py
    python tests/bench/generated.py --count 300 --threads 1 --prompt-tokens 500
    python tests/bench/generated.py --as-set

Questions are spread evenly over four sets. The embedded model answers them on the program's own path: search, refusal,
prompt, grammar, check. By default it is asked in every language, and answers of which some sentences fail are delivered
with marks, so that the check has more to catch; `--as-set` treats it as the program does: English alone, and one
failed sentence discards the answer.

Counted are numbers, identifiers, Latin names, quotations and addresses of sentences that are not marked, for which no
passage that the sentence cites has the same characters, width and case aside. A number that a passage writes in another
form counts as missing here; each is listed. The figure to reach is 0.
"""

from __future__ import annotations

import argparse
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quality_sets import shared

from inro.answer.chosen import chosen
from inro.answer.compose import answer
from inro.evaluate import EvaluationSet
from inro.models import open_chat
from inro.records import Answer, AnswerDone, AnswerText, Speed
from inro.text.sentences import sentences
from inro.workers.chat import ChatWorker

SETS = ("xquad-en", "ja-jsquad", "zh-cmrc2018", "ja-unanswerable")
KINDS = ("number", "identifier", "name", "quotation", "address")

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_IDENTIFIER = re.compile(r"(?=[A-Za-z0-9_./-]*\d)(?=[A-Za-z0-9_./-]*[A-Za-z])[A-Za-z0-9]+(?:[-_./][A-Za-z0-9]+)*")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+\b")
_QUOTATION = re.compile(r"「([^「」]{2,})」|『([^『』]{2,})』|“([^“”]{2,})”|\"([^\"]{2,})\"")
_ADDRESS = re.compile(r"https?://[^\s<>\"」）]+|[\w.+-]+@[\w-]+\.[\w.-]+")


@dataclass
class Tally:
    """What came of the questions of one set."""

    asked: int = 0
    refused: int = 0
    by_model: int = 0
    asked_more: int = 0
    written: int = 0
    kept: int = 0
    marked: int = 0
    looked_for: Counter[str] = field(default_factory=Counter)
    missing: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, what is missing, and the sentence."""
    speeds: list[Speed] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared())
    parser.add_argument("--count", type=int, default=300, help="questions in all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt-tokens", type=int, default=2000, help="tokens of passages given at most")
    parser.add_argument("--max-tokens", type=int, default=256, help="tokens of an answer at most")
    parser.add_argument("--as-set", action="store_true", help="treat the model as the program does")
    parser.add_argument("--free", action="store_true", help="without the grammar of citations")
    given = parser.parse_args()
    sets = [EvaluationSet.open(given.shared / "eval" / name, dense=False, chat=True) for name in SETS]
    tallies: dict[str, Tally] = {}
    with open_chat(sets[0].library.settings.chat, given.threads) as chat:
        for i, one in enumerate(sets):
            count = given.count // len(sets) + (i < given.count % len(sets))
            tallies[one.name] = run(one, chat, count, given)
            report(one.name, tallies[one.name])
    report("all", joined(list(tallies.values())))


def run(one: EvaluationSet, chat: ChatWorker, count: int, given: argparse.Namespace) -> Tally:
    """Ask `count` questions of a set."""
    for _ in one.build():
        pass
    settings = replace(
        chosen(one.library.settings),
        prompt_tokens=given.prompt_tokens,
        max_tokens=given.max_tokens,
        grammar=not given.free,
        seconds=600.0,
    )
    if not given.as_set:
        settings = replace(settings, languages=(), small=False)
    rows = list(one.rows("queries"))
    tally = Tally()
    for i in range(count):
        question = str(rows[i * len(rows) // count]["text"])
        text, done = "", None
        for event in answer(
            question, one.library.evidence, one.library.engine.analyser(), chat=chat, settings=settings
        ):
            if isinstance(event, AnswerText):
                text += event.text
            elif isinstance(event, AnswerDone):
                done = event.answer
        assert done is not None
        count_in(tally, done, text)
    one.library.close()
    return tally


def count_in(tally: Tally, done: Answer, text: str) -> None:
    """Add one answer; `text` is what the model wrote, as it was shown."""
    tally.asked += 1
    tally.refused += done.refused
    tally.by_model += done.mode == "model"
    tally.asked_more += any("asked for more" in step for step in done.steps)
    tally.written += len(sentences(text))
    if done.mode == "model":
        tally.kept += sum(s.supported for s in done.sentences)
        tally.marked += sum(not s.supported for s in done.sentences)
    if done.speed is not None:
        tally.speeds.append(done.speed)
    for kind, what, sentence, found in claims(done):
        tally.looked_for[kind] += 1
        if not found:
            tally.missing.append((kind, what, sentence))


def claims(done: Answer) -> Iterator[tuple[str, str, str, bool]]:
    """Kind, text, sentence, and whether a cited passage has it, of all that is claimed without a mark."""
    texts = {s.n: f"{s.title} {s.heading} {s.path} {s.quote}" for s in done.sources}
    passages = {n: _fold(text) for n, text in texts.items()}
    spaced = {n: _digits(unicodedata.normalize("NFKC", text)) for n, text in texts.items()}
    question = _fold(done.question)
    for sentence in done.sentences:
        if not sentence.supported:
            continue
        cited = [passages[n] for n in sentence.citations if n in passages]
        said = unicodedata.normalize("NFKC", sentence.text)
        for kind, what in claimed(said):
            plain = _fold(what)
            if kind == "number":
                whole = rf"(?<!\d){re.escape(_digits(what))}(?!\d)"
                found = any(re.search(whole, spaced[n]) for n in sentence.citations if n in spaced)
            else:
                found = any(plain in p for p in cited) or (kind == "name" and plain in question)
            yield kind, what, sentence.text, found
    if not done.refused:
        stray = _fold(done.answer)
        for sentence in done.sentences:
            stray = stray.replace(_fold(sentence.text), "", 1)
        rest = re.sub(r"\[s?\d+\]", "", stray)
        yield from (("number", n, done.answer, False) for n in _NUMBER.findall(rest))


def claimed(said: str) -> Iterator[tuple[str, str]]:
    """What a sentence, NFKC already, claims: kind and text."""
    for kind, pattern in (("number", _NUMBER), ("identifier", _IDENTIFIER), ("name", _NAME), ("address", _ADDRESS)):
        yield from ((kind, m.group().rstrip(".,")) for m in pattern.finditer(said))
    for m in _QUOTATION.finditer(said):
        yield "quotation", next(g for g in m.groups() if g)


def joined(tallies: Sequence[Tally]) -> Tally:
    whole = Tally()
    for one in tallies:
        for name in ("asked", "refused", "by_model", "asked_more", "written", "kept", "marked"):
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
        whole.looked_for += one.looked_for
        whole.missing += one.missing
        whole.speeds += one.speeds
    return whole


def report(name: str, tally: Tally) -> None:
    missing = Counter(kind for kind, _, _ in tally.missing)
    rates = [s.tokens_per_second for s in tally.speeds if s.tokens_per_second]
    print(f"{name}: {tally.asked} asked, {tally.refused} refused, {tally.by_model} answered in the model's words, "
          f"more passages asked for {tally.asked_more} times")  # fmt: skip
    if tally.written:
        print(f"  sentences: {tally.written} written, {tally.kept} kept ({tally.kept / tally.written:.0%}), "
              f"{tally.marked} delivered with a mark")  # fmt: skip
    looked = ", ".join(f"{kind} {missing[kind]}/{tally.looked_for[kind]}" for kind in KINDS)
    print(f"  untraceable and unmarked: {sum(missing.values())} ({looked})")
    if name != "all":
        for kind, what, sentence in tally.missing:
            print(f"    {kind} {what!r} is in no cited passage: {sentence}")
    if tally.speeds:
        first = statistics.median(s.first_token_ms for s in tally.speeds)
        rate = statistics.median(rates) if rates else 0.0
        print(f"  first token {first:.0f} ms, {rate:.1f} tokens/s (medians)", flush=True)


def _digits(text: str) -> str:
    """Without the commas inside numbers."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


if __name__ == "__main__":
    main()
