"""The choice of the next token from what llama.cpp computed, a grammar's rules kept.

Rule: a grammar is asked about the one token that was chosen without it; only where it forbids that one is the whole
vocabulary put to it. Both give the same tokens at temperature zero, and the first costs next to nothing. Knows nothing
of prompts or text.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

TOP_K: Final = 40
TOP_P: Final = 0.95
MIN_P: Final = 0.05
_SEED: Final = 0xFFFFFFFF
"""llama.cpp's word for a seed of its own choosing."""


class Sampler:
    """Samplers of one request over one context; `close` frees them."""

    def __init__(self, context: Any, vocab: Any, size: int, *, temperature: float = 0.0, grammar: str = "") -> None:
        """
        Args:
            context: a `llama_context` that has computed something when `next` is called.
            vocab: its `llama_vocab`.
            size: tokens in it.
            temperature: 0 takes the likeliest token each time.
            grammar: GBNF with a rule `root`; empty for none.

        Raises:
            ValueError: the grammar cannot be read.
        """
        import llama_cpp

        self._api = llama_cpp
        self._context = context
        self._size = size
        self.refused = 0
        """How often the grammar forbade the token chosen without it."""
        self._grammar = None
        if grammar:
            self._grammar = llama_cpp.llama_sampler_init_grammar(vocab, grammar.encode(), b"root")
            if not self._grammar:
                raise ValueError("the grammar cannot be read")
        self._chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
        if temperature > 0:
            steps = [
                llama_cpp.llama_sampler_init_top_k(TOP_K),
                llama_cpp.llama_sampler_init_top_p(TOP_P, 1),
                llama_cpp.llama_sampler_init_min_p(MIN_P, 1),
                llama_cpp.llama_sampler_init_temp(temperature),
                llama_cpp.llama_sampler_init_dist(_SEED),
            ]
        else:
            steps = [llama_cpp.llama_sampler_init_greedy()]
        for step in steps:
            llama_cpp.llama_sampler_chain_add(self._chain, step)

    def next(self) -> int:
        """The next token after what the context computed last."""
        token = int(self._api.llama_sampler_sample(self._chain, self._context, -1))
        if self._grammar is None:
            return token
        if not self._allowed(token):
            self.refused += 1
            token = self._constrained()
        self._api.llama_sampler_accept(self._grammar, token)
        return token

    def close(self) -> None:
        """Free the samplers. Safe to call twice."""
        for sampler in (self._chain, self._grammar):
            if sampler is not None:
                self._api.llama_sampler_free(sampler)
        self._chain = self._grammar = None

    def _allowed(self, token: int) -> bool:
        one = self._candidates(np.array([token], np.int32), np.zeros(1, np.float32))
        self._api.llama_sampler_apply(self._grammar, ctypes.byref(one))
        return bool(one.data[0].logit > float("-inf"))

    def _constrained(self) -> int:
        logits = np.ctypeslib.as_array(self._api.llama_get_logits_ith(self._context, -1), shape=(self._size,))
        every = self._candidates(np.arange(self._size, dtype=np.int32), logits)
        self._api.llama_sampler_apply(self._grammar, ctypes.byref(every))
        self._api.llama_sampler_apply(self._chain, ctypes.byref(every))
        return int(every.data[every.selected].id)

    def _candidates(self, tokens: Any, logits: Any) -> Any:
        """A `llama_token_data_array` of int32[n] tokens with float32[n] log-odds; it owns its memory."""
        rows = np.zeros(len(tokens), np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)]))
        rows["id"], rows["logit"] = tokens, logits
        data = rows.ctypes.data_as(self._api.llama_token_data_p)
        array = self._api.llama_token_data_array(data, len(tokens), -1, False)
        # the rows must live as long as what points at them
        array.rows = rows
        return array
