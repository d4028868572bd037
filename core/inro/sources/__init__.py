"""Sources: which files a root holds, and what changed since they were read.

`walk` lists, `changes` compares the list with what is known. Neither reads a document; deciding what to do
with the difference is the pipeline's.
"""

from __future__ import annotations

from inro.records import Rules
from inro.sources.changes import Changes, Known, Settled, compare, content_hash, settle
from inro.sources.ignore import stated_encoding
from inro.sources.walk import FoundFile, Skipped, display_path, read_bytes, walk

__all__ = [
    "Changes",
    "FoundFile",
    "Known",
    "Rules",
    "Settled",
    "Skipped",
    "compare",
    "content_hash",
    "display_path",
    "read_bytes",
    "settle",
    "stated_encoding",
    "walk",
]
