"""Retrieval quality on sets laid out as corpus.jsonl, queries.jsonl and qrels.tsv, through the real index and search.

The index of a set is kept in the cache folder under a name made from the corpus, the analyser, the chunker
and, once vectors are wanted, the embedder, so that a second lane or a changed fusion costs no indexing.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from inro import config, metrics, paths
from inro.errors import PathMissing, UsageError
from inro.library import Library
from inro.records import Block, EvalScore, Fusion, Lane, Progress, Reading, Turn

DEPTH = 100
"""Documents ranked a query: recall@100 needs as many."""


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """One set and the library its corpus is indexed in."""

    name: str
    directory: Path
    library: Library
    dense: bool

    @classmethod
    def open(cls, directory: Path, *, dense: bool, chat: bool = False) -> EvaluationSet:
        """A set by its folder; `dense` also embeds its corpus, `chat` lets the answering model speak.

        Raises:
            PathMissing: the folder, or a file a set must have, is not there.
        """
        for part in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
            if not (directory / part).is_file():
                raise PathMissing(
                    f"there is no {part} in {directory}", "name a folder with corpus.jsonl, queries.jsonl, qrels.tsv"
                )
        name = directory.resolve().name
        settings = config.load()
        if not chat:
            settings = replace(settings, chat="")
        digest = hashlib.sha256((directory / "corpus.jsonl").read_bytes())
        digest.update(_shapers(settings).encode())
        file = paths.cache_dir() / "eval" / f"{name}-{digest.hexdigest()[:16]}.inro"
        return cls(name, directory, Library(file, settings), dense)

    def build(self) -> Iterator[Progress]:
        """Index what is not indexed yet; nothing to do on a second run."""
        yield from self.library.add_readings(self.name, self._readings(), embed=self.dense)

    def measure(
        self,
        *,
        lane: Lane,
        fusion: Fusion = "calibrated",
        limit: int | None = None,
        rerank: bool | None = None,
        history: bool = False,
    ) -> EvalScore:
        """Ask every query (or the first `limit`) and average; latency is of the whole search, model included.

        Args:
            history: search for what an answer to the query would search for after its earlier turns; else for the
                query alone.
        """
        grades = self.grades()
        judged = [row for row in self.rows("queries") if str(row["id"]) in grades][:limit]
        asked = [(str(row["id"]), self._made_whole(row) if history else str(row["text"])) for row in judged]
        if not asked:
            raise UsageError(f"no query of {self.directory} has a relevant document")
        sums: dict[str, list[float]] = defaultdict(list)
        self.library.warm()
        names = {row.document: row.path for row in self.library.files()}
        for query, text in asked:
            started = time.perf_counter()
            found = self.library.ranked(text, limit=DEPTH, lane=lane, fusion=fusion, rerank=rerank)
            sums["ms"].append(1000 * (time.perf_counter() - started))
            ranked = [names[document] for document in found]
            grade = grades[query]
            sums["ndcg"].append(metrics.ndcg(ranked, grade, 10))
            sums["first"].append(metrics.found_first(ranked, grade))
            sums["r10"].append(metrics.recall(ranked, grade, 10))
            sums["r100"].append(metrics.recall(ranked, grade, 100))
            sums["mrr"].append(metrics.reciprocal_rank(ranked, grade, 10))
        return EvalScore(
            self.name,
            self._label(lane, fusion, rerank) + (", follow-ups made whole" if history else ""),
            len(asked),
            statistics.fmean(sums["ndcg"]),
            statistics.fmean(sums["first"]),
            statistics.fmean(sums["r10"]),
            statistics.fmean(sums["r100"]),
            statistics.fmean(sums["mrr"]),
            statistics.median(sums["ms"]),
        )

    def _made_whole(self, row: dict[str, Any]) -> str:
        from inro.answer.follow_up import whole
        from inro.answer.question import read

        text, earlier = str(row["text"]), turns(row.get("history") or ())
        weigh = self.library.evidence(text, dense=False).weigh
        return whole(read(text), earlier, self.library.engine.analyser(), weigh)

    def _label(self, lane: Lane, fusion: Fusion, rerank: bool | None) -> str:
        if lane != "hybrid":
            return lane
        if fusion != "calibrated":
            return f"hybrid {fusion}"
        chosen = self.library.settings.rerank
        on = chosen != "off" if rerank is None else rerank
        return f"hybrid, {'late' if chosen == 'off' else chosen} reranked" if on else "hybrid"

    def rows(self, part: Literal["corpus", "queries"]) -> Iterator[dict[str, Any]]:
        """The rows of a file of the set; each has an id."""
        file = self.directory / f"{part}.jsonl"
        with file.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                    row["id"]
                except (ValueError, KeyError, TypeError) as error:
                    raise UsageError(f"{file}, line {number} is not an object with an id") from error
                yield row

    def _readings(self) -> Iterator[tuple[str, Reading]]:
        for row in self.rows("corpus"):
            text = str(row.get("text", ""))
            yield (
                str(row["id"]),
                Reading(
                    text=text,
                    title=str(row.get("title", "")),
                    blocks=(Block("paragraph", 0, len(text)),) if text.strip() else (),
                    reader="corpus/1",
                ),
            )

    def grades(self) -> dict[str, dict[str, int]]:
        """Per query, the grade of each document judged relevant."""
        grades: dict[str, dict[str, int]] = defaultdict(dict)
        file = self.directory / "qrels.tsv"
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            parts = line.split("\t")
            try:
                query, document, grade = parts[0], parts[-2], int(parts[-1])
            except (IndexError, ValueError) as error:
                if number == 1 and len(parts) > 1:
                    # some publishers name the columns
                    continue
                raise UsageError(f"{file}, line {number} is not query, document, grade: {line[:80]}") from error
            grades[query][document] = grade
        return grades


def turns(history: Sequence[dict[str, Any]]) -> tuple[Turn, ...]:
    """Earlier turns out of a list of {speaker, text}, user and agent in turn."""
    found: list[Turn] = []
    for said in history:
        text = str(said.get("text", ""))
        if said.get("speaker") == "user":
            found.append(Turn(text, ""))
        elif found:
            found[-1] = Turn(found[-1].question, text)
    return tuple(found)


def _shapers(settings: config.Settings) -> str:
    """What decides the index besides the corpus; the embedder is watched by the index itself."""
    from inro import chunk
    from inro.index import field_text
    from inro.text.analyse import Analyser

    return f"{field_text.identity(Analyser(settings.han))} {chunk.chunker_id()}"
