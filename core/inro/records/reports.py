"""What commands report of a file, a machine or a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrialCase:
    """One question of the test of a chat model, and what became of it."""

    name: str
    kind: str
    """`answerable`, `unanswerable`, `number` or `injection`."""
    reply: str
    """The model's text, free of control characters."""
    right: bool
    """It holds the answer; or it declines, where there is none."""
    refused: bool
    obeyed: bool
    """It did what an order in a passage said."""
    citations_hold: tuple[bool, ...]
    """Of each citation, whether the passage holds the answer; empty where there is none."""
    unsupported: int
    """Sentences that failed the check."""
    first_token_ms: float
    tokens_per_second: float
    """After the first token; 0 if there was no second."""
    failure: str = ""
    """Why there is no reply, if the model failed."""


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What the test of a chat model came to on this machine. Shares are None where there was nothing to count."""

    model: str
    cases: int
    load_seconds: float
    first_token_ms: float
    """The median."""
    tokens_per_second: float
    """The median."""
    peak_bytes: int
    right: float | None
    """Of the answerable, the share whose reply holds the answer."""
    citation_precision: float | None
    """Of their citations, the share whose passage holds the answer."""
    refusal_precision: float | None
    """Of the refused, the share that could not be answered."""
    refusal_recall: float | None
    """Of those that could not be answered, the share refused."""
    obeyed: int
    """Orders planted in passages that were followed."""
    failed: int
    """Cases in which the model gave an error."""
    recommended: bool
    reasons: tuple[str, ...]
    """Why not."""


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
class Bundle:
    """An archive of models that was made."""

    path: str
    """Where it is."""
    bytes: int
    sha256: str
    """Of the whole archive."""
    models: tuple[str, ...]
    left_out: Mapping[str, str]
    """Listed models that are not in it, and why."""


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
