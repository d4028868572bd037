"""Calls that go wrong, run at once, or are cancelled; and that nothing in a document can act on who reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_client import Told, client, error, said, value

from inro.library import Library
from inro.mcp_server.finding import WHILE_SYNCING_MS
from inro.records import (
    Answer,
    AnswerDone,
    AnswerEvent,
    AnswerSentence,
    AnswerStep,
    Block,
    Progress,
    Reading,
    SearchResult,
    SourcePassage,
    Turn,
)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("search_vault", {}, "query is missing"),
        ("search_vault", {"query": "x", "top_k": 51}, "from 1 to 50"),
        ("search_vault", {"query": "x", "top_k": 0}, "from 1 to 50"),
        ("search_vault", {"query": "x", "top_k": True}, "from 1 to 50"),
        ("search_vault", {"query": "x", "top_k": 2.5}, "from 1 to 50"),
        ("search_vault", {"query": "x", "top_k": "many"}, "from 1 to 50"),
        ("search_vault", {"query": "x" * 2001}, "at most 2000"),
        ("search_vault", {"query": ["x"]}, "a text"),
        ("search_vault", {"query": " "}, "both empty"),
        ("search_vault", {"query": "x", "folder": "y"}, "query and top_k and filter"),
        ("search_vault", {"query": "x", "filter": "kiln"}, "path:…"),
        ("ask_vault", {"question": ""}, "give a question"),
        ("find_document", {"name": "\n"}, "give words"),
        ("read", {"document": 1, "start": -1}, "from 0 to"),
        ("read", {"document": 1, "start": 10**6}, "the document's length"),
        ("read", {"document": 1, "start": 5, "end": 5}, "after the start"),
        ("read", {"document": 99}, "no document 99"),
        ("read", {"document": 1.5}, "number, path or title"),
        ("list_documents", {"outcome": "lost"}, "unreadable"),
        ("list_documents", {"limit": 501}, "from 1 to 500"),
        ("reindex_vault", {"full_rebuild": "yes"}, "true or false"),
        ("status", {"look": True}, "no arguments"),
    ],
)
async def test_a_wrong_argument_is_refused_with_what_it_may_be(
    library: Library, tool: str, arguments: dict[str, object], says: str
) -> None:
    async with client(library) as agent:
        assert says in await error(agent, tool, **arguments)


@pytest.mark.parametrize(
    "text",
    ["\x00", "a\x00b", "\ud800", "'; DROP TABLE documents;--", "%s{}$1", "*", "(((", '"', '""', "-", "--", "path:",
     "path:*?[", "date:9999-99", "field:a>=1e400", "tag:#", "source:99999999999999999999", "𠮷" * 2000, "9" * 40,
     "-1", "-path:x"],
)  # fmt: skip
async def test_no_text_is_too_odd_to_be_asked(library: Library, text: str) -> None:
    """Each call is answered or refused in words."""
    async with client(library) as agent:
        for tool, name, more in (
            ("search_vault", "query", {}),
            ("search_vault", "filter", {"query": "furnace"}),
            ("ask_vault", "question", {}),
            ("find_document", "name", {}),
            ("read", "document", {}),
            ("outline", "document", {}),
            ("list_documents", "filter", {}),
        ):
            result = await agent.call_tool(tool, {name: text, **more})
            assert "Inro failed" not in said(result)
            assert not result.is_error or ". Do: " in said(result)


async def test_a_null_is_an_argument_that_was_not_given(library: Library) -> None:
    async with client(library) as agent:
        assert await value(agent, "search_vault", query="furnace", filter=None, top_k=3.0)
        assert (await value(agent, "read", document=1, end=None))["start"] == 0


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(library: Library) -> None:
    async with client(library) as agent:
        with pytest.raises(MCPError, match="there is no tool drop_table"):
            await agent.call_tool("drop_table", {})


async def test_nothing_in_a_document_can_act(tmp_path: Path) -> None:
    """As long as it was, so that places stay right; also where it is quoted in an error."""
    text = "red \x1b[31m kiln \u202e reversed \x9b2J \U000e0041 tail"
    reading = Reading(text, "Title\x07 \u202e", (Block("paragraph", 0, len(text)),), "test/1", tags=("a\x1bb",))
    library = Library(tmp_path / "l.inro")
    for _ in library.add_readings("notes", iter([("a\x1fb.md", reading)]), embed=False):
        pass
    async with client(library) as agent:
        seen = await value(agent, "read", document=1)
        results = [
            await agent.call_tool("read", {"document": 1}),
            await agent.call_tool("search_vault", {"query": "kiln"}),
            await agent.call_tool("ask_vault", {"question": "kiln red reversed tail"}),
            await agent.call_tool("outline", {"document": 1}),
            await agent.call_tool("find_document", {"name": "title"}),
            await agent.call_tool("list_documents", {}),
            await agent.call_tool("read", {"document": "\x1b]52;c;x\x07"}),
        ]
    assert len(seen["text"]) == len(text)
    assert seen["text"].startswith("red \ufffd[31m kiln")
    assert seen["text"].endswith("\ufffd tail")
    for result in results:
        told = result.model_dump_json() + said(result)
        for acting in ("\x1b", "\\u001b", "\x07", "\\u0007", "\u202e", "\x9b", "\U000e0041", "\x1f", "\\u001f"):
            assert acting not in told


class Halting(Library):
    """A library whose sync, once done, waits to be let go or stopped; likewise an answer, if it is not given."""

    def __init__(self, path: Path, answer: Answer | None = None) -> None:
        super().__init__(path)
        self.answer = answer
        self.go = threading.Event()
        self.stopped = threading.Event()
        self.deadlines: list[object] = []

    def search(self, query: str, **more: Any) -> SearchResult:
        """As of a library."""
        self.deadlines.append(more["deadline_ms"])
        return super().search(query, **more)

    def sync(self, *, full: bool = False, cancel: threading.Event | None = None) -> Iterator[Progress]:
        """As of a library, and then a wait."""
        assert cancel is not None
        yield from super().sync(full=full, cancel=cancel)
        self.halt(cancel)

    def ask(
        self,
        question: str,
        *,
        history: Sequence[Turn] = (),
        cancel: threading.Event | None = None,
        shelves: bool | None = None,
    ) -> Iterator[AnswerEvent]:
        """The answer that is given, or a wait."""
        assert cancel is not None
        yield AnswerStep("looking")
        if self.answer is None:
            self.halt(cancel)
        else:
            yield AnswerDone(self.answer)

    def halt(self, cancel: threading.Event) -> None:
        """Wait to be let go or stopped."""
        while not self.go.wait(0.01):
            if cancel.is_set():
                self.stopped.set()
                return


async def test_a_search_is_answered_while_a_reindex_runs(library: Library) -> None:
    halting = Halting(library.path)
    told = Told()
    done: list[bool] = []

    async def reindex(agent: Client) -> None:
        done.append((await agent.call_tool("reindex_vault", {}, progress_callback=told)).is_error)

    async with client(halting) as agent, anyio.create_task_group() as both:
        await value(agent, "search_vault", query="シリカゲル")
        assert halting.deadlines.pop() is None
        both.start_soon(reindex, agent)
        await told.begun.wait()
        found = await value(agent, "search_vault", query="シリカゲル")
        assert found["hits"]
        # the embedder may be at work on a thousand passages: a query does not queue up behind them for long
        assert halting.deadlines == [WHILE_SYNCING_MS]
        assert "running already" in await error(agent, "reindex_vault")
        assert done == []
        halting.go.set()
    assert done == [False]


async def test_calls_at_once_are_all_answered(library: Library) -> None:
    answers: dict[str, str] = {}

    async def ask(agent: Client, query: str) -> None:
        answers[query] = (await value(agent, "search_vault", query=query))["hits"][0]["path"]

    async with client(library) as agent, anyio.create_task_group() as all_:
        for query in ("シリカゲル", "vacuum heating", "S-1041", "第77項"):
            all_.start_soon(ask, agent, query)
    assert answers == {
        "シリカゲル": "sops/drying.md", "vacuum heating": "sops/furnace.md", "S-1041": "notes/log.md",
        "第77項": "notes/long.md",
    }  # fmt: skip


async def test_a_call_that_is_cancelled_stops_and_the_next_one_is_served(library: Library) -> None:
    halting = Halting(library.path)
    told = Told()

    async with client(halting) as agent:
        async with anyio.create_task_group() as calls:

            async def reindex() -> None:
                await agent.call_tool("reindex_vault", {}, progress_callback=told)

            calls.start_soon(reindex)
            await told.begun.wait()
            calls.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(halting.stopped.wait, 30)
        halting.go.set()
        with anyio.fail_after(30):
            while "running already" in said(await agent.call_tool("reindex_vault", {})):
                await anyio.sleep(0.01)


async def test_a_question_that_is_cancelled_stops(library: Library) -> None:
    halting = Halting(library.path)
    told = Told()
    async with client(halting) as agent:
        async with anyio.create_task_group() as calls:

            async def ask() -> None:
                await agent.call_tool("ask_vault", {"question": "furnace?"}, progress_callback=told)

            calls.start_soon(ask)
            await told.begun.wait()
            calls.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(halting.stopped.wait, 30)


async def test_an_answer_from_a_shelf_names_no_document_of_the_library(library: Library) -> None:
    passage = SourcePassage(1, 2, "a.md", "A", "", None, 0, 4, "Kiln", shelf="wiki")
    sentence = AnswerSentence("Kiln", (1,), True)
    answer = Answer("?", "Kiln", False, "extractive", (sentence,), (passage,), (), shelf="wiki")
    halting = Halting(library.path, answer)
    async with client(halting) as agent:
        given = await value(agent, "ask_vault", question="kiln?")
        text = said(await agent.call_tool("ask_vault", {"question": "kiln?"}))
    assert [(one["document"], one["shelf"]) for one in given["sources"]] == [(None, "wiki")]
    assert given["shelf"] == "wiki"
    assert "not from the library" in text
    assert "[S1]" in text


async def test_the_end_of_a_connection_stops_what_it_asked_for(library: Library) -> None:
    halting = Halting(library.path)
    told = Told()

    async with anyio.create_task_group() as calls, client(halting) as agent:

        async def reindex() -> None:
            with pytest.raises(MCPError):
                await agent.call_tool("reindex_vault", {}, progress_callback=told)

        calls.start_soon(reindex)
        await told.begun.wait()
    assert halting.stopped.is_set()


async def test_what_nobody_foresaw_is_one_calls_error(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    search: Callable[..., SearchResult] = library.search

    def fail(query: str, **more: object) -> SearchResult:
        if query == "bad":
            raise ZeroDivisionError("the secret of a note")
        return search(query, **more)

    monkeypatch.setattr(library, "search", fail)
    async with client(library) as agent:
        text = await error(agent, "search_vault", query="bad")
        assert "ZeroDivisionError" in text
        assert "secret" not in text
        assert (await value(agent, "search_vault", query="furnace"))["hits"]
