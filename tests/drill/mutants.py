"""Library files as an enemy, a bad disk or a bug would hand them over, and what opening each of them comes to.

`mutant(base, n)` is the n-th of them, the same every time. A child process opens one after the other, asks of each
whatever the program can ask, and says what came of it; when it dies or falls silent, that was a crash or a hang.

    python tests/drill/mutants.py [COUNT]
"""

from __future__ import annotations

import json
import random
import select
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from inro import config
from inro.errors import InroError
from inro.library import Library

SECRET = "the-secret-of-another-file"
HEADER, BLOCK = 3 * 4096, 16384
PATIENCE = 60.0
"""Seconds of silence that are a hang."""
STUCK = "cannot be stopped"
"""In what is said of a query that DuckDB does not come back from."""
TO_COMPILE = 600.0
"""Seconds a child may take for the sound library, which compiles the kernels."""

PLANTED = (
    "CREATE VIEW secrets AS SELECT * FROM read_text('{secret}')",
    "CREATE TABLE other AS SELECT * FROM links; DROP TABLE links; CREATE VIEW links AS SELECT * FROM other",
    "ALTER TABLE titles RENAME TO mine; CREATE VIEW titles AS "
    "SELECT document, (SELECT content FROM read_text('{secret}')) AS text FROM mine",
    "CREATE MACRO length(x) AS (SELECT content FROM read_text('{secret}'))",
    "CREATE MACRO coalesce_(x) AS (SELECT content FROM read_text('{secret}'))",
    "CREATE MACRO current_database() AS (SELECT content FROM read_text('{secret}'))",
    "CREATE MACRO duckdb_tables() AS TABLE SELECT content AS table_name FROM read_text('{secret}')",
    "CREATE MACRO list_contains(a, b) AS (SELECT content FROM read_text('{secret}'))",
    "CREATE SCHEMA fts_main_titles; CREATE MACRO fts_main_titles.match_bm25(a, b) AS "
    "(SELECT content FROM read_text('{secret}'))",
    "CREATE TABLE planted (a INTEGER, b VARCHAR DEFAULT (getvariable('x')))",
    "CREATE SEQUENCE planted",
    "CREATE TYPE planted AS ENUM ('a')",
)
SPOILT = (
    "DROP TABLE {table}",
    "DELETE FROM {table}",
    "INSERT INTO {table} SELECT * FROM {table}",
    "ALTER TABLE {table} ADD COLUMN planted VARCHAR",
    "ALTER TABLE {table} RENAME TO planted",
    "UPDATE meta SET value = '99999999999999999999' WHERE key = 'next_chunk'",
    "UPDATE meta SET value = NULL",
    "UPDATE meta SET value = '2' WHERE key = 'format'",
    "UPDATE meta SET value = '-1' WHERE key = 'generation'",
    "UPDATE documents SET path = '../../../etc/passwd', raw = '../../../etc/passwd'::BLOB",
    "UPDATE documents SET title = chr(27) || ']52;c;aGk=' || chr(7), path = chr(27) || '[2J' || path",
    "UPDATE documents SET title = NULL, path = NULL, tags = NULL",
    "UPDATE documents SET chars = 2147483647",
    "UPDATE documents SET id = -id",
    "UPDATE documents SET outcome = 'boom', reason = repeat('x', 1000000)",
    "UPDATE chunks SET stop = 2147483647",
    'UPDATE chunks SET "start" = -5',
    "UPDATE chunks SET heading = NULL, page = NULL",
    "UPDATE chunks SET id = 9223372036854775807 WHERE id = 2",
    "UPDATE chunks SET segment = 77, block = 77",
    "UPDATE texts SET text = ''",
    "UPDATE texts SET part = 2147483647",
    "UPDATE sources SET rules = repeat('[', 100000)",
    "UPDATE sources SET raw = NULL, path = NULL",
    "UPDATE sources SET relative = '../../..'",
    "UPDATE segments SET data = ''::BLOB",
    "UPDATE segments SET data = repeat('ab', 500000)::BLOB",
    "UPDATE segments SET part = 'planted' WHERE part = 'keys'",
    "UPDATE vectors SET data = repeat('z', 100000)::BLOB WHERE part = 'codes'",
    "UPDATE vectors SET data = NULL",
    "INSERT INTO graph VALUES ('header', 'inro-hnw'::BLOB), ('links', repeat('z', 4096)::BLOB)",
    "INSERT INTO fields SELECT 1, repeat('k', 100000), range, 'v' FROM range(1000)",
    "INSERT INTO tombstones SELECT 'lexical', 1, id FROM chunks",
)


@dataclass(frozen=True)
class Verdict:
    """What came of opening one mutant."""

    number: int
    kind: str
    outcome: str
    """`answered`, `refused`, `told` (compiled code crashed and the command said so in one line), `crash …`, `hang` or
    the name of an error nobody expects."""
    text: str
    """All that was shown."""

    @property
    def fine(self) -> bool:
        return self.outcome in ("answered", "refused", "told") and SECRET not in self.text


def mutant(base: bytes, number: int, file: Path, secret: Path) -> str:
    """Write the mutant of that number to `file`; what was done, in a word or two."""
    rng = random.Random(number)
    kinds: tuple[Callable[[bytes, random.Random, Path, Path], str], ...] = (
        _flipped, _flipped_and_summed, _cut, _zeroed, _flipped_and_summed, _swapped, _stated, _bytes_of_units,
    )  # fmt: skip
    return kinds[number % len(kinds)](base, rng, file, secret)


def checksum(block: bytes) -> bytes:
    """DuckDB's checksum of what follows the first eight bytes of a block."""
    words = np.frombuffer(block[8:], "<u8") * np.uint64(0xBF58476D1CE4E5B9)
    return int(np.bitwise_xor.reduce(words) ^ np.uint64(5381)).to_bytes(8, "little")


def _flipped(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    data = bytearray(base)
    for _ in range(rng.choice((1, 4, 64))):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    file.write_bytes(data)
    return "bytes flipped"


def _flipped_and_summed(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    """Damage that no checksum shows: what somebody would make who wants it."""
    data = bytearray(base)
    for _ in range(rng.choice((1, 1, 3))):
        start = HEADER + BLOCK * rng.randrange((len(data) - HEADER) // BLOCK)
        for _ in range(rng.choice((1, 2, 16))):
            data[start + 8 + rng.randrange(BLOCK - 8)] ^= 1 << rng.randrange(8)
        data[start : start + 8] = checksum(bytes(data[start : start + BLOCK]))
    file.write_bytes(data)
    return "bytes flipped, checksum mended"


def _cut(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    file.write_bytes(base[: rng.choice((rng.randrange(len(base)), rng.randrange(HEADER), len(base) - 1))])
    return "cut off"


def _zeroed(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    start = rng.randrange(len(base))
    size = rng.choice((512, 4096, BLOCK, 10 * BLOCK))
    file.write_bytes(base[:start] + bytes(min(size, len(base) - start)) + base[start + size :])
    return "zeroed"


def _swapped(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    blocks = [base[i : i + BLOCK] for i in range(HEADER, len(base), BLOCK)]
    a, b = rng.randrange(len(blocks)), rng.randrange(len(blocks))
    blocks[a], blocks[b] = blocks[b], blocks[a]
    file.write_bytes(base[:HEADER] + b"".join(blocks))
    return "blocks swapped"


def _stated(base: bytes, rng: random.Random, file: Path, secret: Path) -> str:
    file.write_bytes(base)
    statement = rng.choice(rng.choice((PLANTED, SPOILT)))
    with duckdb.connect(str(file)) as con:
        named = con.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' ORDER BY 1").fetchall()
        table = rng.choice([name for (name,) in named])
        said = statement.format(table=table, secret=secret)
        try:
            con.execute(said)
        except duckdb.Error:
            # what DuckDB itself does not allow makes no mutant
            return "untouched"
    return said


def _bytes_of_units(base: bytes, rng: random.Random, file: Path, _secret: Path) -> str:
    """A sound database with damaged arrays in it."""
    file.write_bytes(base)
    with duckdb.connect(str(file)) as con:
        table = rng.choice(("segments", "vectors"))
        part, data = rng.choice(con.execute(f"SELECT part, data FROM {table} ORDER BY part").fetchall())
        spoilt = bytearray(data or b"x")
        for _ in range(rng.choice((1, 3, 30))):
            spoilt[rng.randrange(len(spoilt))] ^= rng.randrange(1, 256)
        if rng.random() < 0.3:
            spoilt = spoilt[: rng.randrange(len(spoilt))]
        con.execute(f"UPDATE {table} SET data = ? WHERE part = ?", [bytes(spoilt), part])
    return f"{part} of {table}"


def make_base(file: Path) -> bytes:
    """A sound library with words, vectors, tombstones, fields and links."""
    from hashlib import blake2b

    from inro.index import pipeline
    from inro.records import Block, Link, Reading
    from inro.store.connect import Store
    from inro.workers.embed import EmbedBatch, EmbedModel

    class Embedder:
        model = EmbedModel("made up", "", "", 32, "mean", 512, fingerprint="made up")

        def batches(self, texts: Sequence[str]) -> Iterator[EmbedBatch]:
            seeds = [int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts]
            vectors = np.stack([np.random.default_rng(seed).normal(size=32) for seed in seeds]).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            nothing = np.zeros(len(texts), np.int32)
            yield EmbedBatch(np.arange(len(texts)), vectors, nothing, nothing > 0)

    def readings(word: str) -> Iterator[tuple[str, Reading]]:
        for i in range(60):
            text = f"Note {i} about the {word} S-{1000 + i}.\n試料{i}を乾燥庫に入れた。" * (1 + i % 5)
            yield (
                f"note {i}.md",
                Reading(
                    text, f"Note {i}", (Block("paragraph", 0, len(text)),), "test/1",
                    fields={"author": ("A. Nonym",)}, tags=("lab",), links=(Link("wiki", "Other", 0, 4),),
                ),
            )  # fmt: skip

    store = Store.create(file)
    embedder = Embedder()
    list(pipeline.index_documents(store, "notes", readings("furnace"), embedder))
    changed = ((path, reading) for path, reading in readings("glovebox") if path < "note 3")
    list(pipeline.index_documents(store, "notes", changed, embedder))
    return file.read_bytes()


def run(base: bytes, numbers: range, folder: Path) -> Iterator[Verdict]:
    """Open each of these mutants in a child process; another child goes on after one that died."""
    secret = folder / "secret.txt"
    secret.write_text(SECRET)
    sound, file = folder / "sound.inro", folder / "m.inro"
    sound.write_bytes(base)
    child = _child(sound)
    for number in numbers:
        for left in folder.glob("m.inro*"):
            left.unlink()
        kind = mutant(base, number, file, secret)
        ready, line = _ask(child, file, PATIENCE)
        if line:
            outcome, text = json.loads(line)
            yield Verdict(number, kind, outcome, text)
            if STUCK in text:
                # what its process asks of a file of that name is refused from now on
                child.kill()
                child.wait()
                child = _child(sound)
            continue
        child.kill()
        code = child.wait()
        yield Verdict(number, kind, _by_command(file, code), "") if ready else Verdict(number, kind, "hang", "")
        child = _child(sound)
    assert child.stdin is not None
    child.stdin.close()
    child.wait()


def _by_command(file: Path, code: int) -> str:
    """What a person sees of a file that crashes DuckDB: `told`, if that is one line and an exit code."""
    for arguments in (["verify"], ["sql", "SELECT * FROM documents, texts"], ["status", "--files"]):
        command = [sys.executable, "-m", "inro_tui.cli.main", "-L", str(file), *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TO_COMPILE)
        # a query that needs too much memory is told with what to do if it should not have
        told = ran.returncode in (0, 1, 3) or (ran.returncode == 2 and "inro verify" in ran.stderr)
        if not told or len(ran.stderr.splitlines()) > 1 or SECRET in ran.stdout + ran.stderr:
            return f"crash {code}, and then {ran.returncode}: {ran.stderr[-200:]}"
    return "told"


def _ask(child: subprocess.Popen[str], file: Path, patience: float) -> tuple[bool, str]:
    """(whether it said anything or died in time, what it said)."""
    assert child.stdin is not None and child.stdout is not None
    child.stdin.write(f"{file}\n")
    child.stdin.flush()
    ready, _, _ = select.select([child.stdout], [], [], patience)
    return bool(ready), child.stdout.readline() if ready else ""


def _child(sound: Path) -> subprocess.Popen[str]:
    """A child that has opened a sound library already."""
    child = subprocess.Popen(
        [sys.executable, __file__, "--open"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
    )
    _, line = _ask(child, sound, TO_COMPILE)
    outcome, text = json.loads(line)
    assert outcome == "answered", text
    return child


def _everything(library: Library) -> Iterator[Callable[[], object]]:
    """Whatever the program can ask of a file."""
    yield library.status
    yield library.files
    yield partial(library.search, "furnace S-1007 乾燥庫", lane="lexical")
    yield partial(library.titles, "note lab")
    yield partial(library.show, "note 7.md")
    yield lambda: list(library.verify())
    for query in (
        "SELECT * FROM documents LIMIT 5",
        "SELECT length('x'), count(*) FROM titles",
        "SELECT fts_main_titles.match_bm25(document, 'furnace') FROM titles",
    ):
        yield partial(_rows, library, query)


def _rows(library: Library, query: str) -> object:
    return list(library.sql(query)[1])


def _open_each() -> None:
    """The child: asks everything of each file that is named on stdin."""
    for name in sys.stdin:
        shown: list[str] = []
        outcome = "answered"
        for ask in _everything(Library(Path(name.rstrip("\n")), config.Settings())):
            try:
                shown.append(repr(ask()))
            except InroError as error:
                outcome = "refused"
                shown.append(f"{type(error).__name__}: {error}")
            except Exception as error:
                outcome = type(error).__name__
                shown.append(traceback.format_exc())
                break
        sys.stdout.write(json.dumps([outcome, "\n".join(shown)[:200_000]]) + "\n")
        sys.stdout.flush()


def main(count: int) -> int:
    """Run so many mutants and print what came of them; 1 if any came to harm."""
    bad = []
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        base = make_base(folder / "base.inro")
        shutil.copy(folder / "base.inro", folder / "kept.inro")
        for verdict in run(base, range(count), folder):
            outcomes[verdict.outcome] += 1
            if not verdict.fine:
                bad.append(verdict)
                print(verdict.number, verdict.kind[:60], verdict.outcome, verdict.text[-600:], flush=True)
    print(f"{count} mutants: " + ", ".join(f"{number} {name}" for name, number in outcomes.most_common()))
    print("no harm" if not bad else f"{len(bad)} came to harm")
    return 1 if bad else 0


if __name__ == "__main__":
    if "--open" in sys.argv:
        _open_each()
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
