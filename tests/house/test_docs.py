"""The pages of docs/ say what is so: each is compared with the code, and each example in them is run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import inro.sample
from inro.library import Library
from inro.mcp_server.tools import TOOLS
from inro.store import schema
from inro_tui.cli.main import COMMANDS, cli
from inro_tui.cli.reference import reference

DOCS = Path(__file__).parents[2] / "docs"
MCP = (DOCS / "mcp.md").read_text(encoding="utf-8")
SEARCH = (DOCS / "search.md").read_text(encoding="utf-8")
INDEX_FILE = (DOCS / "index-file.md").read_text(encoding="utf-8")
EXAMPLES = [
    (query, finds, leaves_out or "")
    for query, finds, leaves_out in re.findall(
        r"^\| `([^`]+)` \| (?:`([^`]+)`)? ?(?:\| (?:`([^`]+)` )?)?\|$", SEARCH, re.M
    )
]
QUERIES = re.findall(r'^inro sql "(.+)"$', INDEX_FILE, re.M)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The sample library, by words alone."""
    folder = tmp_path_factory.mktemp("sample")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INRO_MODELS", str(folder / "no models"))
        library = Library(folder / "sample.inro")
        for _ in library.add([inro.sample.folder()]):
            pass
    return library


def test_the_reference_is_what_help_says() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "stale: make docs"
    for name in COMMANDS:
        assert f"\n## inro {name}\n" in page


def test_every_table_of_the_index_file_is_described() -> None:
    """In the order of `store/schema.py`, with its columns and types, and a meaning for each."""
    described = {
        table: re.findall(r"^\| `(\w+)` \| (\S+) \| (.+) \|$", body, re.M)
        for table, body in re.findall(r"^### (\w+)$(.*?)(?=^##|\Z)", INDEX_FILE, re.M | re.S)
    }
    assert {table: {name: kind for name, kind, _ in columns} for table, columns in described.items()} == schema.TABLES
    assert list(described) == [name for name in schema.TABLES]
    assert all(meaning.strip() for columns in described.values() for _, _, meaning in columns)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 20
    assert len(QUERIES) == 4


@pytest.mark.parametrize("query", QUERIES)
def test_an_example_query_of_the_index_file_gives_rows(sample: Library, query: str) -> None:
    columns, rows = sample.sql(query)
    assert columns
    assert list(rows)


@pytest.mark.parametrize(("query", "finds", "leaves_out"), EXAMPLES, ids=[query for query, _, _ in EXAMPLES])
def test_an_example_of_the_query_language(sample: Library, query: str, finds: str, leaves_out: str) -> None:
    hits = sample.search(query, limit=60, lane="lexical").hits
    paths = [hit.path for hit in hits]
    known = {row.path for row in sample.files()}
    assert {finds, leaves_out} - {""} <= known
    assert not finds or finds in paths[:3] or query.partition(":")[0] in ("path", "field")
    assert not finds or finds in paths
    assert leaves_out not in paths
    assert paths


def test_the_page_for_agents_has_every_tool_with_its_arguments() -> None:
    described = re.findall(r"^\| `(\w+)` \| (.*?) ?\| (.+) \|$", MCP, re.M)
    assert [(name, arguments) for name, arguments, _ in described] == [
        (
            tool.name,
            ", ".join(
                f"`{one.name}`" + ("" if one.default is None else f" = {json.dumps(one.default)}")
                for one in tool.parameters
            ),
        )
        for tool in TOOLS
    ]


@pytest.mark.parametrize("arguments", re.findall(r'"args": (\[.+?\])', MCP))
def test_what_the_page_for_agents_has_them_start_is_a_command(arguments: str) -> None:
    shown = CliRunner().invoke(cli, [*json.loads(arguments), "--help"], prog_name="inro")
    assert shown.exit_code == 0, shown.output
    assert "inro mcp" in shown.output


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
