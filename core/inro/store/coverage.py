"""How much of each document's text its chunks hold: the check that nothing was lost between a reader and the index."""

from __future__ import annotations

from collections import Counter

import duckdb

from inro.store import texts

_BLANK_GAP = 2
"""Characters between two chunks that are taken for white space unseen: a line end or an empty line."""
_FRONTMATTER = ("---\n", "+++\n")


def coverage(con: duckdb.DuckDBPyConnection) -> dict[int, float]:
    """The share of each document's text, white space aside, that is in some chunk; only documents with a gap.

    A document that is not in the result is covered whole.
    """
    gaps = con.execute(
        """
        WITH spans AS (
            SELECT document, start, stop FROM chunks
            UNION ALL SELECT id, chars, chars FROM documents WHERE chars > 0
        ), reached AS (
            SELECT document, start, coalesce(max(stop) OVER (
                PARTITION BY document ORDER BY start, stop ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ), 0) AS before
            FROM spans
        )
        SELECT document, before, start FROM reached WHERE start - before > $blank ORDER BY document, before
        """,
        {"blank": _BLANK_GAP},
    ).fetchall()
    missing: Counter[int] = Counter()
    for (document, start, _), text in zip(gaps, texts.slices(con, gaps), strict=True):
        # what a note declares at its head is not text to be cut in chunks: it is indexed as fields
        if start or not text.startswith(_FRONTMATTER):
            missing[document] += _inked(text)
    whole = texts.whole_many(con, [document for document, count in missing.items() if count])
    return {document: 1 - missing[document] / max(1, _inked(text)) for document, text in whole.items()}


def _inked(text: str) -> int:
    return sum(not character.isspace() for character in text)
