"""What encryption costs: the same library plain and encrypted, side by side in one run.

    python tests/bench/encryption.py [MEGABYTES]

Opening and showing a few passages is what every search does; reading everything is what loading an index does; a
commit is what a sync does every few seconds.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from inro.store import meta, snapshot, units
from inro.store.cipher import Key
from inro.store.connect import Store

ROUNDS = 7


def build(path: Path, megabytes: int) -> Store:
    """A library of random units: what does not pack, as postings and vectors do not."""
    store = Store.create(path)
    rng = np.random.default_rng(0)
    with store.writing() as con:
        for unit in range(1, megabytes // 4 + 1):
            units.insert(con, units.LEXICAL, unit, {"words": rng.bytes(2 << 20), "keys": rng.bytes(1 << 20)})
            units.insert(con, units.DENSE, unit, {"codes": rng.bytes(1 << 20)})
        con.execute("INSERT INTO texts SELECT range, 0, repeat(md5(range::VARCHAR), 30) FROM range(10000)")
    return store


def peek(store: Store) -> None:
    """A short lease: ten texts."""
    with store.reading() as con:
        con.execute("SELECT text FROM texts WHERE document BETWEEN 500 AND 510").fetchall()


def load(store: Store) -> None:
    """All units."""
    with store.reading() as con:
        for lane in (units.LEXICAL, units.DENSE):
            units.load(con, lane)


def commit(store: Store) -> None:
    """A megabyte of a new segment."""
    with store.writing() as con:
        unit = meta.count_up(con, meta.NEXT_SEGMENT) + 100_000
        units.insert(con, units.LEXICAL, unit, {"words": np.random.default_rng(unit).bytes(1 << 20)})


def timed(work: Callable[[Store], None], store: Store) -> float:
    """Milliseconds, the median of some rounds."""
    took = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work(store)
        took.append(1e3 * (time.perf_counter() - started))
    return statistics.median(took)


def main(megabytes: int) -> None:
    """Build both and print a line a job."""
    with tempfile.TemporaryDirectory() as temporary:
        plain = build(Path(temporary) / "plain.inro", megabytes)
        key = Key("a passphrase")
        started = time.perf_counter()
        key.attach_option()
        stretched = 1e3 * (time.perf_counter() - started)
        sealed = snapshot.rewrite(plain, Path(temporary) / "sealed.inro", key)
        sizes = [store.stamp().size / 1e6 for store in (plain, sealed)]
        print(f"{sizes[0]:.0f} MB plain, {sizes[1]:.0f} MB encrypted; stretching the key: {stretched:.0f} ms, once")
        for name, work in (("ten texts", peek), ("all units", load), ("commit 1 MB", commit)):
            before, after = timed(work, plain), timed(work, sealed)
            print(f"{name:<12} {before:8.1f} ms plain {after:8.1f} ms encrypted   x {after / before:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
