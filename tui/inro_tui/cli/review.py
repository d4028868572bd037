"""`inro review`: answers from shelves, until their user takes them into the notes or turns them down."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inro_tui.cli.context import Context, narrate, shared_options, write_json, write_lines
from inro_tui.cli.find import answer_json, answer_lines
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from inro.records import ReviewItem


@click.group("review")
@shared_options
def review_command() -> None:
    """Answers that came from a shelf wait here until you accept or reject them."""


@review_command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that were decided.")
@shared_options
@click.pass_context
def list_command(ctx: click.Context, everything: bool) -> None:
    """What waits, oldest first."""
    from inro.state.reviews import Reviews

    context = Context.of(ctx)
    items = Reviews(context.library_path).list(everything=everything)
    if context.json:
        write_json([item_json(item) for item in items])
        return
    for item in items:
        said = f"{clean_line(item.answer.question)}  ({clean_line(item.answer.shelf)})"
        write_lines([f"{item.id:>4}  {item.state:<8}  {said}"])


@review_command.command("show")
@click.argument("number", type=click.IntRange(1))
@shared_options
@click.pass_context
def show_command(ctx: click.Context, number: int) -> None:
    """One answer with the passages it cites."""
    from inro.answer.markdown import cited
    from inro.state.reviews import Reviews

    context = Context.of(ctx)
    item = Reviews(context.library_path).get(number)
    if context.json:
        write_json(item_json(item))
        return
    write_lines([clean_line(item.answer.question), "", *answer_lines(item.answer)])
    for source in cited(item.answer):
        write_lines(["", source.mark, *(f"  {clean_line(line)}" for line in source.quote.splitlines())])


@review_command.command("accept")
@click.argument("number", type=click.IntRange(1))
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where the note goes. Default: the first folder of the library that is here.",
)
@shared_options
@click.pass_context
def accept_command(ctx: click.Context, number: int, into: Path | None) -> None:
    """Write a note of the question and the cited passages, in their own words.

    Not of the reply: nothing that a model said goes in. Mail addresses, telephone numbers and the names of the setting
    mask_names are masked. No file is ever written over.
    """
    from inro.shelves.accepting import accept, first_folder
    from inro.state.reviews import Reviews

    context = Context.of(ctx)
    reviews = Reviews(context.library_path)
    with context.open() as library:
        reviews.get(number)
        folder = into or first_folder(library.status(look=False).sources)
        file = accept(reviews, number, folder, date.today(), library.settings.mask_names)
    if context.json:
        write_json(item_json(reviews.get(number)))
    else:
        narrate(f"written: {file}. The library has it after: inro sync")


@review_command.command("reject")
@click.argument("number", type=click.IntRange(1))
@shared_options
@click.pass_context
def reject_command(ctx: click.Context, number: int) -> None:
    """Turn an answer down; the same one does not come back."""
    from inro.state.reviews import Reviews

    context = Context.of(ctx)
    reviews = Reviews(context.library_path)
    reviews.decide(number, "rejected")
    if context.json:
        write_json(item_json(reviews.get(number)))
    else:
        narrate(f"answer {number} is rejected")


def item_json(item: ReviewItem) -> dict[str, Any]:
    """An item as scripts see it."""
    return {
        "id": item.id,
        "state": item.state,
        "made": item.made,
        "note": item.note,
        "answer": answer_json(item.answer),
    }
