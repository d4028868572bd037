"""A chat model in a GGUF file, run by llama.cpp.

Rule: text in, text out. Pieces are cut at whole characters however the tokens fall, control tokens never
come from a message's content (see `chat_template`), and a cancel is seen between the nodes of the graph,
not only between tokens. The part of the prompt shared with the previous request is not computed again.
Knows nothing of documents or citations. One request at a time; not for several threads.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inro_native.chat_template import ChatTemplate
from inro_native.sampling import Sampler

LEAST_ROOM = 16
"""Tokens of answer that must fit after the prompt."""


class ChatModel:
    """One loaded model with one context."""

    def __init__(
        self,
        path: str,
        *,
        context: int = 4096,
        threads: int = 2,
        batch: int = 512,
        safe: bool = False,
    ) -> None:
        """Load the file; seconds for a large one.

        Args:
            path: a GGUF file.
            context: tokens of prompt and answer together; capped at what the model was trained on.
            threads: processor threads.
            batch: tokens of prompt computed at once.
            safe: repack no weights for special instructions (`use_extra_bufts` off; on some processors
                the AMX kernels end the process with SIGSEGV) and use no graphics processor.

        Raises:
            ValueError: not a model llama.cpp can load, or one without a chat template.
        """
        import llama_cpp

        self._api = llama_cpp
        self._batch = batch
        self.computed = 0
        """Tokens computed so far, of prompts and answers; of a batch that was stopped half-way none."""
        with _model_defaults(safe):
            self._llama = llama_cpp.Llama(
                path,
                n_ctx=context,
                n_threads=threads,
                n_threads_batch=threads,
                n_batch=batch,
                n_ubatch=batch,
                n_gpu_layers=0 if safe else -1,
                verbose=False,
            )
        trained = int(self._llama._model.n_ctx_train())
        self.context = min(int(self._llama.n_ctx()), trained) if trained > 0 else int(self._llama.n_ctx())
        """Tokens of prompt and answer together."""
        self.name = str(self._llama.metadata.get("general.name", ""))
        self._vocab = llama_cpp.llama_model_get_vocab(self._llama.model)
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            self._llama.close()
            raise ValueError(f"the model file holds no chat template, so it is no chat model: {path}")
        bos = self._token_text(self._llama.token_bos())
        self._bos_text = bos
        self._template = ChatTemplate(template, bos=bos, eos=self._token_text(self._llama.token_eos()))

    def count(self, text: str) -> int:
        """Tokens of a text as it would stand inside a message."""
        return len(self._tokens(text, special=False))

    def count_prompt(self, messages: Sequence[Mapping[str, str]]) -> int:
        """Tokens of a whole prompt, the template's included. Raises ValueError as `stream` does."""
        return len(self._prompt(messages, ""))

    def stream(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        begun: str = "",
        grammar: str = "",
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Iterator[str]:
        """The assistant's next message, piece by piece; it ends at the model's own end, or as limited.

        Args:
            messages: `{"role", "content"}`, roles `system`, `user`, `assistant`.
            max_tokens: no more than this many; fewer where the context ends.
            temperature: 0 takes the likeliest token each time.
            stop: strings that end the answer; neither they nor what follows is given.
            begun: what the assistant has already said; the stream goes on after it.
            grammar: a GBNF grammar the answer must follow from its beginning; not together with `begun`.
            cancelled: asked often; once true, the stream ends.

        Raises:
            ValueError: a prompt that does not fit the context, messages the template does not take, or a
                grammar that cannot be read.
        """
        if begun and grammar:
            raise ValueError("a grammar holds from the beginning of an answer, not from its middle")
        prompt = self._prompt(messages, begun)
        room = self.context - len(prompt)
        if room < LEAST_ROOM:
            raise ValueError(f"a prompt of {len(prompt)} tokens; the model holds {self.context} with its answer")
        choice = Sampler(self._llama.ctx, self._vocab, self._llama.n_vocab(), temperature=temperature, grammar=grammar)
        with contextlib.closing(choice), self._watching(cancelled):
            yield from cut(self._generate(prompt, min(max_tokens, room), choice, cancelled), stop)

    def close(self) -> None:
        """Free the memory. The object is of no use afterwards."""
        self._llama.close()

    def _generate(
        self, prompt: list[int], limit: int, choice: Sampler, cancelled: Callable[[], bool]
    ) -> Iterator[bytes]:
        kept = self._keep(prompt)
        if not self._compute(prompt[kept:], cancelled):
            return
        for said in range(limit):
            token = choice.next()
            if cancelled() or self._api.llama_vocab_is_eog(self._vocab, token):
                return
            yield self._llama.detokenize([token])
            if said + 1 < limit and not self._compute([token], cancelled):
                return

    def _keep(self, prompt: list[int]) -> int:
        """How many tokens of the prompt are computed already; what was computed beyond them is forgotten.

        The last token is always computed again, since what follows it is not kept.
        """
        known = self._llama.input_ids[: self._llama.n_tokens].tolist()
        shared = next((i for i, (a, b) in enumerate(zip(known, prompt, strict=False)) if a != b), len(known))
        shared = min(shared, len(prompt) - 1)
        if shared <= 0 or not self._llama._ctx.kv_cache_seq_rm(-1, shared, -1):
            self._forget()
            return 0
        self._llama.n_tokens = shared
        return shared

    def _forget(self) -> None:
        """Begin anew, with an empty memory."""
        self._llama.reset()
        self._llama._ctx.kv_cache_clear()

    def _compute(self, tokens: list[int], cancelled: Callable[[], bool]) -> bool:
        """Compute tokens after those computed before; whether that was done, and not cancelled."""
        for start in range(0, len(tokens), self._batch):
            if cancelled():
                return False
            part = tokens[start : start + self._batch]
            try:
                self._decode(part)
            except RuntimeError as e:
                # the next request cuts back to before a batch that was stopped half-way; a recurrent state cannot be
                if self._llama._is_recurrent or self._llama._is_hybrid:
                    self._forget()
                if not cancelled():
                    self._forget()
                    raise RuntimeError(f"llama.cpp could not go on: {e}") from e
                return False
            self.computed += len(part)
        return True

    def _decode(self, tokens: list[int]) -> None:
        """Compute one batch after what is computed. Raises RuntimeError."""
        llama, past = self._llama, self._llama.n_tokens
        llama._ctx.kv_cache_seq_rm(-1, past, -1)
        llama._batch.set_batch(batch=tokens, n_past=past, logits_all=False)
        llama._ctx.decode(llama._batch)
        llama.input_ids[past : past + len(tokens)] = tokens
        llama.n_tokens = past + len(tokens)

    @contextlib.contextmanager
    def _watching(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Let llama.cpp ask between two nodes of the graph whether to go on."""
        watch = self._api.llama_cpp.ggml_abort_callback(lambda _: cancelled())
        nothing = self._api.llama_cpp.ggml_abort_callback()
        self._api.llama_set_abort_callback(self._llama.ctx, watch, None)
        try:
            yield
        finally:
            self._api.llama_set_abort_callback(self._llama.ctx, nothing, None)

    def _prompt(self, messages: Sequence[Mapping[str, str]], begun: str) -> list[int]:
        pieces = self._template.pieces(messages)
        tokens: list[int] = []
        starts_itself = bool(self._bos_text) and bool(pieces) and pieces[0].text.startswith(self._bos_text)
        if self._api.llama_vocab_get_add_bos(self._vocab) and not starts_itself:
            tokens.append(self._llama.token_bos())
        for piece in pieces:
            tokens += self._tokens(piece.text, special=piece.trusted)
        return tokens + self._tokens(begun, special=False)

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        if not text:
            return []
        found: list[int] = self._llama.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=special)
        return found

    def _token_text(self, token: int) -> str:
        if token < 0:
            return ""
        raw: bytes = self._api.llama_vocab_get_text(self._vocab, token)
        return raw.decode("utf-8", "replace")


def cut(pieces: Iterator[bytes], stop: Sequence[str] = ()) -> Iterator[str]:
    """Bytes as they come to text at whole characters, up to the first of the `stop` strings.

    What may be the beginning of a stop string is held back until it is known. Bytes that are not UTF-8 become
    U+FFFD; half a character at the very end, where a limit cut the answer, is dropped. Empty pieces are not
    given.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    held = ""
    for piece in pieces:
        held += decoder.decode(piece)
        ends = [at for s in stop if s and (at := held.find(s)) >= 0]
        if ends:
            if min(ends):
                yield held[: min(ends)]
            return
        keep = max((_overlap(held, s) for s in stop if s), default=0)
        if len(held) > keep:
            yield held[: len(held) - keep]
            held = held[len(held) - keep :]
    if held:
        yield held


def _overlap(text: str, stop: str) -> int:
    """The length of the longest end of `text` with which `stop` begins."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)


@contextlib.contextmanager
def _model_defaults(safe: bool) -> Iterator[None]:
    """While a model loads, let llama.cpp's default parameters say no extra buffer types.

    The wrapper takes its parameters from this function and offers no argument for that field.
    """
    from llama_cpp import llama_cpp

    original = llama_cpp.llama_model_default_params

    def defaults() -> Any:
        parameters = original()
        parameters.use_extra_bufts = False
        return parameters

    if safe:
        llama_cpp.llama_model_default_params = defaults
    try:
        yield
    finally:
        llama_cpp.llama_model_default_params = original
