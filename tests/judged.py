"""A judged set in a folder, as `inro eval` takes it, indexed by words alone in a home without models."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from inro.evaluate import EvaluationSet


def write_rows(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """A line of JSON a row."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def judged_set(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: Mapping[str, str],
    queries: Sequence[Mapping[str, object]],
    relevant: Mapping[str, str],
) -> EvaluationSet:
    """The set of these texts by id, queries, and the one relevant document of each query that has one."""
    monkeypatch.setenv("INRO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "no models"))
    folder = tmp_path / "small"
    folder.mkdir()
    write_rows(folder / "corpus.jsonl", [{"id": name, "title": "", "text": text} for name, text in texts.items()])
    write_rows(folder / "queries.jsonl", queries)
    (folder / "qrels.tsv").write_text("".join(f"{query}\t{document}\t1\n" for query, document in relevant.items()))
    opened = EvaluationSet.open(folder, dense=False)
    for _ in opened.build():
        pass
    return opened
