"""`inro mcp` as an agent has it: another process, its pipes, the real embedder, the network cut."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_client import error, value
from worlds import Inro, make_world

from inro.mcp_server.tools import TOOLS
from inro.sample import folder

pytestmark = pytest.mark.models

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}

NOISY = """
import ctypes, os, sys
from pathlib import Path
from inro.library import Library
from inro.mcp_server.wire import serve

class Noisy(Library):
    def search(self, query, **more):
        print("a print of the core")
        os.write(1, b"a write of a native library\\n")
        # buffered by C, and written out when the process ends
        ctypes.CDLL(None).printf(b"a printf of a native library\\n")
        return super().search(query, **more)

serve(Noisy(Path(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, models_folder: Path) -> Inro:
    """A library of some sample notes, in a folder that a test may change."""
    world = make_world(tmp_path_factory.mktemp("mcp"), models_folder)
    for part in ("sops", "inventory"):
        shutil.copytree(folder() / part, vault(world) / part)
    assert world("add", vault(world), "--json").json["to_embed"] == 0
    return world


def vault(world: Inro) -> Path:
    """Where its notes are."""
    return world.library.parent / "vault"


def command(world: Inro, *options: str) -> list[str]:
    """What an agent's configuration starts."""
    return [*world.prefix, sys.executable, "-m", "inro_tui.cli.main", "-L", str(world.library), "mcp", *options]


def agent(world: Inro, *options: str) -> Client:
    """The SDK's own client at that command."""
    program, *arguments = command(world, *options)
    return Client(StdioServerParameters(command=program, args=arguments, env=dict(world.environment)))


class Pipes:
    """A client that sees the bytes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.ids = 0

    def send(self, method: str, **frame: Any) -> None:
        """One frame."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **frame}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; the next line must be its reply."""
        self.ids += 1
        self.send(method, id=self.ids, params=params)
        assert self.process.stdout is not None
        reply = json.loads(self.process.stdout.readline())
        assert (reply["jsonrpc"], reply["id"]) == ("2.0", self.ids)
        return reply["result"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool gives."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]


@contextmanager
def pipes(world: Inro, arguments: list[str]) -> Iterator[Pipes]:
    """A server on plain pipes, after its handshake."""
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=dict(world.environment),
    )
    with process:
        try:
            server = Pipes(process)
            assert server.ask("initialize", **HELLO)["serverInfo"]["name"] == "inro"
            server.send("notifications/initialized")
            yield server
        finally:
            process.kill()


def family(pid: int) -> dict[int, str]:
    """A process and all that descend from it, with their command lines."""
    children: dict[int, list[int]] = {}
    lines: dict[int, str] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            own, parent = int(status.parent.name), int(status.read_text().rpartition(")")[2].split()[1])
            lines[own] = (status.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        children.setdefault(parent, []).append(own)
    found, ahead = {}, [pid]
    while ahead:
        one = ahead.pop()
        found[one] = lines.get(one, "")
        ahead += children.get(one, [])
    return found


def gone(pids: list[int]) -> bool:
    """Whether these processes are no more, within a while."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


async def test_an_agent_finds_reads_asks_and_is_refused(world: Inro) -> None:
    async with agent(world) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        status = await value(client, "status")
        assert (status["exists"], status["to_embed"]) == (True, 0)

        found = await value(client, "search_vault", query="シリカゲルは何度で再生しますか", top_k=5)
        assert not found["partial"]
        assert "inventory/Desiccators and drying agents.md" in [hit["path"] for hit in found["hits"][:3]]
        assert any(part["lane"] == "dense" for hit in found["hits"] for part in hit["why"])

        answer = await value(client, "ask_vault", question="Below what pressure may the vacuum furnace be heated?")
        assert "5e-3" in answer["answer"]
        cited = {n for sentence in answer["sentences"] for n in sentence["citations"]}
        for source in answer["sources"]:
            text = await value(client, "read", document=source["document"], start=source["start"], end=source["end"])
            assert text["text"] == source["quote"]
        assert any("SOP-016" in source["path"] for source in answer["sources"] if source["n"] in cited)

        refusal = await value(client, "ask_vault", question="What is the growth rate of the gallium nitride crystals?")
        assert refusal["refused"]
        assert "no document 999" in await error(client, "read", document=999)

        for row in (await value(client, "list_documents"))["documents"]:
            stored = world("show", str(row["document"]), "--json").json["text"]
            pieces = []
            start: int | None = 0
            while start is not None:
                piece = await value(client, "read", document=row["document"], start=start, end=start + 101)
                pieces.append(piece["text"])
                start = piece["next"]
            assert "".join(pieces) == stored


async def test_an_agent_brings_the_library_up_to_date(world: Inro) -> None:
    note = vault(world) / "sops" / "SOP-031 石英管の洗浄.md"
    note.write_text("# 石英管の洗浄\n\n石英管は王水に 12 時間浸す。\n", encoding="utf-8")
    async with agent(world) as client:
        assert (await value(client, "status"))["changed"] == 1
        report = await value(client, "reindex_vault")
        assert (report["added"], report["to_embed"]) == (1, 0)
        found = await value(client, "search_vault", query="how long to soak quartz tubes in aqua regia", top_k=3)
        assert note.name in {Path(hit["path"]).name for hit in found["hits"]}
    async with agent(world, "--read-only") as client:
        assert "read-only" in await error(client, "reindex_vault")


def test_standard_output_holds_nothing_but_frames(world: Inro) -> None:
    program = [*world.prefix, sys.executable, "-c", NOISY, str(world.library)]
    with pipes(world, program) as server:
        assert server.call("search_vault", query="furnace")["hits"]
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""
        assert server.process.stderr is not None
        said = server.process.stderr.read()
    for noise in ("a print of the core", "a write of a native library", "a printf of a native library"):
        assert noise in said


def test_the_file_is_whole_and_free_while_the_server_idles(world: Inro) -> None:
    with pipes(world, command(world)) as server:
        server.call("search_vault", query="furnace")
        server.call("reindex_vault")
        server.call("search_vault", query="乾燥庫")
        holding = [
            str(descriptor.readlink())
            for pid in family(server.process.pid)
            for descriptor in Path(f"/proc/{pid}/fd").glob("*")
            if descriptor.is_symlink()
        ]
        assert not [held for held in holding if world.library.name in held]
        copy = world.library.with_name("copy.inro")
        shutil.copyfile(world.library, copy)
        assert not world.library.with_name(f"{world.library.name}.wal").exists()
        # another program writes meanwhile, and the server sees it
        (vault(world) / "inventory" / "quokka.md").write_text("# Quokka\n", encoding="utf-8")
        world("sync")
        assert server.call("search_vault", query="quokka")["hits"][0]["title"] == "Quokka"
    copied = Inro(world.environment, copy, world.prefix)
    assert copied("verify").out == "no faults\n"


def test_the_server_ends_with_its_input_and_leaves_no_child(world: Inro) -> None:
    with pipes(world, command(world)) as server:
        server.call("search_vault", query="furnace")
        everyone = family(server.process.pid)
        assert any("embed_child" in line for line in everyone.values())
        assert server.process.stdin is not None
        server.process.stdin.close()
        assert server.process.wait(30) == 0
        assert gone(list(everyone))


def test_a_crash_of_the_embedder_is_survived(world: Inro) -> None:
    with pipes(world, command(world)) as server:
        server.call("search_vault", query="furnace")
        (embedder,) = (pid for pid, line in family(server.process.pid).items() if "embed_child" in line)
        os.kill(embedder, signal.SIGKILL)
        found = server.call("search_vault", query="what should I do in an earthquake")
        assert "SOP-020 地震のときの行動.md" in {Path(hit["path"]).name for hit in found["hits"][:3]}
        assert any(part["lane"] == "dense" for hit in found["hits"] for part in hit["why"])
        assert embedder not in family(server.process.pid)


def test_an_agent_that_dies_takes_the_server_with_it(world: Inro) -> None:
    with pipes(world, command(world)) as server:
        server.call("search_vault", query="furnace")
        everyone = family(server.process.pid)
        server.process.kill()
        server.process.wait(30)
        assert gone(list(everyone))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_when_it_is_told_to(world: Inro, stop: signal.Signals) -> None:
    with pipes(world, command(world)) as server:
        server.call("search_vault", query="furnace")
        everyone = family(server.process.pid)
        server.process.send_signal(stop)
        assert server.process.wait(30) == -stop
        assert gone(list(everyone))


def test_an_agent_that_stops_listening_is_no_error(world: Inro) -> None:
    with pipes(world, command(world)) as server:
        assert server.process.stdin is not None
        assert server.process.stdout is not None
        assert server.process.stderr is not None
        server.process.stdout.close()
        server.send("tools/call", id=99, params={"name": "status", "arguments": {}})
        server.process.stdin.close()
        assert server.process.wait(30) == 0
        assert server.process.stderr.read() == ""


async def test_no_process_of_it_tried_to_reach_a_network(world: Inro) -> None:
    async with agent(world) as client:
        await value(client, "search_vault", query="glovebox")
        await value(client, "ask_vault", question="グローブボックスの酸素濃度はいくつ以下か")
        await value(client, "reindex_vault", full_rebuild=True)
    assert world.socket_attempts() == ""
