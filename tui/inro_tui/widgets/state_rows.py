"""How the library's state looks: folders, models, files with problems, the figures, a sync's progress."""

from __future__ import annotations

from collections.abc import Sequence

from inro.records import FileOutcome, Outcome, Progress, SourceState, Status, SyncReport
from inro_tui.facade import Model
from inro_tui.lines import Line, fold, joined, spread
from inro_tui.sanitise import clean_line
from inro_tui.strings import Strings
from inro_tui.widgets.rows import Row
from inro_tui.wrap import cut_middle

FILTERS = ("problems", "unreadable", "partial", "skipped")
_BAR = 20
_OUTCOME_STYLE: dict[Outcome, str] = {
    "ok": "good",
    "partial": "warn",
    "unreadable": "bad",
    "skipped": "faint",
}


def summary(status: Status, strings: Strings) -> list[Line]:
    """The figures of the library, in two lines."""
    figures: list[tuple[str, str]] = [
        (strings.library_documents, f"{status.documents:,}"),
        (strings.library_chunks, f"{status.chunks:,}"),
        (strings.library_vectors, f"{status.vectors:,}"),
        (strings.library_size, size_text(status.bytes)),
    ]
    made: list[tuple[str, str]] = [
        (strings.library_embedder, clean_line(status.embedder) or strings.library_none),
        (strings.library_analyser, clean_line(status.analyser) or strings.library_none),
    ]
    lines = [
        joined([((f"{name} ", "dim"), (value, "bold")) for name, value in figures], ("   ", "dim")),
        joined([((f"{name} ", "dim"), (value, "plain")) for name, value in made], ("   ", "dim")),
    ]
    if status.to_embed:
        lines[0] = (*lines[0], ("   " + strings.library_to_embed.format(n=f"{status.to_embed:,}"), "warn"))
    if status.drift is not None and status.drift.total:
        lines[0] = (*lines[0], ("   " + strings.ledger_changed.format(n=f"{status.drift.total:,}"), "warn"))
    return lines + [((clean_line(note), "warn"),) for note in status.notes]


def size_text(size: int) -> str:
    """Bytes as a person reads them, in powers of 1000."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


def source_rows(sources: Sequence[SourceState], strings: Strings) -> list[Row]:
    """A row for each indexed root."""
    if not sources:
        return [_only_text("no-sources", strings.library_no_sources, "dim")]
    return [_source_row(source, strings) for source in sources]


def _source_row(source: SourceState, strings: Strings) -> Row:
    when = strings.library_never
    if source.last_sync:
        when = strings.library_synced.format(when=clean_line(source.last_sync)[:16].replace("T", " "))

    def draw(width: int) -> list[Line]:
        path = (cut_middle(clean_line(source.path), max(width - 10, 8)), "bold")
        count = (f"{source.documents:,}", "second")
        below: list[Line] = [((when, "faint"),)]
        if not source.present:
            below.insert(0, ((strings.library_offline, "warn"),))
        return [spread((path,), (count,), width), joined(below)]

    return Row(("source", source.id), draw, item=source)


def model_rows(models: Sequence[Model], strings: Strings) -> list[Row]:
    """A row for each listed model, those that are here first."""
    return [_model_row(model, strings) for model in sorted(models, key=lambda model: (not model.installed, model.role))]


def _model_row(model: Model, strings: Strings) -> Row:
    def draw(width: int) -> list[Line]:
        here = (strings.library_installed, "good") if model.installed else (strings.library_absent, "faint")
        name: Line = ((clean_line(model.name), "bold" if model.installed else "dim"),)
        role: Line = ((clean_line(model.role), "second"),)
        lines = [spread(joined([name, role]), (here,), width)]
        note = clean_line(model.note)
        return lines + (fold(((note, "faint"),), width, limit=1) if note else [])

    return Row(("model", model.name), draw, item=model)


def file_rows(files: Sequence[FileOutcome], wanted: str, strings: Strings) -> list[Row]:
    """A row for each file that was not read whole, as far as the filter lets it through."""
    shown = [
        file
        for file in files
        if file.outcome == wanted or (wanted == "problems" and file.outcome in ("unreadable", "partial"))
    ]
    if not shown:
        return [_only_text("no-problems", strings.library_no_problems, "good")]
    return [_file_row(file, strings) for file in shown]


def _file_row(file: FileOutcome, strings: Strings) -> Row:
    def draw(width: int) -> list[Line]:
        name = strings.library_filter.get(file.outcome, file.outcome)
        mark = (name, _OUTCOME_STYLE[file.outcome])
        lines = [spread(((cut_middle(clean_line(file.path), max(width - 16, 8)), "bold"),), (mark,), width)]
        if file.reason:
            lines += fold(((clean_line(file.reason), "plain"),), width, "  ", limit=2)
        if file.mend:
            lines += fold(((strings.do.format(mend=clean_line(file.mend)), "dim"),), width, "  ", limit=2)
        return lines

    return Row(("file", file.document), draw, item=file)


def _only_text(key: str, text: str, style: str) -> Row:
    return Row(key, lambda width: fold(((text, style),), width), choosable=False)


def progress_line(progress: Progress, strings: Strings) -> tuple[Line, Line]:
    """(the bar and its figures, the file at hand)."""
    pieces: Line = ((strings.sync_phase.get(progress.phase, progress.phase), "bold"),)
    parts: list[Line] = [pieces]
    if progress.total > 0:
        share = max(0.0, min(progress.done / progress.total, 1.0))
        full = int(share * _BAR)
        parts.append((("▮" * full, "lead"), ("▯" * (_BAR - full), "faint"), (f" {share:4.0%}", "plain")))
        parts.append(((f"{progress.done:,}/{progress.total:,}", "dim"),))
    elif progress.done:
        parts.append(((f"{progress.done:,}", "dim"),))
    if progress.rate > 0:
        parts.append(((strings.sync_rate.format(rate=f"{progress.rate:,.1f}"), "dim"),))
    if progress.eta is not None:
        parts.append(((strings.sync_eta.format(eta=time_text(progress.eta)), "dim"),))
    return joined(parts), ((clean_line(progress.path), "faint"),)


def time_text(seconds: float) -> str:
    """Seconds as m:ss, or h:mm:ss."""
    whole = max(round(seconds), 0)
    hours, rest = divmod(whole, 3600)
    minutes, last = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{last:02}" if hours else f"{minutes}:{last:02}"


def report_lines(report: SyncReport, strings: Strings) -> list[Line]:
    """What a sync did, and what the user should know of it."""
    did = strings.sync_report.format(
        added=f"{report.added:,}",
        changed=f"{report.changed:,}",
        removed=f"{report.removed:,}",
        unchanged=f"{report.unchanged:,}",
    )
    parts: list[Line] = [((strings.library_last_run, "dim"),), ((did, "good"),)]
    if report.unreadable:
        parts.append(((strings.sync_unreadable.format(n=f"{report.unreadable:,}"), "warn"),))
    return [joined(parts), *(((clean_line(note), "warn"),) for note in report.notes)]
