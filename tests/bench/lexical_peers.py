"""The engines the lexical lane is measured against, each behind the same three verbs: build, size, search.

tantivy and bm25s are given the very terms inro indexes, tantivy as words between spaces (whitespace tokenizer,
frequencies, no positions, one writer thread), so that all three answer the same question over the same postings.
DuckDB FTS gets those words too. SQLite FTS5 gets the texts, cut by its own trigram tokenizer: it cannot be given
terms.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inro.index.segment_file import DEFAULT


class Peer(Protocol):
    """An engine under measure. A text or query comes as its terms' names and as it was written."""

    name: str

    def build(self, names: Sequence[Sequence[str]], texts: Sequence[str]) -> None: ...
    def finish(self) -> None: ...
    def size(self) -> int: ...
    def prepare(self, names: Sequence[str], text: str) -> Any: ...
    def search(self, query: Any, k: int) -> Sequence[int]: ...
    def close(self) -> None: ...


def _folder_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


class Tantivy:
    """tantivy by its Python binding."""

    name = "tantivy"

    def __init__(self) -> None:
        import tantivy

        self._tantivy = tantivy
        self._folder = Path(tempfile.mkdtemp(prefix="bench-tantivy-"))
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, tokenizer_name="spaces", index_option="freq")
        builder.add_unsigned_field("chunk", fast=True)
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema, path=str(self._folder))
        spaces = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self._index.register_tokenizer("spaces", spaces)
        self._writer = self._index.writer(heap_size=512_000_000, num_threads=1)
        self._next = 0

    def build(self, names: Sequence[Sequence[str]], texts: Sequence[str]) -> None:
        for row in names:
            document = self._tantivy.Document()
            document.add_text("body", " ".join(row))
            document.add_unsigned("chunk", self._next)
            self._writer.add_document(document)
            self._next += 1

    def finish(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def size(self) -> int:
        return _folder_bytes(self._folder)

    def prepare(self, names: Sequence[str], text: str) -> Any:
        t = self._tantivy
        parts = [
            (t.Occur.Should, t.Query.term_query(self._schema, "body", name, index_option="freq")) for name in set(names)
        ]
        return t.Query.boolean_query(parts)

    def search(self, query: Any, k: int) -> Sequence[int]:
        return [address.doc for _, address in self._searcher.search(query, k, count=False).hits]

    def close(self) -> None:
        shutil.rmtree(self._folder)


class Bm25s:
    """bm25s with its numba backend; its scores are made when the index is, so it is built in one piece."""

    name = "bm25s"

    def __init__(self) -> None:
        import bm25s

        self._index = bm25s.BM25(method="lucene", k1=DEFAULT.k1, b=DEFAULT.b, backend="numba")
        self._number: dict[str, int] = {}
        self._rows: list[NDArray[np.int32]] = []

    def build(self, names: Sequence[Sequence[str]], texts: Sequence[str]) -> None:
        number = self._number
        for row in names:
            self._rows.append(np.array([number.setdefault(name, len(number)) for name in row], dtype=np.int32))

    def finish(self) -> None:
        started = time.perf_counter()
        rows = [row.tolist() for row in self._rows]
        self._rows.clear()
        self._unpacked = time.perf_counter() - started
        self._index.index((rows, self._number), show_progress=False)

    def size(self) -> int:
        return sum(int(array.nbytes) for array in self._index.scores.values() if isinstance(array, np.ndarray))

    def prepare(self, names: Sequence[str], text: str) -> Any:
        return [[self._number[name] for name in set(names) if name in self._number]]

    def search(self, query: Any, k: int) -> Sequence[int]:
        if not query[0]:
            return []
        found, _ = self._index.retrieve(query, k=k, show_progress=False, n_threads=0)
        return [int(i) for i in found[0]]

    def close(self) -> None:
        self._index = None


class DuckDbFts:
    """DuckDB's FTS extension over the terms' names."""

    name = "DuckDB FTS"

    def __init__(self) -> None:
        import duckdb
        from duckdb_extensions import import_extension

        self._folder = Path(tempfile.mkdtemp(prefix="bench-duckdb-"))
        self._connection = duckdb.connect(str(self._folder / "fts.duckdb"))
        import_extension("fts")
        self._connection.execute("LOAD fts; CREATE TABLE texts (chunk BIGINT, body VARCHAR)")
        self._next = 0

    @staticmethod
    def _word(name: str) -> str:
        return name.encode().hex()

    def build(self, names: Sequence[Sequence[str]], texts: Sequence[str]) -> None:
        rows = [[self._next + i, " ".join(map(self._word, row))] for i, row in enumerate(names)]
        self._next += len(rows)
        chunks = [row[0] for row in rows]
        bodies = [row[1] for row in rows]
        self._connection.execute(
            "INSERT INTO texts SELECT unnest($1::BIGINT[]), unnest($2::VARCHAR[])", [chunks, bodies]
        )

    def finish(self) -> None:
        self._connection.execute(
            "PRAGMA create_fts_index('texts', 'chunk', 'body', stemmer='none', stopwords='none', ignore='[^a-f0-9]+')"
        )
        self._connection.execute("CHECKPOINT")

    def size(self) -> int:
        return _folder_bytes(self._folder)

    def prepare(self, names: Sequence[str], text: str) -> Any:
        return " ".join(map(self._word, dict.fromkeys(names)))

    def search(self, query: Any, k: int) -> Sequence[int]:
        rows = self._connection.execute(
            "SELECT chunk FROM (SELECT chunk, fts_main_texts.match_bm25("
            f"chunk, $1, k := {DEFAULT.k1}, b := {DEFAULT.b}) AS score FROM texts) "
            "WHERE score IS NOT NULL ORDER BY score DESC, chunk LIMIT $2",
            [query, k],
        ).fetchall()
        return [row[0] for row in rows]

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._folder)


class SqliteTrigram:
    """SQLite's FTS5 with its trigram tokenizer; a query is the OR of its trigrams."""

    name = "SQLite trigram"

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="bench-sqlite-"))
        self._connection = sqlite3.connect(self._folder / "fts.sqlite")
        self._connection.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize='trigram', content='')")
        self._next = 0

    def build(self, names: Sequence[Sequence[str]], texts: Sequence[str]) -> None:
        rows = [(self._next + i, text) for i, text in enumerate(texts)]
        self._next += len(rows)
        self._connection.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", rows)

    def finish(self) -> None:
        self._connection.commit()
        self._connection.execute("INSERT INTO texts(texts) VALUES ('optimize')")
        self._connection.commit()

    def size(self) -> int:
        return _folder_bytes(self._folder)

    def prepare(self, names: Sequence[str], text: str) -> Any:
        grams = dict.fromkeys(text[i : i + 3] for i in range(len(text) - 2))
        return " OR ".join('"' + gram.replace('"', '""') + '"' for gram in grams)

    def search(self, query: Any, k: int) -> Sequence[int]:
        if not query:
            return []
        rows = self._connection.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?", (query, k)
        ).fetchall()
        return [row[0] for row in rows]

    def close(self) -> None:
        self._connection.close()
        shutil.rmtree(self._folder)
