"""A sync killed at random instants, again and again: what was committed stays, and the end is as if it never was.

Half of the deaths are kills of the whole program. Others are an embedder that gives up, a SIGSEGV of the real process
that embeds (once, which a restart mends, or twice, which it does not), a limit on the size of a file in the middle of
a commit, and a real disk that is full, where one may be mounted. After each the file must open, be sound, hold all that
had been told as committed, and have nothing beside it.

    PYTHONPATH=tests python tests/drill/kills.py [COUNT]
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from encoders import make_encoder

from inro.index import pipeline
from inro.index.verify import verify
from inro.store import chunks
from inro.store.connect import Store

NOTES = 40

SYNC = """
import resource, signal, sys
from hashlib import blake2b
from pathlib import Path
import numpy as np
from inro.errors import WorkerCrashed, WriteFailed
from inro.index import embedding, pipeline
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel, EmbedWorker
from inro.workers.machine import Machine

pipeline.BATCH_DOCUMENTS = 4
embedding.COMMIT_EVERY = 0.0
crash_after = int(sys.argv[2])
if int(sys.argv[3]):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))

class Embedder:
    model = EmbedModel("made up", "", "", 16, "mean", 512, fingerprint="made up")
    done = 0
    def batches(self, texts):
        for begin in range(0, len(texts), 4):
            if 0 <= crash_after <= self.done:
                raise WorkerCrashed("the embedding process died of signal 11")
            which = list(range(begin, min(begin + 4, len(texts))))
            self.done += len(which)
            seeds = [int.from_bytes(blake2b(texts[i].encode(), digest_size=8).digest(), "big") for i in which]
            vectors = np.stack([np.random.default_rng(seed).normal(size=16) for seed in seeds]).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            nothing = np.zeros(len(which), np.int32)
            yield EmbedBatch(np.array(which, np.int64), vectors, nothing, nothing > 0)

store = Store(Path(sys.argv[1]))
embedder = Embedder()
if sys.argv[4]:
    tiny = Path(sys.argv[4])
    model = EmbedModel("made up", str(tiny / "model.onnx"), str(tiny / "tokenizer.json"), 16, "mean", 32,
                       fingerprint="made up")
    embedder = EmbedWorker(model, token_budget=32, machine=Machine(tiny / "machine.json"))
print("started 0", flush=True)
try:
    for event in pipeline.sync(store, embedder):
        if event.phase == "commit":
            with store.reading() as con:
                print("held", con.execute("SELECT count(*) FROM chunks").fetchone()[0], flush=True)
    print("ended 0", flush=True)
except WriteFailed as e:
    print("full", 0, e, flush=True)
"""


def state(store: Store) -> list[tuple[str, str, bool]]:
    """What matters of a library, without ids: path, chunk text, whether it has a vector."""
    with store.reading() as con:
        waiting = set(chunks.next_ids(con, 100_000, only_waiting=True))
        found = chunks.fetch(con, chunks.owners(con)[0])
        return sorted((chunk.path, chunk.text, chunk.id not in waiting) for chunk in found)


def write_notes(root: Path) -> Path:
    """The notes that are synced."""
    root.mkdir()
    for i in range(NOTES):
        (root / f"note {i}.md").write_text(f"# Note {i}\n\nText of note {i}.\n\n## 第二\n\n本文{i}である。\n")
    return root


def fresh(notes: Path, file: Path) -> Store:
    """A library that knows of the notes and holds none."""
    store = Store.create(file)
    pipeline.add_sources(store, [notes])
    return store


def run_to(
    store: Store,
    *,
    seconds: float | None = None,
    crash_after: int = -1,
    limit: int = 0,
    tiny: Path | None = None,
    crashes: Sequence[float] = (),
) -> tuple[str, int]:
    """A sync in a child, killed after so many seconds; (how it ended, chunks it had told as committed).

    With an encoder in `tiny`, a real process embeds; each of `crashes` is how long one of them lives.
    """
    command = [sys.executable, "-c", SYNC, str(store.path), str(crash_after), str(limit), str(tiny or "")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        if seconds is not None:
            time.sleep(seconds)
            child.send_signal(signal.SIGKILL)
        crash_embedders(child, crashes)
        told = [line.split(" ", 2) for line in child.stdout.read().splitlines()]
    held = max((int(number) for word, number, *_ in told if word == "held"), default=0)
    end = told[-1][0] if told and told[-1][0] in ("ended", "full") else "killed"
    return end, held


def crash_embedders(sync: subprocess.Popen[str], lives: Sequence[float]) -> None:
    """Let each process that embeds for this sync die of SIGSEGV after so many seconds, as compiled code does."""
    met: set[int] = set()
    for life in lives:
        while sync.poll() is None and not (found := embedders_of(sync.pid) - met):
            time.sleep(0.005)
        if sync.poll() is None:
            met |= found
            time.sleep(life)
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSEGV)


def embedders_of(pid: int) -> set[int]:
    """The processes that embed for a process; of the system without /proc none is known."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return {int(one) for one in children if b"embed_child" in Path(f"/proc/{one}/cmdline").read_bytes()}
    except OSError:
        return set()


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path | None]:
    """A file system of so many bytes in memory; None where this user may not mount one."""
    folder.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    command = [mount or "", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill_disk(store: Store, folder: Path, room: int, before: Sequence[object]) -> tuple[str, list[str]]:
    """A sync on a disk with so much room left beside the library, and what was wrong afterwards."""
    size = store.path.stat().st_size + room
    with small_disk(folder, size) as disk:
        if disk is None:
            end, held = run_to(store, limit=size)
            return end, faults(store, held, before)
        there = Store(Path(shutil.copy(store.path, disk / store.path.name)))
        end, held = run_to(there)
        found = faults(there, held, before)
        shutil.copy(there.path, store.path)
        return end, found


def faults(store: Store, held: int, before: Sequence[object]) -> list[str]:
    """What is wrong after a death; nothing should be."""
    found = [f"{fault.where}: {fault.what}" for fault in verify(store)]
    now = state(store)
    if len(now) < max(held, len(before)):
        found.append(f"{len(now)} chunks, {max(held, len(before))} had been committed")
    beside = sorted(entry.name for entry in store.path.parent.iterdir() if entry != store.path)
    return found + [f"left beside it: {name}" for name in beside]


MEANS = ("kill", "kill", "kill", "kill", "crash", "segv", "full", "disk")


def drill(
    count: int, seed: int, folder: Path, means_of_death: Sequence[str] = MEANS
) -> Iterator[tuple[str, list[str]]]:
    """So many deaths; for each how the sync ended and what was wrong afterwards."""
    rng = random.Random(seed)
    tiny = folder / "tiny"
    tiny.mkdir()
    make_encoder(tiny)
    notes = write_notes(folder / "notes")
    whole = fresh(notes, folder / "whole" / "l.inro")
    started = time.monotonic()
    run_to(whole, seconds=None)
    length = time.monotonic() - started
    expected = state(whole)
    store = fresh(notes, folder / "killed" / "l.inro")
    for _ in range(count):
        before = state(store)
        means = rng.choice(means_of_death)
        if means == "kill":
            end, held = run_to(store, seconds=rng.uniform(0, length))
        elif means == "crash":
            end, held = run_to(store, crash_after=rng.randrange(2 * NOTES))
        elif means == "segv":
            (tiny / "machine.json").unlink(missing_ok=True)
            lives = [rng.uniform(0, 2.0) for _ in range(rng.choice((1, 2)))]
            end, held = run_to(store, tiny=tiny, crashes=lives)
        elif means == "full":
            end, held = run_to(store, limit=store.path.stat().st_size + rng.randrange(200_000))
        else:
            end, found = fill_disk(store, folder / "disk", rng.randrange(200_000), before)
            yield f"{means}: {end}", found
            continue
        yield f"{means}: {end}", faults(store, held, before)
        if state(store) == expected:
            shutil.rmtree(store.path.parent)
            store = fresh(notes, folder / "killed" / "l.inro")
    run_to(store, seconds=None)
    yield (
        "the end",
        [*faults(store, 0, []), *([] if state(store) == expected else ["another state than uninterrupted"])],
    )


def main(count: int) -> int:
    """Run the drill and print what came of it; 1 if anything was wrong."""
    ends: Counter[str] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        for end, found in drill(count, 0, Path(temporary)):
            ends[end] += 1
            bad += bool(found)
            for fault in found:
                print(f"{end}: {fault}", flush=True)
    print(f"{count} deaths: " + ", ".join(f"{number} {name}" for name, number in ends.most_common()))
    print("no harm" if not bad else f"{bad} did harm")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
