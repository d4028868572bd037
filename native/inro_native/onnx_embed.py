"""Sentence vectors from any ONNX encoder: tokenise, batch by length, run, pool, normalise.

Rule: a batch is a token budget, not a number of texts, and holds texts of like length, so memory is bounded and
little is computed on padding; results say which texts they belong to, and which texts were longer than the model
reads. A text has the same vector whatever it is batched with, as long as the model does not scale its activations over
the whole batch, as int8 models made elsewhere do (cosine .997 for e5-small); those made here do not.
It knows the shapes that encoders are published in (`last_hidden_state`, `token_embeddings`, `sentence_embedding`,
`dense_vecs`); it does not know which model it runs, nor prefixes: it is handed two files and their settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Ids: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float32]
Pooling: TypeAlias = Literal["mean", "cls"]

SENTENCE_OUTPUTS = ("sentence_embedding", "dense_vecs", "dense_embeddings", "pooled_embedding")
TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
WINDOW = 1024
"""Texts sorted by length together: enough for even batches, few enough that their tokens are soon freed."""
TOKEN_BUDGET = 1024
"""Tokens a batch, padding counted: activations stay in the processor's cache, and 4096 costs a fifth more."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Vectors of some of the texts."""

    indexes: npt.NDArray[np.int64]
    """Which texts, counted from the first text of the call."""
    vectors: Floats
    """float32[n, d], each of length 1."""
    tokens: Ids
    """int32[n]: tokens of each text as a whole, with the special ones; past the model's limit it was cut."""
    cut: npt.NDArray[np.bool_]
    """bool[n]: the text was longer than the model reads, and its end is not in the vector."""


def sound_text(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, which every tokenizer takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plan_batches(lengths: Ids, token_budget: int) -> list[npt.NDArray[np.int64]]:
    """Cut texts into batches of like length whose padded size is at most the budget.

    lengths: int32[n], tokens a text. A text longer than the budget is a batch of its own.
    Longest first: the largest allocation comes first and the rest fit in it.
    """
    order = np.argsort(-lengths.astype(np.int64), kind="stable")
    batches: list[npt.NDArray[np.int64]] = []
    start = 0
    while start < len(order):
        width = max(1, int(lengths[order[start]]))
        count = max(1, token_budget // width)
        batches.append(order[start : start + count])
        start += count
    return batches


class OnnxEncoder:
    """One loaded encoder and its tokenizer."""

    def __init__(
        self,
        model: str,
        tokenizer: str,
        *,
        dimension: int,
        pooling: Pooling,
        max_tokens: int,
        threads: int = 2,
        token_budget: int = TOKEN_BUDGET,
        safe: bool = False,
    ) -> None:
        """
        Args:
            model: path of the ONNX file.
            tokenizer: path of the `tokenizers` JSON file.
            dimension: what the vectors must have; a file that gives another is refused.
            max_tokens: what the model reads of a text, special tokens counted.
            threads: of the runtime, within an operator.
            safe: no memory arena, no graph rewriting beyond the basic, one thread: slow, but runs where the
                ordinary settings crashed.

        Raises ValueError when a file cannot be loaded or has inputs or outputs that are not an encoder's.
        """
        if dimension < 1 or max_tokens < 8 or threads < 1 or token_budget < 1:
            raise ValueError("dimension, max_tokens, threads and token_budget must be positive")
        self.dimension = dimension
        self.pooling: Pooling = pooling
        self.max_tokens = max_tokens
        self.token_budget = token_budget
        self._tokenizer = load_tokenizer(tokenizer)
        self._session = load_session(model, threads, safe)
        self._inputs = {i.name for i in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= INPUTS:
            raise ValueError(f"not a text encoder: its inputs are {', '.join(sorted(self._inputs))}")
        self._output, self._pooled = _choose_output(self._session)
        self._states = _state_output(self._session)
        pad = self._tokenizer.token_to_id("<pad>")
        if pad is None:
            pad = self._tokenizer.token_to_id("[PAD]")
        self._pad = 0 if pad is None else int(pad)

    def count_tokens(self, texts: Sequence[str]) -> Ids:
        """int32[n]: tokens of each text, special ones counted, before any cut."""
        counts = np.empty(len(texts), np.int32)
        for start in range(0, len(texts), WINDOW):
            window = texts[start : start + WINDOW]
            for i, encoding in enumerate(self._encodings(window), start):
                counts[i] = len(encoding)
        return counts

    def encode(self, texts: Sequence[str]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """float32[n, d] unit vectors in the order of the texts, and bool[n]: which were cut."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        cut = np.zeros(len(texts), np.bool_)
        for batch in self.stream(texts):
            vectors[batch.indexes] = batch.vectors
            cut[batch.indexes] = batch.cut
        return vectors, cut

    def stream(self, texts: Sequence[str], cancelled: Callable[[], bool] = lambda: False) -> Iterator[Batch]:
        """Vectors batch by batch, out of order; stops between batches once `cancelled()`."""
        for start in range(0, len(texts), WINDOW):
            if cancelled():
                return
            ids, tokens = self._tokenise(texts[start : start + WINDOW])
            lengths = np.minimum(tokens, self.max_tokens).astype(np.int32)
            for members in plan_batches(lengths, self.token_budget):
                if cancelled():
                    return
                vectors = self._run([ids[i] for i in members])
                cut = tokens[members] > self.max_tokens
                yield Batch(members + start, vectors, tokens[members], cut)

    def token_states(self, text: str, skip: int = 0) -> Floats:
        """float32[t, d]: the model's last state of each token of a text, special tokens left out.

        Args:
            skip: characters at the beginning whose tokens are read and left out too: a prefix. What the model does
                not read of a long text has no states.

        Raises ValueError when the model gives one vector a text and no states.
        """
        if not self._states:
            raise ValueError("the model gives no token vectors, only one a text")
        encoding = self._tokenizer.encode(sound_text(text))
        rows, _ = self._cut([encoding])
        own = np.array([end > skip for _, end in encoding.offsets]) & (np.array(encoding.special_tokens_mask) == 0)
        feed, _ = self._feed(rows)
        states = np.asarray(self._session.run([self._states], feed)[0][0], np.float32)
        if states.shape[1:] != (self.dimension,):
            raise ValueError(f"the model gives token vectors of {states.shape[1:]} numbers, not of {self.dimension}")
        own = own[: len(states)]
        # of a text that was cut, the last state is that of the closing special token
        own[-1] &= len(encoding) == len(states)
        kept: Floats = states[own]
        return kept

    def _encodings(self, texts: Sequence[str]) -> list[Any]:
        encodings: list[Any] = self._tokenizer.encode_batch_fast([sound_text(t) for t in texts])
        return encodings

    def _tokenise(self, texts: Sequence[str]) -> tuple[list[Ids], Ids]:
        """The ids of each text cut to what the model reads, and its whole length."""
        return self._cut(self._encodings(texts))

    def _cut(self, encodings: Sequence[Any]) -> tuple[list[Ids], Ids]:
        ids: list[Ids] = []
        tokens = np.empty(len(encodings), np.int32)
        for i, encoding in enumerate(encodings):
            row = np.array(encoding.ids, np.int32)
            tokens[i] = len(row)
            if len(row) > self.max_tokens:
                # the last special token closes a sentence for the model: keep it where the text is cut
                row = np.concatenate((row[: self.max_tokens - 1], row[-1:]))
            ids.append(row)
        return ids, tokens

    def _run(self, rows: Sequence[Ids]) -> Floats:
        """float32[n, d] unit vectors of a batch of token rows."""
        feed, mask = self._feed(rows)
        found = np.asarray(self._session.run([self._output], feed)[0], np.float32)
        pooled = found if self._pooled else _pool(found, mask, self.pooling)
        if pooled.shape != (len(rows), self.dimension):
            shape = " x ".join(map(str, pooled.shape[1:]))
            raise ValueError(f"the model gives vectors of {shape}, not of {self.dimension}")
        return _unit(pooled)

    def _feed(self, rows: Sequence[Ids]) -> tuple[dict[str, npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
        """What the session is given for a batch of token rows, int64[n, width] each, and which are no padding."""
        width = max(len(row) for row in rows)
        ids = np.full((len(rows), width), self._pad, np.int64)
        mask = np.zeros((len(rows), width), np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return {name: value for name, value in feed.items() if name in self._inputs}, mask


def _pool(states: Floats, mask: npt.NDArray[np.int64], pooling: Pooling) -> Floats:
    if states.ndim != 3:
        raise ValueError(f"the model's token states have {states.ndim} axes, not 3")
    if pooling == "cls":
        return np.ascontiguousarray(states[:, 0])
    kept = mask.astype(np.float32)
    kept /= np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
    mean: Floats = np.matmul(kept[:, None, :], states)[:, 0]
    return mean


def _unit(vectors: Floats) -> Floats:
    """Each row divided by its length; a row that is not finite or has none is refused."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths <= 0).any():
        raise ValueError("the model gave a vector that is not finite or is zero")
    unit: Floats = vectors / lengths
    return unit


def load_tokenizer(path: str) -> Any:
    """A `tokenizers.Tokenizer` that neither cuts nor pads. Raises ValueError."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as e:  # the library raises bare Exception for any fault of the file
        raise ValueError(f"not a tokenizer file: {path}: {e}") from e
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def load_session(path: str, threads: int, safe: bool) -> Any:
    """An `onnxruntime.InferenceSession` on the processor; `safe` as in `OnnxEncoder`. Raises ValueError."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1 if safe else threads
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    # threads that spin between operators would burn a core while the program waits for a key
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_BASIC if safe else level.ORT_ENABLE_ALL
    if safe:
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
    try:
        return ort.InferenceSession(
            path,
            options,
            providers=["CPUExecutionProvider"],
            # the fused kernels are slower than their parts: with e5-small int8 334 against 296 µs a token for the
            # first, 135 against 131 for the second
            disabled_optimizers=["SkipLayerNormFusion", "BiasGeluFusion"],
        )
    except Exception as e:  # the runtime's own exceptions share no base below Exception
        raise ValueError(f"the model cannot be loaded: {path}: {str(e).splitlines()[0]}") from e


def _choose_output(session: Any) -> tuple[str, bool]:
    """The output to read and whether it is one vector a text already."""
    outputs = {o.name: len(o.shape) for o in session.get_outputs()}
    for name in SENTENCE_OUTPUTS:
        if outputs.get(name) == 2:
            return name, True
    if states := _state_output(session):
        return states, False
    raise ValueError(f"not a sentence encoder: its outputs are {', '.join(sorted(outputs))}")


def _state_output(session: Any) -> str:
    """The output that holds a state a token; empty when there is none."""
    outputs = {o.name: len(o.shape) for o in session.get_outputs()}
    return next((name for name in TOKEN_OUTPUTS if outputs.get(name) == 3), "")
