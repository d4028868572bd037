"""`inro eval`: quality of search and of answers on a folder of corpus, queries and judgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from inro_tui.cli.context import Context, announce_compiling, narrate, shared_options, write_json, write_lines
from inro_tui.cli.index import show_progress
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import AnswerScore, EvalScore, Fusion, Lane


@click.command("eval")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--lane", type=click.Choice(["hybrid", "lexical", "dense"]), default="hybrid", show_default=True)
@click.option("--fusion", type=click.Choice(["calibrated", "rrf"]), default="calibrated", show_default=True)
@click.option("--rerank/--no-rerank", default=None, help="Order the first results anew; else as settings.toml says.")
@click.option("--history", is_flag=True, help="Search for follow-ups as `inro chat` does, by what was said before too.")
@click.option("--answers", is_flag=True, help="Measure answers and refusals instead of search.")
@click.option("--model", is_flag=True, help="With --answers: let the answering model speak. Slow.")
@click.option("--limit", type=click.IntRange(1), help="Ask only so many: the first; with --answers spread evenly.")
@shared_options
@click.pass_context
def eval_command(
    ctx: click.Context,
    directory: Path,
    lane: str,
    fusion: str,
    rerank: bool | None,
    history: bool,
    answers: bool,
    model: bool,
    limit: int | None,
) -> None:
    """Measure search, or answers, on a judged set.

    DIRECTORY holds corpus.jsonl, queries.jsonl and qrels.tsv. The index it builds is kept in the cache folder
    and used again until the corpus, the analyser or the embedder changes.

    With --answers the queries may say what the answer is (`answers`), that there is none (`answerable`) and
    what was said before (`history`); the last is used with --history too.
    """
    from inro.errors import UsageError
    from inro.evaluate import EvaluationSet

    if model and not answers:
        raise UsageError("--model does nothing to a measurement of search", "add --answers")
    if answers and (lane == "dense" or fusion != "calibrated" or rerank is not None or history):
        raise UsageError(
            "answers are made from the search as it is set",
            "leave out --fusion, --rerank and --history; --lane lexical answers without vectors",
        )

    context = Context.of(ctx)
    narrate(f"reading {directory}")
    announce_compiling("sync")
    evaluation = EvaluationSet.open(directory, dense=lane != "lexical", chat=model)
    show_progress(evaluation.build())
    if answers:
        from inro.answer_quality import measure_answers

        figures = answer_score_json(measure_answers(evaluation, limit=limit))
    else:
        figures = score_json(
            evaluation.measure(
                lane=cast("Lane", lane), fusion=cast("Fusion", fusion), limit=limit, rerank=rerank, history=history
            )
        )
    if context.json:
        write_json(figures)
    else:
        width = max(map(len, figures)) + 2
        write_lines(f"{name:<{width}}{clean_line(_figure(value))}" for name, value in figures.items())


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


def answer_score_json(score: AnswerScore) -> dict[str, object]:
    """An answer score as scripts see it."""
    return {
        "set": score.set,
        "questions": score.questions,
        "unanswerable": score.unanswerable,
        "known": score.known,
        "refusal_precision": _rounded(score.refusal_precision),
        "refusal_recall": _rounded(score.refusal_recall),
        "false_refusal": _rounded(score.false_refusal),
        "answer_in_extract": _rounded(score.answer_in_extract),
        "answer_in_sources": _rounded(score.answer_in_sources),
        "citation_precision": _rounded(score.citation_precision),
        "untraceable": score.untraceable,
        "model_answers": score.model_answers,
        "p50_ms": round(score.p50_ms, 2),
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _figure(value: object) -> str:
    return "-" if value is None else str(value)
