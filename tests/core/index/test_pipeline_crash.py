"""A sync that is killed, and two that run at once: the file is sound at every instant and the end is the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inro.index import pipeline
from inro.index.verify import verify
from inro.store import chunks
from inro.store.connect import Store

SLOW_SYNC = """
import sys, time
from hashlib import blake2b
from pathlib import Path
import numpy as np
from inro.index import embedding, pipeline
from inro.store.connect import Store
from inro.workers.embed import EmbedBatch, EmbedModel

pipeline.BATCH_DOCUMENTS = 4
embedding.COMMIT_EVERY = 0.0

class Embedder:
    model = EmbedModel("counting", "", "", 16, "mean", 512, fingerprint="fingerprint of counting")
    def batches(self, texts):
        for begin in range(0, len(texts), 4):
            which = list(range(begin, min(begin + 4, len(texts))))
            vectors = []
            for i in which:
                seed = int.from_bytes(blake2b(("counting" + texts[i]).encode(), digest_size=8).digest(), "big")
                vector = np.random.default_rng(seed).normal(size=16).astype(np.float32)
                vectors.append(vector / np.linalg.norm(vector))
            uncut = np.zeros(len(which), np.bool_)
            yield EmbedBatch(np.array(which, np.int64), np.stack(vectors), uncut.astype(np.int32), uncut)

print("started", flush=True)
for event in pipeline.sync(Store(Path(sys.argv[1])), Embedder()):
    print(event.phase, flush=True)
"""


@pytest.fixture
def many_notes(tmp_path: Path) -> Path:
    root = tmp_path / "many"
    root.mkdir()
    for i in range(24):
        (root / f"note {i}.md").write_text(f"# Note {i}\n\nText of note {i}.\n\n## 第二\n\n本文{i}である。\n")
    return root


def state(store: Store) -> list[tuple[str, str, bool]]:
    """What matters of a library, without ids: path, chunk text, whether it has a vector."""
    with store.reading() as con:
        waiting = set(chunks.next_ids(con, 10_000, only_waiting=True))
        found = chunks.fetch(con, chunks.owners(con)[0])
        return sorted((chunk.path, chunk.text, chunk.id not in waiting) for chunk in found)


def start(store: Store) -> subprocess.Popen[bytes]:
    child = subprocess.Popen([sys.executable, "-c", SLOW_SYNC, str(store.path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"started\n"
    return child


def end(child: subprocess.Popen[bytes]) -> None:
    assert child.stdout is not None
    child.stdout.read()
    child.stdout.close()
    assert child.wait() == 0


def test_a_sync_killed_again_and_again_ends_as_if_it_never_was(tmp_path: Path, many_notes: Path, embedder: Any) -> None:
    whole = Store.create(tmp_path / "whole.inro")
    pipeline.add_sources(whole, [many_notes])
    list(pipeline.sync(whole, embedder))

    killed = Store.create(tmp_path / "killed" / "l.inro")
    pipeline.add_sources(killed, [many_notes])
    held = 0
    for lines in (2, 5, 9, 14):
        child = start(killed)
        assert child.stdout is not None
        for _ in range(lines):
            child.stdout.readline()
        time.sleep(0.003 * lines)
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()

        assert list(verify(killed)) == [], "whatever was committed is whole"
        assert [entry.name for entry in killed.path.parent.iterdir()] == ["l.inro"]
        assert len(state(killed)) >= held, "nothing that was committed is lost"
        held = len(state(killed))
    list(pipeline.sync(killed, embedder))
    assert list(verify(killed)) == []
    assert state(killed) == state(whole)


def test_two_syncs_at_once_do_the_work_once(tmp_path: Path, many_notes: Path, embedder: Any) -> None:
    store = Store.create(tmp_path / "l.inro")
    pipeline.add_sources(store, [many_notes])
    other = start(store)
    report = list(pipeline.sync(store, embedder))[-1].report
    end(other)
    assert report is not None
    list(pipeline.sync(store, embedder))
    assert list(verify(store)) == []
    found = state(store)
    assert len({path for path, _, _ in found}) == 24
    assert len(found) == len({(path, text) for path, text, _ in found}), "no document is there twice"
    assert all(has_vector for _, _, has_vector in found)


def test_readers_see_only_whole_batches_while_a_sync_runs(tmp_path: Path, many_notes: Path) -> None:
    store = Store.create(tmp_path / "l.inro")
    pipeline.add_sources(store, [many_notes])
    child = start(store)
    seen = []
    while child.poll() is None:
        with store.reading() as con:
            documents, with_chunks = con.execute(
                "SELECT (SELECT count(*) FROM documents), (SELECT count(DISTINCT document) FROM chunks)"
            ).fetchall()[0]
        seen.append(documents)
        assert documents == with_chunks
        time.sleep(0.01)
    end(child)
    assert seen == sorted(seen)
    assert set(seen) <= set(range(0, 25, 4))
    assert list(verify(store)) == []
