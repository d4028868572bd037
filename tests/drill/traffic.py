"""Four readers, a program that syncs again and again, and another sync: all on one file at once.

Nobody may meet an error, no log may lie beside the file between commits, and whatever is copied in the meantime must
be a sound library: by `inro copy`, and by plain bytes when no commit ran.

    PYTHONPATH=tests python tests/drill/traffic.py [SECONDS]
"""

from __future__ import annotations

import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kills import fresh, write_notes

from inro import config, safekeeping
from inro.index.verify import verify
from inro.library import Library
from inro.store.connect import Store

READERS = 4

READ = """
import json, sys, time
from pathlib import Path
from inro.store import chunks
from inro.store.connect import Store
store, until, took = Store(Path(sys.argv[1])), time.time() + float(sys.argv[2]), []
while not took or time.time() < until:
    started = time.perf_counter()
    with store.reading() as con:
        ids = chunks.next_ids(con, 10)
        assert len(chunks.fetch(con, ids)) == len(ids)
    took.append(time.perf_counter() - started)
    time.sleep(0.02)
print(json.dumps([took, store.notices]))
"""

WRITE = """
import json, random, sys, time
from pathlib import Path
from inro.index import pipeline
from inro.store.connect import Store
store, until, rng, reports = Store(Path(sys.argv[1])), time.time() + float(sys.argv[2]), random.Random(sys.argv[4]), []
notes = sorted(Path(sys.argv[3]).iterdir())
while not reports or time.time() < until:
    note = rng.choice(notes)
    note.write_text(f"# {note.stem}\\n\\nChanged at {time.time()}.\\n")
    report = list(pipeline.sync(store, None))[-1].report
    reports.append(report.added + report.changed)
    time.sleep(rng.uniform(0, 0.3))
print(json.dumps([reports, store.notices]))
"""


class Outcome:
    """What the time on one file came to."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.took: list[float] = []
        self.commits = 0
        self.copies = 0
        self.plain_copies = 0

    @property
    def p99(self) -> float:
        """Seconds below which 99 of 100 readings took."""
        return statistics.quantiles(self.took, n=100)[98] if len(self.took) > 100 else max(self.took)


def drill(seconds: float, folder: Path) -> Outcome:
    """Let them all at one library for so long."""
    outcome = Outcome()
    notes = write_notes(folder / "notes")
    store = fresh(notes, folder / "library" / "l.inro")
    arguments = [str(store.path), str(seconds), str(notes)]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, *arguments, str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number, code in enumerate([*[READ] * READERS, WRITE, WRITE])
    ]
    until, rng = time.time() + seconds, random.Random(0)
    while time.time() < until:
        _copy(store, folder, outcome)
        _copy_plainly(store, folder, outcome)
        time.sleep(rng.uniform(0.1, 0.5))
    for number, child in enumerate(children):
        out, err = child.communicate()
        if child.returncode:
            outcome.errors.append(err.strip().splitlines()[-1] if err.strip() else f"ended with {child.returncode}")
            continue
        did, notices = json.loads(out)
        outcome.errors += notices
        if number < READERS:
            outcome.took += did
        else:
            outcome.commits += sum(did)
    outcome.errors += [f"{fault.where}: {fault.what}" for fault in verify(store)]
    outcome.errors += [f"left: {entry.name}" for entry in store.path.parent.iterdir() if entry != store.path]
    return outcome


def _copy(store: Store, folder: Path, outcome: Outcome) -> None:
    place = folder / "copy.inro"
    try:
        safekeeping.copy(Library(store.path, config.Settings()), place, replace=True)
    except Exception as error:
        outcome.errors.append(f"copy: {error}")
    outcome.copies += 1


def _copy_plainly(store: Store, folder: Path, outcome: Outcome) -> None:
    """By bytes; kept only if the file was the same before and after, which is a time without a commit."""
    place = folder / "plain" / "l.inro"
    place.parent.mkdir(exist_ok=True)
    before = store.stamp()
    subprocess.run(["cp", str(store.path), str(place)], check=True)
    # a commit under way shows in the file only when it ends; the lock tells
    log = store.path.with_name(store.path.name + ".wal").exists()
    with store.reading():
        unchanged = store.stamp() == before
    if log and unchanged:
        outcome.errors.append("a log between commits")
    if unchanged:
        outcome.errors += [f"plain copy: {fault.what}" for fault in verify(Store(place))]
        outcome.plain_copies += 1
    shutil.rmtree(place.parent)


def main(seconds: float) -> int:
    """Run the drill and print what came of it; 1 if anybody met an error."""
    with tempfile.TemporaryDirectory() as temporary:
        outcome = drill(seconds, Path(temporary))
    for error in outcome.errors:
        print(error)
    print(
        f"{seconds:.0f} s: {len(outcome.took)} readings, p50 {statistics.median(outcome.took) * 1e3:.0f} ms, "
        f"p99 {outcome.p99 * 1e3:.0f} ms; {outcome.commits} files synced; {outcome.copies} copies and "
        f"{outcome.plain_copies} plain copies verified"
    )
    print("no error" if not outcome.errors else f"{len(outcome.errors)} errors")
    return 1 if outcome.errors else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
