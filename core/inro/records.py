"""The records that cross rooms. Frozen, without behaviour beyond what a field already says.

Every `start`/`end` is a pair of code point offsets, end exclusive, into the text named beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Lane: TypeAlias = Literal["hybrid", "lexical", "dense"]
Fusion: TypeAlias = Literal["calibrated", "rrf"]
HanFolding: TypeAlias = Literal["none", "simplified", "shinjitai", "all"]
Outcome: TypeAlias = Literal["ok", "partial", "unreadable", "skipped"]
Span: TypeAlias = tuple[int, int]
BlockKind: TypeAlias = Literal["heading", "paragraph", "list", "table", "code", "quote"]
LinkKind: TypeAlias = Literal["wiki", "embed", "url", "file"]


# From a file to chunks


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document's text that is not cut without need."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """Heading depth from 1; 0 for every other kind."""
    page: int | None = None
    """Page, slide or sheet number from 1, where the format has one."""
    label: str = ""
    """Of a heading: its text without markup, as shown in a heading path; empty for every other kind."""


@dataclass(frozen=True, slots=True)
class Link:
    """A reference a document makes to another place."""

    kind: LinkKind
    target: str
    """As written, without the brackets: `Note#Heading`, a URL, a relative path."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of one file. `text` is what is stored, shown, cited and sliced ever after."""

    text: str
    title: str
    blocks: tuple[Block, ...]
    """In order, not overlapping; together they cover all text that is not white space."""
    reader: str
    """`name/version` of the reader that made this."""
    fields: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Declared fields (frontmatter, `key: value` headers), keys folded to lower case, values as written."""
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    encoding: str = "utf-8"
    confidence: float = 1.0
    """How sure the encoding is, 0 to 1; 1 for a byte order mark or valid UTF-8."""
    outcome: Outcome = "ok"
    reason: str = ""
    """Why the outcome is not `ok`, in words for the user."""
    mend: str = ""
    """What the user can do about it; empty when nothing helps."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit of search: a slice of a document's text."""

    ordinal: int
    start: int
    end: int
    heading: tuple[str, ...]
    """The headings above, outermost first."""
    page: int | None
    tokens: int
    """Estimated with the document's own tokens-per-character ratio."""


# Search


@dataclass(frozen=True, slots=True)
class TracePart:
    """One summand of a score."""

    lane: str
    """`lexical`, `dense`, `title`, `pin` or `rerank`."""
    value: float
    note: str
    """How the value came about, for a person: `bm25 12.3 of 20.1 possible`."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A passage of another document that says the same as a hit."""

    document: int
    path: str
    """Relative to the source's root."""
    chunk: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result; its trace sums to its score."""

    rank: int
    score: float
    document: int
    path: str
    """Relative to the source's root."""
    title: str
    heading: str
    """The heading path joined by ` › `, without the title where it is the first heading."""
    page: int | None
    chunk: int
    start: int
    end: int
    """The chunk's span in the document's text."""
    snippet: str
    """A verbatim slice of the document's text."""
    snippet_start: int
    """Where the snippet begins in the document's text."""
    highlights: tuple[Span, ...]
    """Matched spans inside the snippet."""
    trace: tuple[TracePart, ...]
    pinned: bool = False
    """An identifier of the query is in this chunk as a whole."""
    below_floor: bool = False
    """Nothing but the library's ordinary likeness speaks for this hit."""
    also_in: tuple[Copy, ...] = ()
    """Where else the same is said, best first; the hit stands for all of them."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """How much of what the user owns was searched."""

    searched: int
    """Documents whose text is in the index."""
    total: int
    """Documents known, whatever became of them."""
    unreadable: int = 0
    skipped: int = 0
    offline: int = 0
    """Documents under a root that is not present now; they stay searchable."""
    changed: int | None = None
    """Files that changed since the last sync; None where nobody looked."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one query."""

    query: str
    lane: Lane
    hits: tuple[Hit, ...]
    ledger: Ledger
    hints: tuple[str, ...] = ()
    """What the user should know: a malformed filter searched as text, a lane that could not run and why."""
    elapsed_ms: float = 0.0
    partial: bool = False
    """A lane is still at work: right as far as it goes, and better when asked again."""


# Answers


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A numbered passage that an answer may cite."""

    n: int
    document: int
    path: str
    title: str
    heading: str
    page: int | None
    start: int
    end: int
    quote: str
    """`text[start:end]` of the document."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of an answer and what the check found."""

    text: str
    citations: tuple[int, ...]
    supported: bool
    problems: tuple[str, ...] = ()
    span: Span | None = None
    """Of a quoted sentence, its place in the document's text; the quotation is shown without markup."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer, or a refusal with the nearest misses."""

    question: str
    answer: str
    refused: bool
    mode: Literal["model", "extractive"]
    sentences: tuple[AnswerSentence, ...]
    sources: tuple[SourcePassage, ...]
    steps: tuple[str, ...]
    """What was done to reach it, a line each."""
    misses: tuple[Hit, ...] = ()
    """On refusal: the nearest there is."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange of a chat."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """Event: something was done on the way."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """Event: the extractive answer, complete and checked, while the model still works."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class AnswerText:
    """Event: a piece of the model's text as it streams, stripped of control characters, not yet checked."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerDone:
    """Event, always the last: the final answer."""

    answer: Answer


AnswerEvent: TypeAlias = AnswerStep | AnswerDraft | AnswerText | AnswerDone


# Indexing and state


@dataclass(frozen=True, slots=True)
class Progress:
    """Event of a sync. The last one of a sync has `phase="done"`."""

    phase: Literal["scan", "read", "embed", "commit", "done"]
    done: int
    """Units finished in this phase: files for `scan` and `read`, chunks for `embed`."""
    total: int
    """Units known in this phase; 0 when not known yet."""
    path: str = ""
    """The file at hand, where there is one."""
    rate: float = 0.0
    """Units a second over this phase."""
    eta: float | None = None
    """Seconds left in this phase, when it can be told."""
    report: SyncReport | None = None
    """Only on the last event."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did, counted in documents unless said otherwise."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: int = 0
    unchanged: int = 0
    unreadable: int = 0
    skipped: int = 0
    chunks: int = 0
    """Chunks written."""
    embedded: int = 0
    """Chunks embedded."""
    to_embed: int = 0
    """Chunks still without a vector."""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What the user should know: a missing root, a missing model with the command that brings it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a source takes in, and how. Hashable, so that it can be compared and stored."""

    include: tuple[str, ...] = ()
    """Patterns a file must match, if there are any; folders are looked into either way."""
    exclude: tuple[str, ...] = ()
    """Patterns of files and folders to leave out, over and above `ALWAYS_EXCLUDED`."""
    hidden: bool = False
    """Whether names that begin with a dot are taken in."""
    ignore_files: bool = True
    """Whether `.gitignore` and `.inroignore` inside the root are followed."""
    max_bytes: int = 64 * 1024 * 1024
    """Files larger than this are left out, and that is told."""
    encodings: tuple[tuple[str, str], ...] = ()
    """(pattern, charset): text files matching the pattern are in this charset, whatever they look like; the last
    that matches counts."""


@dataclass(frozen=True, slots=True)
class WatchNotice:
    """Event of a watch, between its syncs."""

    kind: Literal["watching", "busy", "blind"]
    """`busy`: another program holds the library, it is tried again; `blind`: the system tells of no changes here."""
    present: int = 0
    """Sources that are watched."""
    absent: int = 0
    """Sources that are not there now."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the files of the sources differ from what the library holds, by name, size and time alone."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def total(self) -> int:
        """Files that a sync would look into."""
        return self.added + self.changed + self.removed


@dataclass(frozen=True, slots=True)
class SourceState:
    """One indexed root."""

    id: int
    path: str
    present: bool
    documents: int
    last_sync: str
    """ISO 8601 in UTC, empty if never."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file."""

    document: int
    path: str
    source: int
    outcome: Outcome
    reason: str
    mend: str
    reader: str
    encoding: str
    chars: int
    coverage: float = 1.0
    """Share of the characters that are no white space which some chunk holds; 1 for a text without any."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a library at a glance."""

    library: str
    format: int
    generation: int
    bytes: int
    sources: tuple[SourceState, ...]
    documents: int
    outcomes: dict[str, int]
    chunks: int
    vectors: int
    segments: int
    analyser: str
    embedder: str
    """Name of the model whose vectors the file holds; empty if none."""
    to_embed: int
    drift: Drift | None = None
    """What changed in the sources since the last sync; None where that was not looked for."""
    cut: int = 0
    """Chunks longer than the embedder reads: what comes after is found by its words only."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One document as stored."""

    document: int
    path: str
    absolute: str
    """Where the original is on this machine; it may be absent."""
    title: str
    text: str
    outcome: Outcome
    reason: str
    fields: dict[str, tuple[str, ...]]
    tags: tuple[str, ...]
    headings: tuple[tuple[int, int, str], ...]
    """(offset, level, text), in order."""
    links: tuple[Link, ...] = ()
    backlinks: tuple[tuple[int, str], ...] = ()
    """(document, title) of the documents that link here."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `inro doctor`."""

    name: str
    ok: bool
    found: str
    expected: str = ""
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing `inro verify` found wrong."""

    where: str
    what: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of this machine's user."""

    name: str
    toml: str
    """Its value as the settings file would have it."""
    origin: str
    """Who says so: `default`, or the settings file."""
    default: str
    """What it is when nobody says anything, as the file would have it."""
    meaning: str


@dataclass(frozen=True, slots=True)
class Migration:
    """A library brought to this release's format."""

    library: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """A library file that was made: by copying, merging, encrypting or decrypting."""

    library: str
    """Where it is."""
    bytes: int
    documents: int
    chunks: int
    vectors: int
    to_embed: int
    """Chunks that wait for a vector: `inro sync` makes them."""
    encrypted: bool
    seconds: float
    notes: tuple[str, ...] = ()
    """What the user should know."""


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What merging libraries brought."""

    made: FileReport
    taken: int
    """Documents that came in."""
    duplicates: int
    """Documents left out because one of the same content was there."""
    outdated: int
    """Documents left out because a later state of the same file was there."""
    replaced: int
    """Documents that gave way to a later state of the same file."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """A source that lives elsewhere now."""

    source: int
    former: str
    path: str
    documents: int
    found: int
    """Files of the library's documents that are at the new place."""


@dataclass(frozen=True, slots=True)
class EvalScore:
    """Retrieval quality of one lane on one set; metrics as trec_eval computes them, averaged over queries."""

    set: str
    lane: str
    queries: int
    ndcg_10: float
    recall_1: float
    """Share of queries whose first document is relevant."""
    recall_10: float
    recall_100: float
    mrr_10: float
    p50_ms: float


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Answer quality on one set; a share is None where there was nothing to count."""

    set: str
    questions: int
    unanswerable: int
    """Of them, those whose answer is not in the corpus."""
    known: int
    """Answered ones with a known answer that stands word for word in a relevant document."""
    refusal_precision: float | None
    """Of the refused, the share that could not be answered."""
    refusal_recall: float | None
    """Of those that could not be answered, the share refused."""
    false_refusal: float | None
    """Of those that could be answered, the share refused."""
    answer_in_extract: float | None
    """Of the known, the share whose quoted sentences hold a known answer."""
    answer_in_sources: float | None
    """Of the known, the share with a known answer in the numbered passages."""
    citation_precision: float | None
    """Of the passages cited for the known, the share that holds a known answer."""
    untraceable: int
    """Figures in answers that no cited passage holds, in sentences that are not marked."""
    model_answers: int
    """Answers that are a model's text; the others are quoted."""
    p50_ms: float
    """Median time to the first complete answer."""
