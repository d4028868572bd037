"""What a person waits for who starts from nothing: whole processes of the command, and the app's first frame.

    python tests/bench/cold.py [--chunks 100000] [--times 9] [--keep FOLDER] [--against INRO] [--profile]

The library of `opening.py` is built, or taken from the folder it was kept in. Every figure is of processes started
fresh with the file in the page cache, the lines taken in turns, so that a machine that slows down slows all of them.
The peers answer the same words over the same chunks, each from a Python of its own: tantivy, which opens an index of
its own, and DuckDB's full-text extension. With `--profile`, where the time of one words-only search goes.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import fcntl
import gc
import io
import os
import pstats
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from lexical_texts import questions
from opening import NAME as EMBEDDER
from opening import make

from inro.paths import models_dir
from inro.store import bulk
from inro.store.connect import Store

INRO = str(Path(sys.executable).with_name("inro"))
PROMPT = re.compile("search|検索", re.IGNORECASE)
"""What the first frame shows, and nothing that comes before it."""
Taken: TypeAlias = tuple[float, float]
"""Seconds: by the clock, and of all processors together (NaN where that was not told)."""
ASKED = {
    "two words": "library music",
    "a long question": max(questions("xquad-en", 40), key=len),
    "Japanese": questions("ja-jsquad", 1)[0],
    "a misspelt word": "arquitecture",
}
TYPED = "stretching arteries "
SIZE = (30, 100)
WORDS, HYBRID, PAINT, BLOCK, MEMORY = 800, 2500, 600, 50, 400
"""Milliseconds; of the last, megabytes."""

TANTIVY = """
import sys, tantivy
folder, text = sys.argv[1:]
index = tantivy.Index.open(folder)
searcher = index.searcher()
words = "".join(c if c.isalnum() else " " for c in text)
print([searcher.doc(at)["chunk"] for _, at in searcher.search(index.parse_query(words, ["body"]), 10).hits])
"""
DUCKDB = """
import sys, duckdb
from duckdb_extensions import import_extension
con = duckdb.connect(sys.argv[1], read_only=True)
con.execute("LOAD fts")
print(con.execute("SELECT chunk, fts_main_texts.match_bm25(chunk, ?) AS s FROM texts WHERE s IS NOT NULL "
                  "ORDER BY s DESC LIMIT 10", [sys.argv[2]]).fetchall())
"""


def build_peers(path: Path, folder: Path) -> dict[str, list[str]]:
    """The peers' own indexes of the chunks, built if they are not there; the command of each, but for the words."""
    import duckdb
    import tantivy
    from duckdb_extensions import import_extension

    other, index = folder / "fts.duckdb", folder / "tantivy"
    if not index.exists():
        with Store(path).reading() as con:
            columns = bulk.chunk_columns(con)
            texts = bulk.texts_between(con, int(columns.documents.min()), int(columns.documents.max()))
        places = zip(columns.documents.tolist(), columns.starts.tolist(), columns.stops.tolist(), strict=True)
        chunks = [texts[document][start:stop] for document, start, stop in places]
        import_extension("fts")
        with duckdb.connect(str(other)) as con:
            con.execute("LOAD fts; CREATE TABLE texts (chunk BIGINT, body VARCHAR)")
            con.execute(
                "INSERT INTO texts SELECT unnest($1::BIGINT[]), unnest($2::VARCHAR[])", [columns.ids.tolist(), chunks]
            )
            con.execute("PRAGMA create_fts_index('texts', 'chunk', 'body')")
        schema = tantivy.SchemaBuilder().add_text_field("body").add_unsigned_field("chunk", stored=True).build()
        index.mkdir()
        writer = tantivy.Index(schema, path=str(index)).writer(heap_size=512_000_000, num_threads=1)
        for id_, text in zip(columns.ids.tolist(), chunks, strict=True):
            writer.add_document(tantivy.Document(body=text, chunk=id_))
        writer.commit()
        writer.wait_merging_threads()
    return {
        "tantivy": [sys.executable, "-c", TANTIVY, str(index)],
        "DuckDB FTS": [sys.executable, "-c", DUCKDB, str(other)],
    }


def timed(line: Sequence[str], **environment: str) -> Taken:
    """What a whole process takes, with those it started."""
    started = time.perf_counter()
    process = subprocess.Popen(
        line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, line
    return taken, used.ru_utime + used.ru_stime


def without_chat_model(folder: Path) -> Path:
    """A folder of models that holds the embedder alone, so that an answer is quoted and not written."""
    models = folder / "models"
    if not models.exists():
        models.mkdir()
        (models / EMBEDDER).symlink_to(models_dir() / EMBEDDER)
    return models


def first_paint(command: str, path: Path) -> Taken:
    """What it takes until the app's first frame is written to its terminal."""
    started = time.perf_counter()
    child, near = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(command, [command, "-L", str(path)])
    try:
        fcntl.ioctl(near, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        shown = b""
        while time.perf_counter() - started < 30:
            if select.select([near], [], [], 30)[0]:
                shown += os.read(near, 1 << 16)
                if PROMPT.search(re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).decode("utf-8", "replace")):
                    return time.perf_counter() - started, float("nan")
        raise AssertionError("the app painted nothing in half a minute")
    finally:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        os.close(near)


def peak_mb(line: Sequence[str]) -> float:
    """VmHWM of the process that searches, models apart: the command runs in a child, and its children are models."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0.0
    while process.poll() is None:
        try:
            child = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0]
            status = Path(f"/proc/{child}/status").read_text()
        except (OSError, IndexError):
            continue
        if found := re.search(r"VmHWM:\s+(\d+) kB", status):
            most = max(most, int(found[1]) / 1024)
        time.sleep(0.002)
    return most


async def typing(path: Path) -> None:
    """The longest times the app's loop did nothing else, when typing begins at once and when all is warm."""
    from inro.library import Library
    from inro_tui.app import InroApp
    from inro_tui.cli.main import OBJECTS

    # as the command does
    gc.set_threshold(OBJECTS)
    gaps: list[float] = []

    async def beat() -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            gaps.append(now - last - 0.001)
            last = now

    with Library(path) as library:
        app = InroApp(library)
        async with app.run_test(size=SIZE[::-1]) as pilot:
            beating = asyncio.create_task(beat())
            for phase, wait in (("at once", 0.05), ("warm", 0.05)):
                gaps.clear()
                for key in TYPED * 2:
                    await pilot.press("space" if key == " " else key)
                    await asyncio.sleep(wait)
                print(f"{1000 * max(gaps):.1f}", phase, flush=True)
                await asyncio.sleep(6)
                await pilot.press("ctrl+u")
            beating.cancel()


def longest_blocks(path: Path) -> dict[str, float]:
    """By phase, seconds the app's loop was blocked at the longest."""
    line = [sys.executable, __file__, "--typing", str(path)]
    said = subprocess.run(line, check=True, capture_output=True, text=True).stdout.splitlines()
    return {phase: float(ms) / 1000 for ms, phase in (one.split(" ", 1) for one in said)}


def told(what: str, taken: Sequence[Taken], most: float | None) -> None:
    """Median and worst against what is to be reached; the processor's time hardly depends on what else runs."""
    median, used = 1000 * np.median(np.array(taken), axis=0)
    worst = 1000 * max(seconds for seconds, _ in taken)
    processor = "" if np.isnan(used) else f"processor {used:6.0f} ms"
    reach = "" if most is None else f"   to reach {most:5.0f} {'' if median <= most else ' MISSED'}"
    print(f"{what:44} p50 {median:6.0f} ms   worst {worst:6.0f} ms   {processor:19}{reach}", flush=True)


def lines_of(command: str, path: Path, folder: Path) -> dict[str, tuple[Callable[[], Taken], float | None]]:
    """What is measured of a command, each with what is to be reached."""

    def search(text: str, lane: str = "lexical") -> list[str]:
        return [command, "-L", str(path), "search", text, "--lane", lane, "--json"]

    lines: dict[str, tuple[Callable[[], Taken], float | None]] = {
        "inro --help": (partial(timed, [command, "--help"]), None),
        "inro status": (partial(timed, [command, "-L", str(path), "status", "--json"]), None),
    }
    for name, text in ASKED.items():
        lines[f"words only: {name}"] = (partial(timed, search(text)), WORDS)
    for name in ("two words", "a long question"):
        lines[f"hybrid: {name}"] = (partial(timed, search(ASKED[name], "hybrid")), HYBRID)
    ask = [command, "-L", str(path), "ask", ASKED["a long question"], "--json"]
    lines["inro ask, quoting"] = (partial(timed, ask, INRO_MODELS=str(without_chat_model(folder))), None)
    lines["the app's first frame"] = (partial(first_paint, command, path), PAINT)
    return lines


def measure(path: Path, folder: Path, times: int, other: str | None) -> None:
    """Everything, in turns."""
    lines = lines_of(INRO, path, folder)
    if other is not None:
        lines.update({f"other {name}": line for name, line in lines_of(other, path, folder).items()})
    for name, command in build_peers(path, folder).items():
        for kind in ("two words", "a long question"):
            lines[f"{name}: {kind}"] = (partial(timed, [*command, ASKED[kind]]), None)
    taken: dict[str, list[Taken]] = {name: [] for name in lines}
    for turn in range(times + 1):
        for name, (run, _) in lines.items():
            once = run()
            if turn:
                # the first turn warms the page cache
                taken[name].append(once)
    for name, (_, most) in lines.items():
        told(name, taken[name], most)
    for phase, seconds in longest_blocks(path).items():
        told(f"the app's longest block, typing {phase}", [(seconds, float("nan"))], BLOCK)
    for lane in ("lexical", "hybrid"):
        peak = peak_mb([INRO, "-L", str(path), "search", ASKED["a long question"], "--lane", lane, "--json"])
        print(f"peak memory, {lane} search: {peak:.0f} MB   to reach {MEMORY}{'' if peak <= MEMORY else '  MISSED'}")


def profile(path: Path) -> None:
    """Where one words-only search of this process spends its time, imports included."""
    sys.argv = ["inro", "-L", str(path), "search", "library music", "--lane", "lexical", "--json"]
    running = cProfile.Profile()
    out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
    try:
        running.enable()
        from inro_tui.cli.main import main as command

        command()
    except SystemExit:
        running.disable()
    finally:
        sys.stdout = out
    pstats.Stats(running).sort_stats("cumulative").print_stats(90)


def main() -> None:
    """Build, measure, or profile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--keep", type=Path, help="where the library and the peers' indexes are left for the next run")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--against", metavar="INRO", help="another release's command, measured in the same turns")
    parser.add_argument("--typing", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.typing:
        asyncio.run(typing(options.typing))
        return
    with tempfile.TemporaryDirectory(prefix="bench-cold-") as spare:
        folder: Path = options.keep or Path(spare)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "large.inro"
        if not path.exists():
            make(folder, options.chunks, 384)
        if options.profile:
            profile(path)
        else:
            measure(path, folder, options.times, options.against)


if __name__ == "__main__":
    main()
