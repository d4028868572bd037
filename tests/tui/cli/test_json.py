"""docs/json.md is the contract: what the commands write has exactly its keys and its types."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from worlds import Inro, Run

Typed = Callable[..., Run]

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text(encoding="utf-8")
COMMANDS = dict(re.findall(r"^\| `inro (.+?)` \| (.+?) \|$", PAGE, re.M))
SHAPES: dict[str, dict[str, str]] = {
    name: dict(re.findall(r"^\| `(\S+)` \| (.+?) \| .+? \|$", body, re.M))
    for name, body in re.findall(r"^### (\w+)$(.*?)(?=^##|\Z)", PAGE, re.M | re.S)
}
EXAMPLES = re.findall(r"^```json (\w+)\n(.*?)^```$", PAGE, re.M | re.S)
PLAIN: dict[str, type] = {"string": str, "boolean": bool}


def faults(value: Any, kind: str, where: str = "") -> list[str]:
    """Where a value is not what the page says."""
    if " or " in kind:
        return min((faults(value, one, where) for one in kind.split(" or ")), key=len)
    if kind.startswith("array of "):
        if not isinstance(value, list):
            return [f"{where}: no array"]
        return [fault for i, item in enumerate(value) for fault in faults(item, kind[9:], f"{where}[{i}]")]
    if kind.startswith("map of "):
        if not isinstance(value, dict):
            return [f"{where}: no object"]
        return [fault for key, item in value.items() for fault in faults(item, kind[7:], f"{where}.{key}")]
    if kind.startswith("["):
        kinds = kind.strip("[]").split(", ")
        if not isinstance(value, list) or len(value) != len(kinds):
            return [f"{where}: not {kind}"]
        return [fault for item, one in zip(value, kinds, strict=True) for fault in faults(item, one, where)]
    if kind in SHAPES:
        if not isinstance(value, dict):
            return [f"{where}: no object"]
        shape = SHAPES[kind]
        if set(value) != set(shape):
            return [f"{where}: keys {sorted(set(value) ^ set(shape))}"]
        return [fault for key, item in value.items() for fault in faults(item, shape[key], f"{where}.{key}")]
    fits = {
        "any": True,
        "null": value is None,
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
    }
    return (
        [] if (fits[kind] if kind in fits else isinstance(value, PLAIN[kind])) else [f"{where}: {value!r}, not {kind}"]
    )


def as_documented(run: Run, command: str) -> Any:
    """What a command wrote, once it is found to be what the page says."""
    assert run.code in (0, 1), run.err
    assert faults(run.json, COMMANDS[command]) == []
    return run.json


def test_the_page_was_read() -> None:
    assert len(COMMANDS) >= 24
    assert set(SHAPES["hit"]) >= {
        "rank", "score", "document", "path", "title", "heading", "chunk", "start", "end", "snippet", "highlights",
        "trace",
    }  # fmt: skip
    assert set(SHAPES["answer"]) >= {"answer", "refused", "mode", "sentences", "sources", "steps"}
    assert set(SHAPES["score"]) == {
        "set", "lane", "queries", "ndcg@10", "recall@1", "recall@10", "recall@100", "mrr@10", "p50_ms",
    }  # fmt: skip


def test_the_check_sees_what_is_wrong() -> None:
    assert faults({"lane": "dense", "value": True, "note": ""}, "trace") == [".value: True, not number"]
    assert faults({"lane": "dense"}, "trace") == [": keys ['note', 'value']"]
    assert faults([[1, "2"]], "array of [integer, integer]") == ["[0]: '2', not integer"]


@pytest.mark.parametrize(("kind", "text"), EXAMPLES, ids=[kind for kind, _ in EXAMPLES])
def test_an_example_is_what_it_shows(kind: str, text: str) -> None:
    assert faults(json.loads(text), kind) == []


def test_search(typed: Typed) -> None:
    hits = as_documented(typed("search", "K-204", "--json"), "search QUERY --json")
    assert [hit["path"] for hit in hits] == ["kiln.md"]
    assert hits[0]["pinned"]
    start, end = hits[0]["highlights"][0]
    assert "K" in hits[0]["snippet"][start:end]


def test_a_person_reads_the_words_and_a_script_the_text_as_it_is(typed: Typed) -> None:
    (hit,) = [hit for hit in typed("search", "cleaned Monday", "--json").json if hit["path"] == "kiln.md"]
    assert "See [[glovebox]]." in hit["snippet"] and "# The kiln" in hit["snippet"]
    said = typed("search", "cleaned Monday").out
    assert "See glovebox." in said and "[[" not in said and "# " not in said


def test_search_finds_nothing_and_says_so_in_json(typed: Typed) -> None:
    assert typed("search", "zyxwvut path:nowhere", "--json").json == []


def test_search_a_result_a_line(typed: Typed) -> None:
    lines = typed("search", "cleaned", "--jsonl").out.splitlines()
    hits = [json.loads(line) for line in lines]
    assert {hit["path"] for hit in hits} == {"kiln.md", "trap.md"}
    assert faults(hits, "array of hit") == []
    assert hits == typed("search", "cleaned", "--json").json


def test_an_answer(typed: Typed) -> None:
    answer = as_documented(typed("ask", "How fast is K-204 heated?", "--json"), "ask QUESTION --json")
    assert not answer["refused"]
    assert answer["mode"] == "extractive"
    assert "5 °C/min" in answer["answer"]


def test_a_refusal(typed: Typed) -> None:
    answer = as_documented(typed("ask", "Who invented the telephone exchange?", "--json"), "ask QUESTION --json")
    assert answer["refused"]


def test_a_document(typed: Typed) -> None:
    view = as_documented(typed("show", "kiln.md", "--json"), "show DOCUMENT --json")
    assert view["tags"] == ["oven"]
    assert view["fields"]["version"] == ["2"]
    assert [heading[2] for heading in view["headings"]] == ["The kiln", "Heating"]
    assert [link["target"] for link in view["links"]] == ["glovebox"]


def test_status(typed: Typed) -> None:
    status = as_documented(typed("status", "--json"), "status --json")
    assert status["documents"] == 3
    assert (status["vectors"], status["to_embed"]) == (0, status["chunks"])


def test_files(typed: Typed) -> None:
    rows = as_documented(typed("status", "--files", "--json"), "status --files --json")
    assert sorted(row["path"] for row in rows) == ["glovebox.md", "kiln.md", "trap.md"]


def test_add_and_sync(typed: Typed, tmp_path: Path) -> None:
    library = tmp_path / "other.inro"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "one.md").write_text("# One\n\nA line.\n")
    assert as_documented(typed("-L", library, "add", tmp_path / "notes", "--json"), "add PATH --json")["added"] == 1
    assert as_documented(typed("-L", library, "sync", "--json"), "sync --json")["unchanged"] == 1


def test_eval(typed: Typed, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    texts = {"a": "The kiln was cleaned.", "b": "Oxygen stays low.", "c": "乾燥庫の湿度を測る。"}
    (folder / "corpus.jsonl").write_text(
        "".join(json.dumps({"id": key, "title": "", "text": text}) + "\n" for key, text in texts.items())
    )
    (folder / "queries.jsonl").write_text('{"id": "1", "text": "kiln"}\n{"id": "2", "text": "湿度"}\n')
    (folder / "qrels.tsv").write_text("1\ta\t1\n2\tc\t1\n")
    score = as_documented(typed("eval", folder, "--lane", "lexical", "--json"), "eval DIRECTORY --json")
    assert (score["set"], score["lane"], score["queries"]) == ("tiny", "lexical", 2)
    assert score["recall@1"] == score["ndcg@10"] == 1
    answers = as_documented(
        typed("eval", folder, "--answers", "--lane", "lexical", "--json"), "eval DIRECTORY --answers --json"
    )
    assert (answers["questions"], answers["known"], answers["refusal_recall"]) == (2, 0, None)
    assert typed("eval", folder, "--model").code == 2
    assert typed("eval", folder, "--answers", "--lane", "dense").code == 2


def test_models(typed: Typed) -> None:
    models = as_documented(typed("models", "list", "--json"), "models list --json")
    assert {model["role"] for model in models} >= {"embed", "chat"}
    assert not any(model["installed"] for model in models)
    as_documented(typed("models", "path", "--json"), "models path --json")
    as_documented(typed("models", "verify", "--json"), "models verify --json")


def test_health(typed: Typed) -> None:
    assert as_documented(typed("verify", "--json"), "verify --json") == []
    checks = as_documented(typed("doctor", "--json"), "doctor --json")
    assert any(not check["ok"] and check["mend"] for check in checks)


def test_settings(typed: Typed) -> None:
    settings = as_documented(typed("config", "--json"), "config --json")
    assert {setting["name"]: setting["toml"] for setting in settings}["passages"] == "6"
    assert all(setting["meaning"] for setting in settings)


def test_migrate(typed: Typed) -> None:
    done = as_documented(typed("migrate", "--json"), "migrate --json")
    assert done["before"] == done["after"]


def test_sql(typed: Typed) -> None:
    rows = as_documented(typed("sql", "SELECT path, chars FROM documents ORDER BY path", "--json"), "sql QUERY --json")
    assert [row["path"] for row in rows] == ["glovebox.md", "kiln.md", "trap.md"]


@pytest.mark.models
def test_with_the_real_models(embedded: Inro) -> None:
    hits = as_documented(embedded("search", "how clean is the air in there", "--json"), "search QUERY --json")
    assert any(part["lane"] == "dense" for hit in hits for part in hit["trace"])
    answer = as_documented(embedded("ask", "How fast is K-204 heated?", "--json"), "ask QUESTION --json")
    assert not answer["refused"]
