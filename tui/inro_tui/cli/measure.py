"""`inro eval`: retrieval quality on a folder of corpus, queries and judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from inro_tui.cli.context import Context, announce_compiling, narrate, shared_options, write_json, write_lines
from inro_tui.cli.index import show_progress
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import EvalScore, Fusion, Lane


@click.command("eval")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--lane", type=click.Choice(["hybrid", "lexical", "dense"]), default="hybrid", show_default=True)
@click.option("--fusion", type=click.Choice(["calibrated", "rrf"]), default="calibrated", show_default=True)
@click.option("--rerank/--no-rerank", default=None, help="Order the first results anew; else as settings.toml says.")
@click.option("--limit", type=click.IntRange(1), help="Ask only the first so many queries.")
@shared_options
@click.pass_context
def eval_command(
    ctx: click.Context, directory: Path, lane: str, fusion: str, rerank: bool | None, limit: int | None
) -> None:
    """Measure search on a judged set.

    DIRECTORY holds corpus.jsonl, queries.jsonl and qrels.tsv. The index it builds is kept in the cache folder
    and used again until the corpus, the analyser or the embedder changes.
    """
    from inro.evaluate import EvaluationSet

    context = Context.of(ctx)
    narrate(f"reading {directory}")
    announce_compiling("sync")
    evaluation = EvaluationSet.open(directory, dense=lane != "lexical")
    show_progress(evaluation.build())
    score = evaluation.measure(lane=cast("Lane", lane), fusion=cast("Fusion", fusion), limit=limit, rerank=rerank)
    if context.json:
        write_json(score_json(score))
    else:
        write_lines(f"{name:<12} {clean_line(str(value))}" for name, value in score_json(score).items())


def score_json(score: EvalScore) -> dict[str, object]:
    """A score under the names trec_eval users know."""
    return {
        "set": score.set,
        "lane": score.lane,
        "queries": score.queries,
        "ndcg@10": round(score.ndcg_10, 4),
        "recall@1": round(score.recall_1, 4),
        "recall@10": round(score.recall_10, 4),
        "recall@100": round(score.recall_100, 4),
        "mrr@10": round(score.mrr_10, 4),
        "p50_ms": round(score.p50_ms, 2),
    }
