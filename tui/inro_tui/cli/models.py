"""`inro models`: what is here, what is missing, and the ways to bring a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inro_tui.cli.context import Context, narrate, overwrite, shared_options, write_json, write_lines
from inro_tui.sanitise import clean_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inro.models import FetchProgress
    from inro.records import ModelTrial


@click.group("models")
@shared_options
def models_command() -> None:
    """The models: what is here, what is missing, how to bring it."""


@models_command.command("list")
@shared_options
@click.pass_context
def list_command(ctx: click.Context) -> None:
    """Every model Inro knows, and which are here."""
    from inro.models import list_models

    models = list_models()
    if Context.of(ctx).json:
        write_json(models)
        return
    for model in models:
        size = f"{model.bytes / 1e6:,.0f} MB" if model.bytes else ""
        state = "here" if model.installed else "-"
        write_lines([f"{state:<5} {model.role:<7} {model.name:<32} {size:>10}  {model.licence:<11} {model.note}"])
    for model in models:
        if model.default and not model.installed:
            narrate(f"{model.name} is not here. Do: {model.mend}")


@models_command.command("fetch")
@click.argument("names", nargs=-1)
@shared_options
@click.pass_context
def fetch_command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Bring models from the network: the default ones, or those named.

    The only command that uses a network. What is here already is not brought again.
    """
    from inro.models import fetch

    done = show_fetch(fetch(names or None))
    if Context.of(ctx).json:
        write_json(done)


@models_command.command("quantize")
@click.argument("name", default="bge-m3")
@shared_options
@click.pass_context
def quantize_command(ctx: click.Context, name: str) -> None:
    """Make the int8 form of an embedder from its published file.

    The file is fetched first, unless it was imported.
    """
    from inro.models import quantise

    done = show_fetch(quantise(name))
    if Context.of(ctx).json:
        write_json(done)


@models_command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="The model it is, as in `inro models list`; else told by its hash or file name.")
@shared_options
@click.pass_context
def import_command(ctx: click.Context, file: Path, name: str | None) -> None:
    """Take a model from a file that was carried here."""
    from inro.models import import_file

    model = import_file(file, name)
    if Context.of(ctx).json:
        write_json(model)
    elif model.installed:
        write_lines([f"{model.name} is here: {clean_line(model.path)}"])
    else:
        write_lines([f"{model.name} needs more. Do: {clean_line(model.mend)}"])


@models_command.command("bundle")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Take the place of a file of that name.")
@shared_options
@click.pass_context
def bundle_command(ctx: click.Context, names: tuple[str, ...], out: Path, replace: bool) -> None:
    """Pack models that are here into one archive, OUT.

    For a machine without a network, where `inro models unbundle` takes it in. Without names, every model that is
    here and whole. OUT may be a folder.
    """
    from inro.models import bundle
    from inro.models.bundling import NOT_HERE
    from inro.records import Bundle

    made: list[Bundle] = []

    def packing() -> Iterator[FetchProgress]:
        for event in bundle(names, out, replace=replace):
            if isinstance(event, Bundle):
                made.append(event)
            else:
                yield event

    show_fetch(packing())
    for packed in made:
        for name, why in packed.left_out.items():
            if why != NOT_HERE:
                narrate(f"left out: {name}: {why}")
        if absent := [name for name, why in packed.left_out.items() if why == NOT_HERE]:
            narrate(f"left out, not here: {', '.join(absent)}")
        if Context.of(ctx).json:
            write_json(packed)
        else:
            held = f"{', '.join(packed.models)}; {packed.bytes / 1e6:,.0f} MB, sha256 {packed.sha256}"
            write_lines([f"{clean_line(packed.path)}: {held}"])


@models_command.command("unbundle")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@shared_options
@click.pass_context
def unbundle_command(ctx: click.Context, file: Path, names: tuple[str, ...]) -> None:
    """Take in models from an archive that `inro models bundle` made.

    All that are in it, or those named. Every file is checked while it is written, and a model that is here and sound
    is left as it is.
    """
    from inro.models import unbundle

    done = show_fetch(unbundle(file, names))
    if Context.of(ctx).json:
        write_json(done)


@models_command.command("verify")
@click.argument("names", nargs=-1)
@shared_options
@click.pass_context
def verify_command(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Check the files of the models that are here.

    Their hashes, and an embedder's vectors against a reference; the exit code is 1 if something is wrong.
    """
    from inro.models import verify

    checks = tuple(verify(names or None))
    if Context.of(ctx).json:
        write_json(checks)
    else:
        for check in checks:
            tail = f". Do: {clean_line(check.mend)}" if check.mend and not check.ok else ""
            write_lines([f"{'ok ' if check.ok else 'BAD'} {check.name}: {clean_line(check.found)}{tail}"])
    ctx.exit(0 if all(check.ok for check in checks) else 1)


@models_command.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@shared_options
@click.pass_context
def check_command(ctx: click.Context, file: Path) -> None:
    """Test a chat model of your own (a GGUF file) on this machine.

    Puts questions in English and Japanese with passages to answer from: some hold the answer, some do not, some hold
    orders that must not be obeyed. Takes a minute for a tiny model, ten or more for one of 4 billion parameters.
    """
    from dataclasses import asdict

    from inro import config
    from inro.model_check import check
    from inro.records import ModelTrial, TrialCase

    results: list[TrialCase] = []
    trial: ModelTrial | None = None
    for event in check(file, config.load().threads):
        if isinstance(event, ModelTrial):
            trial = event
        else:
            results.append(event)
            fault = f" ({event.failure})" if event.failure else ", obeyed" if event.obeyed else ""
            narrate(f"{'right' if event.right else 'wrong'}  {event.kind}: {event.name}{fault}")
    assert trial is not None
    if Context.of(ctx).json:
        write_json({**asdict(trial), "results": results})
    else:
        write_lines(trial_lines(trial))


def trial_lines(trial: ModelTrial) -> list[str]:
    """What the test came to, for a person."""

    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    verdict = "recommended" if trial.recommended else "not recommended"
    return [
        clean_line(trial.model),
        f"  load                {trial.load_seconds:.1f} s",
        f"  first token         {trial.first_token_ms:.0f} ms",
        f"  tokens a second     {trial.tokens_per_second:.1f}",
        f"  peak memory         {trial.peak_bytes / 1e6:,.0f} MB",
        f"  right answers       {share(trial.right)}",
        f"  citation precision  {share(trial.citation_precision)}",
        f"  refusal precision   {share(trial.refusal_precision)}",
        f"  refusal recall      {share(trial.refusal_recall)}",
        f"  orders obeyed       {trial.obeyed}",
        f"  {verdict}" + (":" if trial.reasons else ""),
        *(f"    {clean_line(reason)}" for reason in trial.reasons),
    ]


@models_command.command("path")
@click.argument("name", required=False)
@shared_options
@click.pass_context
def path_command(ctx: click.Context, name: str | None) -> None:
    """Where the models are, or where one of them is."""
    from inro.models import model_path
    from inro.paths import models_dir

    place = model_path(name) if name else models_dir()
    if Context.of(ctx).json:
        write_json({"path": place})
    else:
        write_lines([clean_line(str(place))])


def show_fetch(events: Iterable[FetchProgress]) -> list[str]:
    """Narrates fetching, packing or unpacking on stderr; returns the models that are ready."""
    terminal = sys.stderr.isatty()
    ready: list[str] = []
    shown = ("", "")
    try:
        for event in events:
            share = f" {100 * event.done // event.total} %" if event.total else ""
            if event.phase == "done":
                ready.append(event.model)
            said = " ".join(filter(None, [event.file, event.note if event.phase == "done" else ""]))
            if terminal and event.phase != "done":
                overwrite(f"{event.model}: {event.phase} {event.file}{share}")
            elif (event.model, event.phase) != shown:
                if terminal:
                    overwrite("")
                narrate(clean_line(f"{event.model}: {event.phase} {said}"))
            shown = (event.model, event.phase)
    finally:
        if terminal and shown[0]:
            overwrite("")
    return ready
