"""Sources: which files a root holds, and what changed since they were read.

`walk` lists, `changes` compares the list with what is known. Neither reads a document; deciding what to do
with the difference is the pipeline's.
"""

from __future__ import annotations

from inro.records import Rules
from inro.sources.changes import Changes, Known, Settled, compare, content_hash, settle
from inro.sources.ignore import stated_encoding
from inro.sources.stored import UNSEEN, read_rules, write_rules
from inro.sources.walk import FoundFile, Skipped, display_path, read_bytes, walk

__all__ = [
    "UNSEEN",
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
    "read_rules",
    "settle",
    "stated_encoding",
    "walk",
    "write_rules",
]
