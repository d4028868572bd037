"""YAML and TOML files."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from inro.readers import source, toml_text, yaml_text
from inro.readers.json_text import lines
from inro.readers.registry import read

YAML = """# 焼成条件の設定
title: 焼成
tags: [furnace, 炉]
defaults: &d
  temperature: 900   # ℃
  # 徐冷のこと
  cool: slow
runs:
  - <<: *d
    name: S-1
    note: |
      first line
      # no comment
  - name: 007
    empty:
    when: 2026-04-01
"""


def test_yaml_is_lines_with_paths_and_comments_where_they_stood() -> None:
    reading = read(YAML.encode(), "a/furnace.yaml")
    assert reading.text.split("\n") == [
        "# 焼成条件の設定",
        "title: 焼成",
        "tags: furnace, 炉",
        "defaults.temperature: 900  # ℃",
        "# 徐冷のこと",
        "defaults.cool: slow",
        "runs.temperature: 900",
        "runs.cool: slow",
        "runs.name: S-1",
        "runs.note: first line",
        "# no comment",
        "runs.name: 007",
        "runs.empty:",
        "runs.when: 2026-04-01",
    ]
    assert reading.fields == {"title": ("焼成",), "tags": ("furnace", "炉")}
    assert (reading.title, reading.outcome, reading.reader) == ("焼成", "ok", yaml_text.READER.id)


def test_documents_and_records_are_blocks_under_their_own_comments() -> None:
    reading = read(b"a: 1\n---\n# second\nb: 2\n", "a.yml")
    assert [reading.text[b.start : b.end] for b in reading.blocks] == ["a: 1", "# second\nb: 2"]
    reading = read(b"- a: 1\n\n# about the second\n- a: 3\n# last\n", "a.yml")
    assert [reading.text[b.start : b.end] for b in reading.blocks] == ["a: 1", "# about the second\na: 3\n# last"]
    assert read(b"# only a comment\n", "a.yml").text == "# only a comment"


def test_a_tag_builds_nothing_and_aliases_cannot_grow_without_end() -> None:
    assert read(b'x: !!python/object/apply:os.system ["echo hi"]\n', "a.yaml").text == "x: echo hi"
    levels = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12)]
    bomb = read("\n".join(levels).encode(), "a.yaml")
    assert bomb.outcome == "partial" and "aliases stay names" in bomb.reason
    assert len(bomb.text) < 200_000 and "*l10" in bomb.text
    assert read(b"a: &a [*a]\n", "a.yaml").text == "a: *a"


def test_what_is_no_yaml_is_plain_text_and_says_so() -> None:
    template = b"name: x\nvalue: {{ .Values.a }\n"
    reading = read(template, "a.yaml")
    assert (reading.text, reading.outcome, reading.reader) == (template.decode(), "partial", source.READER.id)
    assert "not valid YAML (line" in reading.reason and "plain text" in reading.reason
    assert "plain text" in read(b"[" * 5000, "a.yaml").reason
    assert "plain text" in read(b"[" * 100 + b"]" * 100, "a.yaml").reason


TOML = """# 設定
title = "装置" # shown
when = 2026-04-01
[tool.x]
# about a
a = \"\"\"multi # no
line\"\"\"
b = [1, 2] # numbers
"quoted key" = '# no'
[[tool.y]]
n = true
[empty]
# kept
"""


def test_toml_is_lines_with_paths_and_the_comments_of_their_table() -> None:
    reading = read(TOML.encode(), "a.toml")
    assert reading.text.split("\n") == [
        "# 設定",
        "# title: shown",
        "title: 装置",
        "when: 2026-04-01",
        "",
        "# about a",
        "# b: numbers",
        "tool.x.a: multi # no",
        "line",
        "tool.x.b: 1, 2",
        "tool.x.quoted key: # no",
        "tool.y.n: true",
        "# kept",
    ]
    assert reading.fields == {"title": ("装置",), "when": ("2026-04-01",)}
    assert (reading.outcome, reading.reader) == ("ok", toml_text.READER.id)


def test_what_is_no_toml_is_plain_text_and_says_so() -> None:
    reading = read(b"a = \n", "a.toml")
    assert (reading.text, reading.outcome, reading.reader) == ("a = \n", "partial", source.READER.id)
    assert "not valid TOML" in reading.reason


plain = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain, inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(plain.filter(lambda key: key != "<<"), values, min_size=1, max_size=4))
def test_every_value_of_json_is_in_the_text_when_it_is_read_as_yaml(value: dict[str, object]) -> None:
    # JSON is YAML, so both readers see the same values.
    text = read(json.dumps(value, ensure_ascii=False).encode(), "a.yaml").text
    for line in lines(value):  # type: ignore[arg-type]
        for part in line.split(": ", 1)[-1].split(", "):
            assert part in text


@settings(deadline=None)
@given(st.text(st.sampled_from("ab:-#&*<[]{}|>'\"=. \n\t"), max_size=60))
def test_any_text_has_an_outcome(text: str) -> None:
    for name in ("a.yaml", "a.toml"):
        assert read(text.encode(), name).outcome in ("ok", "partial")
