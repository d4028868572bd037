"""The study behind the refusals: the weights of `inro.answer.refuse`, and what they refuse of questions held out.

    python tests/bench/refusal.py
    python tests/bench/refusal.py --shared ../shared --limit 300 --lexical

Half of the questions of each set cannot be answered: either the set says so, or the passages that answer them are
taken out of what the search brings (and out of the document frequencies), unless another document of the same title
holds the answer too. Weights are fitted together with one intercept a language. `held out`: ten parts by article, each
judged by weights and thresholds from the other nine. `left out`: a language judged by weights from the other two; only
the threshold is its own. `in sample` is what the printed weights do on the questions they were fitted on.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from quality_sets import shared

from inro.answer.context import numbered
from inro.answer.evidence import AnswerSettings, Evidence, Passage
from inro.answer.extract import extract
from inro.answer.question import read
from inro.answer.refuse import features
from inro.answer.relevance import query_terms
from inro.answer_quality import fold
from inro.evaluate import EvaluationSet
from inro.text.analyse import Analyser

SETS = {"ja": "ja-unanswerable", "zh": "zh-cmrc2018", "en": "xquad-en"}
NAMES = ("window", "passage", "subject", "lead", "agree", "dense_lead")
FALSE_REFUSALS = 0.05
PARTS = 10
RIDGE = 0.05

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Features of the questions of one set; n of them."""

    values: Floats
    """float64[n, 6], as `Features.vector` has them; nan where the search brought nothing, which is always refused."""
    answerable: NDArray[np.bool_]
    part: NDArray[np.int64]
    """Which of ten parts a question is in: questions of one article together."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared())
    parser.add_argument("--limit", type=int, default=600, help="questions a set")
    parser.add_argument("--lexical", action="store_true", help="without vectors")
    parser.add_argument("--keep", type=Path, help="a file the features are kept in and read from again")
    given = parser.parse_args()
    if given.keep and given.keep.is_file():
        samples = _loaded(given.keep)
    else:
        samples = {
            tongue: sample(given.shared / "eval" / name, given.limit, not given.lexical)
            for tongue, name in SETS.items()
        }
        if given.keep:
            _keep(given.keep, samples)
    report(samples)


def report(samples: dict[str, Sample]) -> None:
    weights = fitted(samples.values(), lambda sample: np.ones(len(sample.part), np.bool_))
    print("weights   ", "  ".join(f"{name} {weight:.2f}" for name, weight in zip(NAMES, weights, strict=True)))
    print(f"{'':4}{'asked':>6}{'threshold':>11}{'in sample':>11}{'held out':>16}{'left out':>10}")
    held_out = [fitted(samples.values(), lambda s, k=k: s.part != k) for k in range(PARTS)]
    for tongue, one in samples.items():
        scores = scored(one, weights)
        threshold = limit_of(scores[one.answerable])
        refused, wrongly = _held_out(one, held_out)
        others = fitted([s for name, s in samples.items() if name != tongue], lambda s: np.ones(len(s.part), np.bool_))
        alone = scored(one, others)
        print(
            f"{tongue:4}{len(scores):>6}{threshold:>11.2f}{_refused(scores, one, threshold):>11.3f}"
            f"{refused:>8.3f}/{wrongly:.3f}{_refused(alone, one, limit_of(alone[one.answerable])):>12.3f}"
        )


def fitted(samples: Any, chosen: Any) -> Floats:
    """float64[6]: a ridge logistic regression over the chosen questions of all samples, an intercept a sample."""
    samples = list(samples)
    rows, answers = [], []
    for i, one in enumerate(samples):
        kept = chosen(one) & ~np.isnan(one.values[:, 0])
        own = np.zeros((int(kept.sum()), len(samples)))
        own[:, i] = 1.0
        rows.append(np.hstack([one.values[kept], own]))
        answers.append(one.answerable[kept].astype(np.float64))
    x, y = np.vstack(rows), np.concatenate(answers)
    width = len(NAMES)
    penalty = np.diag([RIDGE] * width + [1e-6] * len(samples))
    weights = np.zeros(x.shape[1])
    for _ in range(60):
        odds = 1 / (1 + np.exp(-np.clip(x @ weights, -40, 40)))
        slope = x.T @ (odds - y) + penalty @ weights
        step = np.linalg.solve((x * (odds * (1 - odds))[:, None]).T @ x + penalty, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return np.asarray(weights[:width])


def limit_of(scores: Floats) -> float:
    """The score below which one answerable question in twenty falls, at most."""
    return float(np.sort(scores)[int(FALSE_REFUSALS * len(scores))])


def scored(one: Sample, weights: Floats) -> Floats:
    """float64[n], -inf for a question that nothing was found for."""
    return np.nan_to_num(one.values @ weights, nan=-np.inf)


def sample(directory: Path, limit: int, dense: bool) -> Sample:
    """The features of a set's questions, half of which cannot be answered."""
    opened = EvaluationSet.open(directory, dense=dense)
    for _ in opened.build():
        pass
    corpus = {str(row["id"]): row for row in opened.rows("corpus")}
    alike = defaultdict(list)
    for row in corpus.values():
        alike[row.get("title", "")].append(row)
    rows, grades = list(opened.rows("queries")), opened.grades()
    rows = [rows[i * len(rows) // limit] for i in range(limit)] if limit < len(rows) else rows
    told = any(row.get("answerable") is False for row in rows)
    paths = {row.document: row.path for row in opened.library.files()}
    values, answerable, part = [], [], []
    for row in rows:
        gold = set(grades.get(str(row["id"]), ()))
        taken = not told and zlib.crc32(str(row["id"]).encode()) % 2 == 0 and not _elsewhere(row, gold, corpus, alike)
        evidence = opened.library.evidence(str(row["text"]), dense=dense)
        if taken:
            evidence = without(evidence, {p for p in evidence.passages if paths[p.hit.document] in gold}, corpus, gold)
        values.append(_vector(str(row["text"]), evidence))
        answerable.append(not taken and row.get("answerable", True) is not False)
        title = corpus[min(gold)].get("title", "") if gold else ""
        part.append(zlib.crc32((title if len(alike) > PARTS and title else str(row["id"])).encode()) % PARTS)
    opened.library.close()
    return Sample(np.array(values), np.array(answerable), np.array(part))


def without(evidence: Evidence, gone: set[Passage], corpus: dict[str, Any], gold: set[str]) -> Evidence:
    """The evidence as if some documents had never been in the library."""
    kept = tuple(p for p in evidence.passages if p not in gone)
    rest = list(zip(evidence.shares, evidence.z, strict=True))
    for passage in gone:
        rest.remove((passage.lexical_share, passage.dense_z))
    held = [Analyser().terms(f"{corpus[g].get('title', '')}\n{corpus[g]['text']}").keys for g in gold]
    keys_gone = np.unique(np.concatenate(held)) if held else np.empty(0, np.uint64)

    def weigh(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
        # one document less: exactly for a term that was in no other, nearly for the rest
        unseen = evidence.weigh(np.array([2**64 - 1], np.uint64))[0]
        idf = evidence.weigh(keys)
        once = np.isin(keys, keys_gone) & (idf > unseen - np.log(3.1))
        return np.where(once, unseen, idf)

    nearest = int(np.argmax([p.dense_z for p in kept])) if kept else None
    return replace(
        evidence,
        passages=kept,
        shares=tuple(s for s, _ in rest),
        z=tuple(z for _, z in rest),
        weigh=weigh,
        nearest=nearest,
    )


def _vector(text: str, evidence: Evidence) -> tuple[float, ...]:
    asked, analyser = read(text), Analyser()
    settings = AnswerSettings()
    by_place = {(p.hit.document, p.hit.start): p for p in evidence.passages}
    sources = numbered(evidence.passages, settings.passages, evidence.nearest)
    shown = [by_place[s.document, s.start] for s in sources]
    drafted = extract(asked, query_terms(asked, analyser, evidence.weigh), shown, analyser)
    found = features(asked, evidence, drafted)
    return found.vector() if found else (np.nan,) * len(NAMES)


def _elsewhere(row: dict[str, Any], gold: set[str], corpus: dict[str, Any], alike: dict[str, list[Any]]) -> bool:
    """Whether another document of the same title holds the answer."""
    if not gold:
        return True
    answers = [fold(str(answer)) for answer in row.get("answers") or ()]
    others = [fold(d["text"]) for d in alike[corpus[min(gold)].get("title", "")] if d["id"] not in gold]
    return any(answer in other for answer in answers if answer for other in others)


def _held_out(one: Sample, weights: Sequence[Floats]) -> tuple[float, float]:
    """Of the unanswerable, what is refused by the other parts' weights; and of the answerable."""
    refused = np.zeros(len(one.part), np.bool_)
    for k, each in enumerate(weights):
        scores = scored(one, each)
        here = one.part == k
        refused[here] = scores[here] < limit_of(scores[one.answerable & ~here])
    return float(refused[~one.answerable].mean()), float(refused[one.answerable].mean())


def _refused(scores: Floats, one: Sample, threshold: float) -> float:
    return float((scores[~one.answerable] < threshold).mean())


def _keep(file: Path, samples: dict[str, Sample]) -> None:
    kept = {t: [s.values.tolist(), s.answerable.tolist(), s.part.tolist()] for t, s in samples.items()}
    file.write_text(json.dumps(kept), encoding="utf-8")


def _loaded(file: Path) -> dict[str, Sample]:
    kept = json.loads(file.read_text(encoding="utf-8"))
    return {t: Sample(np.array(v), np.array(a), np.array(p)) for t, (v, a, p) in kept.items()}


if __name__ == "__main__":
    main()
