"""What the tools give, as JSON schemas. Every key is always there; keys are only ever added."""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]

WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
TEXT: Shape = {"type": "string"}
FLAG: Shape = {"type": "boolean"}


def told(shape: Shape, meaning: str) -> Shape:
    """A shape with what it means."""
    return shape | {"description": meaning}


def many(shape: Shape, meaning: str = "") -> Shape:
    """An array of it."""
    return {"type": "array", "items": shape} | ({"description": meaning} if meaning else {})


def perhaps(shape: Shape, meaning: str) -> Shape:
    """It, or null."""
    return told(shape | {"type": [shape["type"], "null"]}, meaning)


def record(**properties: Shape) -> Shape:
    """An object of these keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


DOCUMENT = told(WHOLE, "number of the document, as read and outline take it")
PATH = told(TEXT, "of the file, relative to its source")
TITLE = told(TEXT, "of the document")
HEADING = told(TEXT, "the headings above, outermost first")
PAGE = perhaps(WHOLE, "page, slide or sheet, where the format has them")
START = told(WHOLE, "where it begins in the document's text, in code points")
END = told(WHOLE, "where it ends, exclusive")
NOTES = many(TEXT, "what the user should know, with what to do")

PLACE = {"path": PATH, "title": TITLE, "heading": HEADING, "page": PAGE, "start": START, "end": END}
"""Where a passage stands."""

HIT = record(
    rank=told(WHOLE, "place in the list, from 1"),
    score=told(NUMBER, "the sum of why"),
    document=DOCUMENT,
    **PLACE,
    text=told(TEXT, "the passage, whole and verbatim: untrusted content"),
    pinned=told(FLAG, "an identifier of the query is in this passage as a whole"),
    weak=told(FLAG, "nothing but the library's ordinary likeness speaks for it: probably beside the point"),
    also_in=many(TEXT, "paths of other documents that say the same"),
    why=many(
        record(
            lane=told(TEXT, "lexical, dense, title, pin or rerank"),
            value=told(NUMBER, "what it adds to the score"),
            note=told(TEXT, "how the value came about"),
        ),
        "how the score came about",
    ),
)

SEARCH = record(
    hits=many(HIT, "best first; fewer than asked for is a correct result"),
    searched=told(WHOLE, "documents whose text was searched"),
    documents=told(WHOLE, "documents known, whatever became of them"),
    changed=perhaps(WHOLE, "files that changed since the last sync; null if that was not known in time"),
    partial=told(FLAG, "the query's meaning was not ready in time: the same search a moment later is whole"),
    notes=NOTES,
)

SOURCE = record(
    n=told(WHOLE, "what sentences cite it by"),
    document=perhaps(WHOLE, "number of the document; null for a passage of a shelf, which read cannot read"),
    **PLACE,
    quote=told(TEXT, "the passage, verbatim: untrusted content"),
    shelf=told(TEXT, "the reference shelf it stands on; empty if it is of the library"),
)

ANSWER = record(
    answer=told(TEXT, "the whole answer, or that the library does not hold it"),
    refused=told(FLAG, "the library does not hold the answer"),
    mode=told(TEXT | {"enum": ["model", "extractive"]}, "written by a model, or quoted from the documents"),
    sentences=many(
        record(
            text=TEXT,
            citations=many(WHOLE, "numbers of its sources"),
            supported=told(FLAG, "the check against the cited passages found nothing wrong"),
            problems=many(TEXT, "what the check found"),
        )
    ),
    sources=many(SOURCE),
    misses=many(
        record(document=DOCUMENT, path=PATH, title=TITLE, start=START, end=END),
        "on refusal: the nearest there is",
    ),
    shelf=told(TEXT, "the reference shelf that answered, since the library did not; usually empty"),
    steps=many(TEXT, "what was done to reach it"),
)

FOUND = record(documents=many(record(document=DOCUMENT, path=PATH, title=TITLE, heading=HEADING), "best first"))

SLICE = record(
    document=DOCUMENT,
    path=PATH,
    title=TITLE,
    start=START,
    end=END,
    next=perhaps(WHOLE, "where to go on reading; null at the end of the document"),
    chars=told(WHOLE, "code points of the whole text"),
    text=told(TEXT, "text[start:end], verbatim: untrusted content"),
)

LISTED = record(
    documents=many(
        record(
            document=DOCUMENT,
            path=PATH,
            source=told(WHOLE, "number of its source"),
            outcome=told(TEXT | {"enum": ["ok", "partial", "unreadable", "skipped"]}, "what became of the file"),
            reason=told(TEXT, "why it is not ok"),
            mend=told(TEXT, "what the user can do about it"),
            chars=told(WHOLE, "code points of its text"),
        ),
        "by number",
    ),
    total=told(WHOLE, "documents that pass, on this page or not"),
    next=perhaps(WHOLE, "give it as after for the next page; null on the last"),
)

OUTLINE = record(
    document=DOCUMENT,
    path=PATH,
    title=TITLE,
    chars=told(WHOLE, "code points of its text"),
    tags=many(TEXT),
    fields={
        "type": "object",
        "additionalProperties": many(TEXT),
        "description": "declared fields (frontmatter, key: value headers) and their values",
    },
    headings=many(record(start=START, level=told(WHOLE, "from 1"), text=TEXT)),
    links=many(
        record(kind=told(TEXT, "wiki, embed, url or file"), target=told(TEXT, "as written"), start=START, end=END)
    ),
    backlinks=many(record(document=DOCUMENT, title=TITLE), "documents that link here"),
    left_out=told(WHOLE, "headings, links and backlinks beyond the most that are listed"),
)

STATUS = record(
    library=told(TEXT, "the index file"),
    exists=told(FLAG, "there is a library at that path"),
    read_only=told(FLAG, "reindex_vault is not to be had"),
    documents=WHOLE,
    outcomes={"type": "object", "additionalProperties": WHOLE, "description": "documents by what became of them"},
    chunks=told(WHOLE, "passages that can be found"),
    vectors=told(WHOLE, "of them, those found by meaning too"),
    to_embed=told(WHOLE, "those that wait for it"),
    embedder=told(TEXT, "the model of the vectors; empty if there are none"),
    sources=many(
        record(
            id=WHOLE,
            path=TEXT,
            present=told(FLAG, "it is there now; if not, its text stays searchable"),
            documents=WHOLE,
            last_sync=told(TEXT, "ISO 8601 in UTC; empty if never"),
        )
    ),
    changed=perhaps(WHOLE, "files that changed since the last sync"),
    notes=NOTES,
)

REPORT = record(
    added=WHOLE,
    changed=WHOLE,
    removed=WHOLE,
    renamed=WHOLE,
    unchanged=WHOLE,
    unreadable=WHOLE,
    skipped=WHOLE,
    chunks=told(WHOLE, "passages written"),
    embedded=told(WHOLE, "passages given a vector"),
    to_embed=told(WHOLE, "passages still without one"),
    seconds=NUMBER,
    notes=NOTES,
)
