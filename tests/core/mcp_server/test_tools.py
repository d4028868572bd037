"""What each tool gives: the SDK's own client on a real library."""

from __future__ import annotations

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from mcp import MCPError
from mcp_client import LONG, NOTES, Told, client, error, said, value
from mcp_types import TextResourceContents
from syrupy.assertion import SnapshotAssertion

import inro
from inro.library import Library
from inro.mcp_server.resources import LONGEST
from inro.mcp_server.tools import TOOLS
from inro.records import Block, Reading


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_server_says_who_it_is(library: Library, mode: str) -> None:
    async with client(library, mode=mode) as agent:
        assert agent.server_info is not None
        assert (agent.server_info.name, agent.server_info.version) == ("inro", inro.__version__)
        assert "untrusted" in (agent.instructions or "")
        assert await value(agent, "status")


async def test_the_tools_are_those_that_agents_know(library: Library, snapshot: SnapshotAssertion) -> None:
    """Names, arguments and results are a contract: agents have them in prompts and code."""
    async with client(library) as agent:
        tools = (await agent.list_tools()).tools
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema or {})
    assert [tool.model_dump(mode="json", exclude_none=True) for tool in tools] == snapshot


async def test_a_japanese_search_gives_whole_passages_with_their_places(library: Library) -> None:
    async with client(library) as agent:
        found = await value(agent, "search_vault", query="シリカゲルの再生温度", top_k=3)
        hit = found["hits"][0]
        assert hit["path"] == "sops/drying.md"
        assert hit["title"] == "乾燥庫の使い方"
        assert "120 °C" in hit["text"]
        assert sum(part["value"] for part in hit["why"]) == pytest.approx(hit["score"], abs=1e-4)
        stored = await value(agent, "read", document=hit["document"], start=hit["start"], end=hit["end"])
        assert stored["text"] == hit["text"]
    assert (found["searched"], found["documents"]) == (4, 5)


async def test_a_search_says_what_it_found_to_who_reads_text_alone(library: Library) -> None:
    async with client(library) as agent:
        text = said(await agent.call_tool("search_vault", {"query": "シリカゲル"}))
    assert "untrusted" in text.splitlines()[0]
    assert "乾燥庫の使い方" in text
    assert "120 °C で再生する" in text


async def test_a_filter_holds_before_ranking(library: Library) -> None:
    async with client(library) as agent:
        found = await value(agent, "search_vault", query="furnace", filter="tag:sop -path:drying", top_k=1)
        assert [hit["path"] for hit in found["hits"]] == ["sops/furnace.md"]
        listed = await value(agent, "search_vault", query="", filter="path:sops/")
        assert {hit["path"] for hit in listed["hits"]} == {"sops/drying.md", "sops/furnace.md"}
        nothing = await value(agent, "search_vault", query="furnace", filter="tag:nowhere")
        assert nothing["hits"] == []
        assert any("tag:nowhere" in note for note in nothing["notes"])


async def test_files_that_changed_since_are_counted_in_results(library: Library, folder: Path) -> None:
    (folder / "notes" / "new.md").write_text("# New\n", encoding="utf-8")
    async with client(library) as agent:
        assert (await value(agent, "status"))["changed"] == 1
        assert (await value(agent, "search_vault", query="furnace"))["changed"] == 1
        await value(agent, "reindex_vault")
        assert (await value(agent, "search_vault", query="furnace"))["changed"] == 0


@pytest.mark.parametrize("document", ["notes/long.md", "長い記録"])
async def test_slices_put_together_are_the_stored_text(library: Library, document: str) -> None:
    pieces, start = [], 0
    async with client(library) as agent:
        while True:
            piece = await value(agent, "read", document=document, start=start)
            assert (piece["start"], piece["end"]) == (start, start + len(piece["text"]))
            pieces.append(piece["text"])
            if piece["next"] is None:
                break
            assert piece["next"] == piece["end"]
            start = piece["next"]
    assert len(pieces) > 3
    assert "".join(pieces) == LONG
    assert piece["chars"] == len(LONG)


async def test_documents_are_listed_in_pages(library: Library) -> None:
    rows, after = [], 0
    async with client(library) as agent:
        while True:
            page = await value(agent, "list_documents", after=after, limit=2)
            assert page["total"] == 5
            rows += page["documents"]
            if page["next"] is None:
                break
            after = page["next"]
        unread = await value(agent, "list_documents", outcome="skipped")
        sops = await value(agent, "list_documents", filter="tag:sop")
    assert sorted(row["path"] for row in rows) == sorted(NOTES)
    assert [(row["path"], bool(row["reason"])) for row in unread["documents"]] == [("notes/film.mp4", True)]
    assert sorted(row["path"] for row in sops["documents"]) == ["sops/drying.md", "sops/furnace.md"]


async def test_a_document_is_jumped_to_and_its_structure_seen(library: Library) -> None:
    async with client(library) as agent:
        (found,) = (await value(agent, "find_document", name="vacuum"))["documents"]
        seen = await value(agent, "outline", document=found["document"])
        assert (await value(agent, "outline", document="sops/furnace.md")) == seen
    text = NOTES["sops/furnace.md"]
    assert [(one["text"], one["start"]) for one in seen["headings"]] == [
        ("Vacuum furnace", text.index("# Vacuum")),
        ("Heating", text.index("## Heating")),
    ]
    assert [one["title"] for one in seen["backlinks"]] == ["乾燥庫の使い方"]
    assert seen["tags"] == ["sop"]
    assert seen["fields"]["version"] == ["2"]
    assert seen["chars"] == len(text)


async def test_an_answer_is_cited_and_what_is_not_there_refused(library: Library) -> None:
    async with client(library) as agent:
        answer = await value(agent, "ask_vault", question="シリカゲルは何度で再生しますか")
        assert "120 °C" in answer["answer"]
        cited = {n for sentence in answer["sentences"] for n in sentence["citations"]}
        source = next(one for one in answer["sources"] if one["n"] in cited and one["path"] == "sops/drying.md")
        stored = await value(agent, "read", document=source["document"], start=source["start"], end=source["end"])
        assert stored["text"] == source["quote"]
        refusal = await value(agent, "ask_vault", question="Who won the chess championship of Reykjavik?")
    assert refusal["refused"]
    assert refusal["sentences"] == refusal["sources"] == []


async def test_a_reindex_takes_in_what_changed_and_tells_how_it_goes(library: Library, folder: Path) -> None:
    (folder / "notes" / "log.md").write_text("# Log\n\nThe quokka escaped.\n", encoding="utf-8")
    (folder / "sops" / "furnace.md").unlink()
    told = Told()
    async with client(library) as agent:
        done = await agent.call_tool("reindex_vault", {}, progress_callback=told)
        assert done.structured_content is not None
        assert {name: done.structured_content[name] for name in ("added", "changed", "removed", "unchanged")} == {
            "added": 0, "changed": 1, "removed": 1, "unchanged": 3,
        }  # fmt: skip
        found = await value(agent, "search_vault", query="quokka")
    assert found["hits"][0]["path"] == "notes/log.md"
    assert told.numbers == sorted(set(told.numbers))
    assert any(line.startswith("scan: ") for line in told.lines)


async def test_a_read_only_server_changes_nothing(library: Library, folder: Path) -> None:
    (folder / "notes" / "new.md").write_text("# New\n", encoding="utf-8")
    before = library.path.read_bytes()
    async with client(library, read_only=True) as agent:
        assert "reindex_vault" not in [tool.name for tool in (await agent.list_tools()).tools]
        assert "read-only" in await error(agent, "reindex_vault")
        await value(agent, "search_vault", query="furnace")
        assert (await value(agent, "status"))["read_only"] is True
    assert library.path.read_bytes() == before


async def test_a_library_that_is_not_there_yet_is_said_so(tmp_path: Path) -> None:
    async with client(Library(tmp_path / "none.inro")) as agent:
        status = await value(agent, "status")
        assert status["exists"] is False
        assert any("inro add FOLDER" in note for note in status["notes"])
        for tool, arguments in (
            ("search_vault", {"query": "furnace"}),
            ("ask_vault", {"question": "furnace?"}),
            ("read", {"document": 1}),
            ("list_documents", {}),
            ("reindex_vault", {}),
        ):
            assert "inro add FOLDER" in await error(agent, tool, **arguments)
    assert not (tmp_path / "none.inro").exists()


async def test_a_document_is_a_resource(library: Library) -> None:
    async with client(library) as agent:
        listed = (await agent.list_resources()).resources
        (template,) = (await agent.list_resource_templates()).resource_templates
        uri = next(one.uri for one in listed if one.name == "notes/log.md")
        (content,) = (await agent.read_resource(uri)).contents
        assert isinstance(content, TextResourceContents)
        assert content.text == NOTES["notes/log.md"]
        for wrong in ("inro://document/99", "inro://document/x", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="Do: "):
                await agent.read_resource(wrong)
    assert template.uri_template == "inro://document/{number}"


async def test_many_resources_come_in_pages_and_a_long_one_is_read_in_slices(tmp_path: Path) -> None:
    library = Library(tmp_path / "l.inro")
    notes = [(f"{n}.md", f"note {n}") for n in range(230)] + [("long.md", "long " * LONGEST)]
    readings = ((path, Reading(text, "", (Block("paragraph", 0, len(text)),), "test/1")) for path, text in notes)
    for _ in library.add_readings("notes", readings, embed=False):
        pass
    seen: list[str] = []
    cursor: str | None = None
    async with client(library) as agent:
        while True:
            page = await agent.list_resources(cursor=cursor)
            seen += [one.name for one in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
        with pytest.raises(MCPError, match="with the tool read"):
            await agent.read_resource(page.resources[-1].uri)
    assert sorted(seen) == sorted(path for path, _ in notes)


def test_what_returns_text_of_documents_says_that_it_is_untrusted() -> None:
    for tool in TOOLS:
        assert ("untrusted" in tool.description) == (tool.name not in ("status", "reindex_vault"))
