"""What a sync costs: a few changed notes among many, a renamed folder, and ten thousand files for the first time.

    python tests/bench/syncing.py --notes 300 --files 10000

With the default embedder where it is installed; the large folder is indexed by words alone, since embedding has a
benchmark of its own. Memory is the process's peak at every tenth of the files.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from growing import notes

from inro.index import pipeline
from inro.library import Library
from inro.records import Progress, SyncReport
from inro.store.connect import Store

FOLDER = 100
"""Notes in one folder of the large set."""


def write(root: Path, count: int) -> int:
    """Write so many notes below `root`; their bytes."""
    size = 0
    for n, text in enumerate(islice(notes(count), count)):
        path = root / f"{n // FOLDER:03}" / f"note {n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        size += path.write_bytes(text.encode())
    return size


def done(events: Iterator[Progress]) -> SyncReport:
    report = None
    for event in events:
        report = event.report or report
    assert report is not None
    return report


def peak_mb() -> float:
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def few_of_many(folder: Path, count: int) -> None:
    """Five changed among `count`, then the folder renamed; the model is warm."""
    root = folder / "vault" / "notes"
    write(root, count)
    with Library(folder / "few.inro") as library:
        first = done(library.add([folder / "vault"]))
        print(f"{count} notes: {first.added} added, {first.chunks} chunks, {first.embedded} embedded in "
              f"{first.seconds:.1f} s")  # fmt: skip
        for path in sorted(root.rglob("*.md"))[: 5 * 7 : 7]:
            path.write_text(path.read_text() + "\n\nOne more sentence, written later.\n")
        changed = done(library.sync())
        print(f"5 of {count} changed: {changed.changed} read again, {changed.embedded} embedded in "
              f"{changed.seconds:.2f} s")  # fmt: skip
        root.rename(folder / "vault" / "moved")
        moved = done(library.sync())
        print(f"folder of {count} renamed: {moved.renamed} renamed, {moved.embedded} embedded in {moved.seconds:.2f} s")
        again = done(library.sync())
        print(f"nothing changed: {again.unchanged} unchanged, {again.to_embed} to embed in {again.seconds:.2f} s")


def many(folder: Path, count: int) -> None:
    """A large folder for the first time."""
    size = write(folder / "many", count)
    store = Store.create(folder / "many.inro")
    pipeline.add_sources(store, [folder / "many"])
    start = time.perf_counter()
    told = count // 10
    for event in pipeline.sync(store, None):
        if event.phase == "read" and event.done >= told:
            print(f"  {event.done:6} files, peak {peak_mb():.0f} MB")
            told += count // 10
    seconds = time.perf_counter() - start
    print(f"{count} files, {size / 1e6:.1f} MB: {count / seconds:.0f} files/s, {size / 1e6 / seconds:.2f} MB/s, "
          f"peak {peak_mb():.0f} MB")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="What a sync costs.")
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--files", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inro-bench-") as folder:
        if chosen.files:
            many(Path(folder), chosen.files)
        if chosen.notes:
            few_of_many(Path(folder), chosen.notes)


if __name__ == "__main__":
    main()
