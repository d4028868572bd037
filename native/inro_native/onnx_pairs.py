"""Scores of pairs of a question and a text from any ONNX cross-encoder: tokenise the pair, run, read one number.

Rule: the question is whole as long as it takes no more than half of what the model reads; what does not fit of the text
is cut at its end. It knows the shapes that cross-encoders are published in: `logits` of one number, the higher the
better, or of two, of which the second speaks for the text. It does not know which model it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inro_native.onnx_embed import INPUTS, load_session, load_tokenizer, sound_text

OUTPUT = "logits"


class OnnxPairs:
    """One loaded cross-encoder and its tokenizer."""

    def __init__(self, model: str, tokenizer: str, *, max_tokens: int, threads: int = 2, safe: bool = False) -> None:
        """
        Args:
            model: path of the ONNX file.
            tokenizer: path of the `tokenizers` JSON file.
            max_tokens: what the model reads of a pair, special tokens counted.
            threads: of the runtime, within an operator.
            safe: the settings that run where the ordinary ones crashed.

        Raises ValueError when a file cannot be loaded or has inputs or outputs that are not a cross-encoder's.
        """
        if max_tokens < 16 or threads < 1:
            raise ValueError("max_tokens must be 16 at least, and threads positive")
        self._tokenizer = load_tokenizer(tokenizer)
        self._session = load_session(model, threads, safe)
        self._room = max_tokens - self._tokenizer.num_special_tokens_to_add(True)
        self._inputs = {i.name for i in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= INPUTS:
            raise ValueError(f"not a text model: its inputs are {', '.join(sorted(self._inputs))}")
        outputs = {o.name: len(o.shape) for o in self._session.get_outputs()}
        if outputs.get(OUTPUT) != 2:
            raise ValueError(f"not a cross-encoder: its outputs are {', '.join(sorted(outputs))}")

    def scores(self, question: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32[n]: the model's score of each text for the question, in its own units; the higher the better."""
        scores = np.empty(len(texts), np.float32)
        first = self._tokenizer.encode(sound_text(question), add_special_tokens=False)
        first.truncate(max(1, min(len(first), self._room // 2)))
        for i, text in enumerate(texts):
            second = self._tokenizer.encode(sound_text(text), add_special_tokens=False)
            second.truncate(max(1, self._room - len(first)))
            # one pair at a time: a processor gains nothing by a batch, and a budget is kept to within one text
            pair = self._tokenizer.post_process(first, second)
            scores[i] = self._score(pair)
        return scores

    def _score(self, pair: Any) -> float:
        ids = np.array([pair.ids], np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([pair.type_ids], np.int64),
        }
        feed = {name: value for name, value in feed.items() if name in self._inputs}
        (found,) = self._session.run([OUTPUT], feed)
        logits = np.asarray(found, np.float64)
        if logits.shape not in ((1, 1), (1, 2)):
            raise ValueError(f"the model gives scores of shape {' x '.join(map(str, logits.shape))}, not one a pair")
        score = float(logits[0, -1] - logits[0, :-1].sum())
        if not np.isfinite(score):
            raise ValueError("the model gave a score that is not finite")
        return score
