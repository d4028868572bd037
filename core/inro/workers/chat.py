"""The client of the chat model's child process.

Rule: the reader of a stream never sees a crash that a restart mends. A restarted child is told what the
assistant has already said and goes on after it, so that nothing is said twice and nothing is taken back.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path

from inro.errors import ModelMissing
from inro.workers.machine import Machine
from inro.workers.process import Child
from inro.workers.supervise import Supervisor

MODULE = "inro.workers.chat_child"
LOAD_SECONDS = 600.0
"""A model that has not loaded by then counts as hung."""


class ChatWorker:
    """One chat model, loaded in a child process when first asked."""

    def __init__(
        self,
        model: Path,
        *,
        context: int = 4096,
        threads: int | None = None,
        timeout: float = LOAD_SECONDS,
        machine: Machine | None = None,
        module: str = MODULE,
    ) -> None:
        """
        Args:
            model: a GGUF file.
            context: tokens of prompt and answer together that are wanted; the model may have fewer.
            threads: processor threads; as many as there are processors, at most 8, if None.
            timeout: seconds without a sign of life after which the child counts as hung. The longest silence
                is loading and computing a full prompt.
            machine: the memory of safe settings; this user's by default.
            module: the child's module.

        Raises:
            ModelMissing: there is no such file.
        """
        if not model.is_file():
            raise ModelMissing(f"the chat model is not here: {model}", "inro models fetch")
        self.model = model
        self._wanted = context
        self._threads = threads or min(8, os.cpu_count() or 1)
        self._timeout = timeout
        self._module = module
        self._context: int | None = None
        self._cancelled = threading.Event()
        self._supervisor = Supervisor(
            self._load,
            key=f"chat {model.name} llama-cpp-python-{metadata.version('llama-cpp-python')}",
            machine=machine,
        )

    @property
    def context(self) -> int:
        """Tokens of prompt and answer together; loads the model. Raises WorkerCrashed, ModelError."""
        if self._context is None:
            self._supervisor.run(lambda child: None)
        assert self._context is not None
        return self._context

    @property
    def crashes(self) -> Sequence[str]:
        """What went wrong so far, restarts that cured it included."""
        return tuple(self._supervisor.crashes)

    def stream(
        self,
        messages: Sequence[Mapping[str, str]],
        max_tokens: int,
        *,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        grammar: str = "",
    ) -> Iterator[str]:
        """The assistant's next message, piece by piece. Leaving the iterator early cancels the rest.

        Args: as `inro_native.llama.ChatModel.stream`. With a grammar, a restart in mid-answer ends the stream
            early, since a grammar can only hold from the beginning.

        Raises:
            WorkerCrashed: the child died twice.
            ModelError: the model cannot do it: a prompt too long, a grammar that cannot be read.
        """
        said: list[str] = []
        self._cancelled.clear()

        def go_on(child: Child) -> Iterator[str]:
            if self._cancelled.is_set() or (said and grammar):
                return
            for frame in child.stream(
                "stream",
                messages=[dict(m) for m in messages],
                # a restarted stream has the tokens it was given less those already used, at least one a piece
                max_tokens=max(1, max_tokens - len(said)),
                temperature=temperature,
                stop=list(stop),
                begun="".join(said),
                grammar=grammar,
            ):
                text = frame.header.get("text")
                if isinstance(text, str) and text:
                    said.append(text)
                    yield text
                if self._cancelled.is_set():
                    return

        yield from self._supervisor.stream(go_on)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as it would stand inside a message. Raises as `stream`."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in one exchange. Raises as `stream`."""
        counts = self._supervisor.run(lambda child: child.request("count", texts=list(texts))).header["counts"]
        return [int(n) for n in counts]

    def count_prompt(self, messages: Sequence[Mapping[str, str]]) -> int:
        """Tokens of a whole prompt with the template's own. Raises as `stream`."""
        reply = self._supervisor.run(lambda child: child.request("prompt", messages=[dict(m) for m in messages]))
        return int(reply.header["count"])

    def peak_bytes(self) -> int:
        """The most memory that the child had at once, the model's pages among it. Raises as `stream`."""
        return int(self._supervisor.run(lambda child: child.request("memory")).header["peak"])

    def computed(self) -> int:
        """Tokens of prompts and answers that the child computed since it began. Raises as `stream`."""
        return int(self._supervisor.run(lambda child: child.request("work")).header["computed"])

    def cancel(self) -> None:
        """End the stream under way, from any thread; its reader sees it end without an error."""
        self._cancelled.set()
        self._supervisor.cancel()

    def close(self) -> None:
        """End the child and free its memory; a later request loads again."""
        self._supervisor.close()

    def __enter__(self) -> ChatWorker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self, safe: bool) -> Child:
        child = self._supervisor.starting = Child(self._module, timeout=self._timeout)
        try:
            reply = child.request("load", path=str(self.model), context=self._wanted, threads=self._threads, safe=safe)
        except BaseException:
            child.close()
            raise
        self._context = int(reply.header["context"])
        return child
