"""`inro search`, `inro ask`, `inro show`: questions to the library, answers on stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import click

from inro_tui.cli.context import (
    Context,
    Function,
    announce_compiling,
    as_text,
    narrate,
    shared_options,
    write_json,
    write_lines,
)
from inro_tui.cli.paint import Paint
from inro_tui.sanitise import clean, clean_line

if TYPE_CHECKING:
    from inro.records import Answer, DocumentView, Fusion, Hit, Lane, SearchResult, SourcePassage

MOST_COPIES = 3
"""Paths shown of documents that say the same as a hit; JSON has all."""


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "--limit", default=10, show_default=True, type=click.IntRange(1, 1000), help="Results at most.")
@click.option("--lane", type=click.Choice(["hybrid", "lexical", "dense"]), default="hybrid", show_default=True)
@click.option("--fusion", type=click.Choice(["calibrated", "rrf"]), default="calibrated", show_default=True)
@click.option("--rerank/--no-rerank", default=None, help="Order the first results anew; else as settings.toml says.")
@click.option(
    "--deadline", metavar="MS", type=click.IntRange(1), help="Milliseconds to wait for the meaning of the query."
)
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@click.option("--jsonl", is_flag=True, help="Write JSON, a result a line.")
@shared_options
@click.pass_context
def search_command(
    ctx: click.Context,
    query: tuple[str, ...],
    limit: int,
    lane: str,
    fusion: str,
    rerank: bool | None,
    deadline: int | None,
    explain: bool,
    jsonl: bool,
) -> None:
    """Find passages by words and by meaning.

    \b
    words in any order        "exact words"    -without    begins*
    path:experiments/  tag:焼結  type:md  source:2  date:2026-04..2026-06  field:version>=2

    A query that begins with a minus goes after `--`. The whole language is in docs/search.md.
    """
    context = Context.of(ctx)
    announce_compiling("search")
    with context.open() as library:
        library.begin(dense=lane != "lexical")
        with library.looking_beside():
            result = library.search(
                as_text(" ".join(query)),
                limit=limit,
                lane=cast("Lane", lane),
                fusion=cast("Fusion", fusion),
                rerank=rerank,
                deadline_ms=deadline,
            )
    for hint in result.hints:
        narrate(f"note: {hint}")
    if jsonl:
        for hit in result.hits:
            write_json(hit_json(hit), indent=None)
    elif context.json:
        write_json([hit_json(hit) for hit in result.hits])
    else:
        write_lines(result_lines(result, explain))


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as scripts see it: `highlights` are spans inside `snippet`, `start` and `end` are the chunk's."""
    return {
        "rank": hit.rank,
        "score": hit.score,
        "document": hit.document,
        "path": hit.path,
        "title": hit.title,
        "heading": hit.heading,
        "page": hit.page,
        "chunk": hit.chunk,
        "start": hit.start,
        "end": hit.end,
        "snippet": hit.snippet,
        "snippet_start": hit.snippet_start,
        "highlights": hit.highlights,
        "pinned": hit.pinned,
        "below_floor": hit.below_floor,
        "also_in": [copy.path for copy in hit.also_in],
        "trace": hit.trace,
    }


def result_lines(result: SearchResult, explain: bool = False) -> Iterator[str]:
    """Hits for a person, two lines each, and the ledger."""
    paint = Paint.for_stdout()
    for hit in result.hits:
        mark = "=" if hit.pinned else "~" if hit.below_floor else " "
        heading = f"  {paint.dim(clean_line(hit.heading))}" if hit.heading else ""
        yield f"{hit.rank:>3}{mark} {paint.bold(clean_line(hit.title))}{heading}  {paint.dim(clean_line(hit.path))}"
        yield f"     {paint.highlighted(hit.shown, hit.shown_highlights)}"
        if hit.also_in:
            yield paint.dim(f"     also in {len(hit.also_in)} more: {also_in(hit)}")
        if explain:
            for part in hit.trace:
                yield f"       {part.value:+9.4f}  {part.lane}: {clean_line(part.note)}"
            yield f"       {hit.score:9.4f}  score"
    ledger = result.ledger
    shown = "1 result" if len(result.hits) == 1 else f"{len(result.hits)} results"
    left_out = ", ".join(
        f"{count} {word}"
        for count, word in (
            (ledger.unreadable, "unreadable"),
            (ledger.skipped, "skipped"),
            (ledger.offline, "offline"),
            (ledger.changed, "changed since"),
        )
        if count
    )
    yield paint.dim(
        f"{shown}; searched {ledger.searched} of {ledger.total} documents"
        + (f" ({left_out})" if left_out else "")
        + f"; {result.elapsed_ms:.0f} ms"
    )


def also_in(hit: Hit) -> str:
    """The first few documents that say the same."""
    paths = [clean_line(copy.path) for copy in hit.also_in[:MOST_COPIES]]
    return ", ".join(paths) + (", …" if len(hit.also_in) > MOST_COPIES else "")


def shelves_option(function: Function) -> Function:
    """Adds `--shelves/--no-shelves` to a command that answers."""
    return click.option(
        "--shelves/--no-shelves",
        default=None,
        help="Ask the attached shelves when the library is silent; else as settings.toml says.",
    )(function)


@click.command("ask")
@click.argument("question", nargs=-1, required=True)
@shelves_option
@shared_options
@click.pass_context
def ask_command(ctx: click.Context, question: tuple[str, ...], shelves: bool | None) -> None:
    """Answer from the library, cited and checked.

    Every sentence names the passages it rests on and is checked against them; what the library does not hold
    is refused, with the nearest there is.
    """
    from inro.records import AnswerDone, AnswerStep

    context = Context.of(ctx)
    announce_compiling("search")
    answer: Answer | None = None
    with context.open() as library:
        for event in library.ask(as_text(" ".join(question)), shelves=shelves):
            if isinstance(event, AnswerStep) and sys.stderr.isatty():
                narrate(f"· {event.text}")
            elif isinstance(event, AnswerDone):
                answer = event.answer
    assert answer is not None
    if context.json:
        write_json(answer_json(answer))
    else:
        write_lines(answer_lines(answer))


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer as scripts see it."""
    return {
        "question": answer.question,
        "answer": answer.answer,
        "refused": answer.refused,
        "mode": answer.mode,
        "sentences": answer.sentences,
        "sources": answer.sources,
        "steps": answer.steps,
        "misses": [hit_json(hit) for hit in answer.misses],
        "shelf": answer.shelf,
        "speed": answer.speed,
    }


def answer_lines(answer: Answer, *, sources: bool = True) -> Iterator[str]:
    """An answer for a person: sentences with their numbers, what failed marked, then the sources."""
    paint = Paint.for_stdout()
    if answer.refused:
        yield clean(answer.answer)
        if answer.misses:
            yield paint.dim("The nearest there is:")
            for hit in answer.misses:
                yield f"  {clean_line(hit.title)}  {paint.dim(clean_line(hit.path))}"
        return
    if answer.shelf:
        yield paint.foreign(f"From the shelf {clean_line(answer.shelf)}, not from your library:")
    cite = paint.foreign if answer.shelf else paint.bold
    for sentence in answer.sentences:
        numbers = "".join(map(answer.mark, sentence.citations))
        mark = (
            ""
            if sentence.supported
            else paint.warn("  (unsupported: " + "; ".join(map(clean_line, sentence.problems)) + ")")
        )
        yield f"{clean_line(sentence.text)} {cite(numbers)}{mark}".rstrip()
    if sources:
        yield ""
        for source in answer.sources:
            yield source_line(source, paint)
        if answer.shelf and answer.misses:
            yield paint.dim("Also found there, not read for this answer:")
            for hit in answer.misses:
                yield paint.dim(f"  {clean_line(hit.title)}  {clean_line(hit.path)}")


def source_line(source: SourcePassage, paint: Paint) -> str:
    """A numbered passage for a person: what it is from and where it stands there."""
    heading = f" › {clean_line(source.heading)}" if source.heading else ""
    page = f", page {source.page}" if source.page else ""
    where = f"{clean_line(source.title)}{heading}{page}  {clean_line(source.path)} {source.start}-{source.end}"
    return f"{paint.foreign(source.mark)} {paint.dim(where)}" if source.shelf else paint.dim(f"{source.mark} {where}")


@click.command("show")
@click.argument("document")
@click.option("--at", metavar="START", type=click.IntRange(0), help="Begin with the line that holds this character.")
@shared_options
@click.pass_context
def show_command(ctx: click.Context, document: str, at: int | None) -> None:
    """Show a document as stored.

    DOCUMENT is its number, its path or its title. A result of `inro search --json` has its document's number
    as `document` and its place in it as `start`.
    """
    from inro.errors import UsageError

    context = Context.of(ctx)
    with context.open() as library:
        view = library.show(as_text(document))
    if at is not None and at > len(view.text):
        raise UsageError(f"--at {at} is past the end of {view.path}", f"name a character up to {len(view.text)}")
    if context.json:
        write_json(view)
        return
    begin = 0
    if at is not None:
        begin = view.text.rfind("\n", 0, at) + 1
        narrate(place(view, begin))
    write_lines([clean(view.text[begin:])])


def place(view: DocumentView, start: int) -> str:
    """Where in a document a line is that begins at `start`: its number and the headings it stands under."""
    above: list[tuple[int, str]] = []
    for offset, level, text in view.headings:
        if offset > start:
            break
        above = [(higher, name) for higher, name in above if higher < level] + [(level, text)]
    return " › ".join([f"{view.path}, line {view.text.count(chr(10), 0, start) + 1}", *(name for _, name in above)])
