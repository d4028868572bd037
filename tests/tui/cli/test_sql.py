"""`inro sql`: everything in the file can be asked, nothing can be changed, and nothing else can be reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import Inro, Run

Typed = Callable[..., Run]


def test_a_table_for_a_person(typed: Typed) -> None:
    run = typed("sql", "SELECT path, 1200 AS n FROM documents WHERE path <> 'trap.md' ORDER BY path")
    assert run.out.splitlines() == [
        "path            n",
        "-----------  ----",
        "glovebox.md  1200",
        "kiln.md      1200",
    ]


def test_columns_are_measured_in_cells(typed: Typed) -> None:
    lines = typed("sql", "SELECT unnest(['酸素', 'ab']) AS 名, 'x' AS y").out.splitlines()
    assert lines == ["名    y", "----  -", "酸素  x", "ab    x"]


def test_a_long_value_is_cut_in_the_table_and_whole_in_json(typed: Typed) -> None:
    assert len(typed("sql", "SELECT repeat('x', 500) AS long").out.splitlines()[2]) == 80
    assert typed("sql", "SELECT repeat('x', 500) AS long", "--json").json == [{"long": "x" * 500}]


def test_values_of_every_kind_become_json(typed: Typed) -> None:
    query = """SELECT DATE '2026-04-07' AS day, TIME '01:02:03' AS hour, TIMESTAMP '2026-04-07 01:02:03' AS moment,
    1.25::DECIMAL(4,2) AS price, {'a': [1, 2]} AS struct, MAP {'k': 'v'} AS map, 'ab'::BLOB AS bytes,
    'nan'::DOUBLE AS nothing, 1e-9::DOUBLE AS small, 12345678901234567890::HUGEINT AS big, NULL AS none,
    true AS yes, UUID '00000000-0000-0000-0000-000000000001' AS id, 1 AS n, 2 AS n"""
    assert typed("sql", query, "--json").json == [
        {
            "day": "2026-04-07",
            "hour": "01:02:03",
            "moment": "2026-04-07T01:02:03",
            "price": 1.25,
            "struct": {"a": [1, 2]},
            "map": {"k": "v"},
            "bytes": "6162",
            "nothing": None,
            "small": 1e-9,
            "big": 12345678901234567890,
            "none": None,
            "yes": True,
            "id": "00000000-0000-0000-0000-000000000001",
            "n": 1,
            "n_2": 2,
        }
    ]


def test_the_title_index_answers(typed: Typed) -> None:
    query = """SELECT path FROM (SELECT path, fts_main_titles.match_bm25(document, 'kiln') AS score
    FROM titles JOIN documents ON id = document) WHERE score IS NOT NULL"""
    assert typed("sql", query, "--json").json == [{"path": "kiln.md"}]


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT * FROM nowhere", "nowhere"),
        ("SELECT 'a'::INTEGER", "Conversion"),
        ("", "empty"),
        ("SELECT list(range) FROM range(400000000)", "Memory"),
        ("FROM range(1000001)", "LIMIT"),
    ],
)
def test_a_wrong_query_is_told_in_one_line_of_duckdbs(typed: Typed, query: str, says: str) -> None:
    run = typed("sql", query)
    assert run.code == 2
    assert run.out == ""
    lines = run.err.splitlines()
    assert len(lines) == 1
    assert says in lines[0]


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO meta VALUES ('a', 'b')",
        "DELETE FROM documents",
        "CREATE TABLE mine (a INTEGER)",
        "COPY documents TO '{folder}/out.csv'",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/out.db'",
        "SELECT * FROM read_text('{folder}/secret.txt')",
        "SELECT * FROM '{folder}/secret.txt'",
        "SELECT * FROM glob('{folder}/*')",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "INSTALL httpfs",
        "LOAD httpfs",
    ],
)
def test_nothing_is_changed_and_nothing_else_is_reached(typed: Typed, noted: Inro, tmp_path: Path, query: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    before = noted.library.read_bytes()
    run = typed("sql", query.format(folder=tmp_path))
    assert run.code == 2
    assert run.out == ""
    assert noted.library.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["secret.txt"]


def test_a_file_that_is_not_a_library_is_refused_as_everywhere(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "text.inro").write_text("no index")
    assert typed("-L", tmp_path / "text.inro", "sql", "SELECT 1").code == 3
    assert typed("-L", tmp_path / "nowhere.inro", "sql", "SELECT 1").code == 3


def test_a_query_that_takes_too_long_is_stopped(typed: Typed) -> None:
    run = typed("sql", "--seconds", "0.2", "SELECT count(*) FROM range(10000000) a, range(10000000) b")
    assert run.code == 2
    assert "took longer than 0.2 s" in run.err and "--seconds 600" in run.err
    assert typed("sql", "--seconds", "60", "SELECT 1").code == 0
