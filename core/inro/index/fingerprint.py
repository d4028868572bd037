"""What shaped an index: the analyser, the chunker and the embedder, remembered in the file and compared.

Keys of two analysers do not meet and vectors of two embedders do not compare, so an index says which made
it. Reads and names; what to do about a mismatch is the pipeline's, and what makes two embedders equal is
told by `inro.models`.
"""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from inro.store import meta

ANALYSER = "analyser"
CHUNKER = "chunker"
TITLES = "title_rules"
EMBEDDER = "embedder"
EMBEDDER_NAME = "embedder_name"

KEYS = (ANALYSER, CHUNKER, TITLES, EMBEDDER, EMBEDDER_NAME)
"""In the order of what is stored."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What the file says it was made with; empty strings where nothing was made yet."""

    analyser: str
    """Rules and the ICU and Unicode versions behind the lexical segments."""
    chunker: str
    """Rules and sizes behind the chunks."""
    titles: str
    """Rules behind what documents are jumped to by."""
    embedder: str
    """Fingerprint of the model behind the vectors."""
    embedder_name: str
    """The model's name, for a person."""


def stored(con: duckdb.DuckDBPyConnection) -> Stored:
    """What the file was made with."""
    return Stored(*(meta.get(con, key) for key in KEYS))


def stored_embedder(con: duckdb.DuckDBPyConnection) -> str:
    """The fingerprint of the model behind the vectors; empty if there are none."""
    return meta.get(con, EMBEDDER)
