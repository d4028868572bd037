"""Messages to the prompt a chat model was trained on, with the model file's own template.

Rule: what a message says never becomes a control token. The template is rendered around marks that stand
for the contents, and only the template's own text may be read as control tokens; `<|im_start|>` inside a
document stays nine characters of text. Knows nothing of tokenizers or models beyond the template's text.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ROLES = frozenset({"system", "user", "assistant"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the prompt."""

    text: str
    trusted: bool
    """The template's own text, in which control tokens are meant."""


class ChatTemplate:
    """A compiled Jinja template in llama.cpp's and Transformers' dialect, run in a sandbox."""

    def __init__(self, template: str, *, bos: str, eos: str) -> None:
        """
        Raises:
            ValueError: the template cannot be compiled.
        """
        from jinja2 import TemplateError
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        try:
            self._render = Jinja2ChatFormatter(template, eos_token=eos, bos_token=bos)
        except TemplateError as e:
            raise ValueError(f"the chat template of the model file cannot be read: {e}") from e

    def pieces(self, messages: Sequence[Mapping[str, str]]) -> list[Piece]:
        """The prompt up to where the assistant begins to speak.

        A model whose template knows no system role gets that text at the head of the first user message.

        Raises:
            ValueError: a message without a known role or content, or a template that takes neither form.
        """
        for message in messages:
            if message.get("role") not in ROLES or not isinstance(message.get("content"), str):
                raise ValueError(f"a message needs a role of {sorted(ROLES)} and a content: {dict(message)!r:.80}")
        try:
            return self._pieces(messages)
        except ValueError:
            merged = _without_system(messages)
            if merged is None:
                raise
            return self._pieces(merged)

    def _pieces(self, messages: Sequence[Mapping[str, str]]) -> list[Piece]:
        from jinja2 import TemplateError

        # unguessable, so that no content can hold another one's mark
        nonce = secrets.token_hex(8)
        marked = [{"role": m["role"], "content": f"\ue000{nonce}.{i}\ue001"} for i, m in enumerate(messages)]
        try:
            prompt: str = self._render(messages=marked).prompt
        except (TemplateError, ValueError, TypeError) as e:
            raise ValueError(f"the chat template does not take these messages: {e}") from e
        pieces: list[Piece] = []
        seen: set[int] = set()
        for i, part in enumerate(re.split(f"\ue000{nonce}\\.([0-9]+)\ue001", prompt)):
            if i % 2:
                seen.add(int(part))
                pieces.append(Piece(messages[int(part)]["content"], trusted=False))
            elif part:
                pieces.append(Piece(part, trusted=True))
        if len(seen) != len(messages):
            raise ValueError("the chat template leaves out a message")
        return pieces


def _without_system(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]] | None:
    """The same conversation with the system text inside the first user message, if there is such a pair."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    rest: list[Mapping[str, str]] = [m for m in messages if m["role"] != "system"]
    first = next((i for i, m in enumerate(rest) if m["role"] == "user"), None)
    if not system or first is None:
        return None
    rest[first] = {"role": "user", "content": "\n\n".join([*system, rest[first]["content"]])}
    return rest
