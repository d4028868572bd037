"""Ignore patterns joined into one expression say what pathspec says of them one by one."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from inro.sources.ignore import ALWAYS_EXCLUDED, compiled

pieces = st.sampled_from(["a", "b", "ab", "炉", "*", "?", "**", "[ab]", "*.log", "x.log", "a b", "\\*", "!", "#", "é"])
patterns = st.builds(
    lambda before, parts, after: before + "/".join(parts) + after,
    st.sampled_from(["", "", "/", "!", "!/", "\\!", "\\#"]),
    st.lists(pieces, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/*"]),
)
names = st.sampled_from(["a", "b", "ab", "炉", "x.log", "keep.log", "a b", "*", "!", "#a", "é", "a\nb", "c"])
paths = st.builds(
    lambda parts, folder: "/".join(parts) + ("/" if folder else ""),
    st.lists(names, min_size=1, max_size=4),
    st.booleans(),
)


@settings(max_examples=600, deadline=None)
@given(st.lists(patterns, max_size=6), st.lists(paths, min_size=1, max_size=8))
@example(["*.log", "!keep.log"], ["keep.log", "a/keep.log", "x.log"])
@example(["a/", "!a/b"], ["a/b", "a/c", "a/"])
@example(["!a"], ["a"])
def test_the_verdict_is_that_of_pathspec(lines: list[str], asked: list[str]) -> None:
    try:
        spec = GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return
    joined = compiled(tuple(lines))
    for path in asked:
        assert joined.verdict(path) == spec.check_file(path).include
        assert joined.match(path) == spec.match_file(path)


@pytest.mark.parametrize(
    "path", ["a.inro", "a/b.inro.tmp", "~$x.docx", "b~", "node_modules/", "a/__pycache__/", "x.md"]
)
def test_what_is_always_excluded_is_as_pathspec_has_it(path: str) -> None:
    spec = GitIgnoreSpec.from_lines(ALWAYS_EXCLUDED)
    assert compiled(ALWAYS_EXCLUDED).match(path) == spec.match_file(path)


def test_a_pattern_that_is_not_valid_leaves_the_others_in_force() -> None:
    assert compiled(("*.log", "\\", "!keep.log")).verdict("a.log") is True
    assert compiled(("*.log", "\\", "!keep.log")).verdict("keep.log") is False
    assert compiled(()).verdict("a") is None
