"""What changed under a root."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from inro.sources import FoundFile, Skipped, compare, content_hash, settle


def file(name: str, size: int = 10, mtime_ns: int = 1) -> FoundFile:
    return FoundFile(name, name.encode(), size, mtime_ns)


@dataclass(frozen=True, slots=True)
class Remembered:
    """As much of a stored document as a comparison asks for."""

    document: int
    raw: bytes
    size: int
    mtime_ns: int
    hash: str
    indexed_ns: int = 0


def known(
    document: int, name: str, content: bytes = b"0123456789", mtime_ns: int = 1, indexed_ns: int = 0
) -> Remembered:
    return Remembered(document, name.encode(), len(content), mtime_ns, content_hash(content), indexed_ns)


def no_reading(_file: FoundFile) -> str:
    raise AssertionError("nothing has to be read")


def test_same_size_and_time_is_unchanged_without_reading() -> None:
    changes = compare([file("a")], [known(1, "a")])
    assert [k.document for k in changes.unchanged] == [1]
    assert settle(changes, no_reading).unchanged == changes.unchanged


def test_a_new_time_with_the_same_content_is_only_touched() -> None:
    changes = compare([file("a", mtime_ns=2)], [known(1, "a")])
    settled = settle(changes, lambda _: content_hash(b"0123456789"))
    assert [k.document for _, k in settled.touched] == [1] and settled.changed == ()


def test_new_content_is_changed_and_another_size_needs_no_hash() -> None:
    by_hash = settle(compare([file("a", mtime_ns=2)], [known(1, "a")]), lambda _: "other")
    assert [k.document for _, k in by_hash.changed] == [1]
    by_size = settle(compare([file("a", size=11)], [known(1, "a")]), no_reading)
    assert [k.document for _, k in by_size.changed] == [1]


def test_a_file_that_could_not_be_read_then_or_now_is_changed() -> None:
    unread = Remembered(1, b"a", 10, 1, "")
    assert settle(compare([file("a", mtime_ns=2)], [unread]), no_reading).changed
    assert settle(compare([file("a", mtime_ns=2)], [known(1, "a")]), lambda _: None).changed


def test_a_file_changed_right_before_it_was_indexed_is_looked_at_again() -> None:
    stamp = 5_000_000_000
    changes = compare([file("a", mtime_ns=stamp)], [known(1, "a", mtime_ns=stamp, indexed_ns=stamp + 1_000_000)])
    assert [k.document for _, k in changes.candidates] == [1]
    later = compare([file("a", mtime_ns=stamp)], [known(1, "a", mtime_ns=stamp, indexed_ns=2 * stamp)])
    assert later.candidates == ()


def test_a_renamed_folder_keeps_every_document() -> None:
    before = [known(i, f"old/{i}.md", b"content %d" % i) for i in range(5)]
    after = [file(f"new/{i}.md", size=len(b"content %d" % i)) for i in range(5)]
    contents = {f"new/{i}.md": content_hash(b"content %d" % i) for i in range(5)}
    settled = settle(compare(after, before), lambda f: contents[f.path])
    assert {(f.path, k.document) for f, k in settled.renamed} == {(f"new/{i}.md", i) for i in range(5)}
    assert settled.added == () and settled.removed == ()


def test_of_equal_contents_the_one_with_the_same_name_is_the_renamed_one() -> None:
    before = [known(1, "x/a.md"), known(2, "x/b.md")]
    settled = settle(compare([file("y/b.md"), file("y/c.md")], before), lambda _: content_hash(b"0123456789"))
    assert {f.path: k.document for f, k in settled.renamed} == {"y/b.md": 2, "y/c.md": 1}


def test_a_copy_is_new_and_not_a_rename() -> None:
    settled = settle(compare([file("a"), file("b")], [known(1, "a")]), no_reading)
    assert [f.path for f in settled.added] == ["b"] and settled.renamed == ()


def test_names_that_differ_only_in_case_space_or_form_are_different() -> None:
    composed, decomposed = "が.md", "か\u3099.md"
    changes = compare(
        [file("A.md"), file("a_b.md"), file(decomposed)], [known(1, "a.md"), known(2, "a b.md"), known(3, composed)]
    )
    assert len(changes.added) == 3 and len(changes.missing) == 3


def test_nothing_is_deleted_below_a_folder_that_could_not_be_listed() -> None:
    changes = compare(
        [Skipped("shut", b"shut", "permission denied", folder=True), file("c")],
        [known(1, "shut/a"), known(2, "shut-not/b"), known(3, "c")],
    )
    assert [k.document for k in changes.unlisted] == [1]
    assert [k.document for k in changes.missing] == [2]


def test_a_root_that_holds_nothing_any_more_is_told_apart() -> None:
    assert compare([], [known(1, "a")]).emptied
    assert not compare([], []).emptied
    assert not compare([file("b")], [known(1, "a")]).emptied


_NAMES = st.sampled_from([f"{folder}{n}" for folder in ("", "x/", "y/") for n in "abc"])
_CONTENT = st.sampled_from([b"one", b"two", b"three", b""])
_TREE = st.dictionaries(_NAMES, _CONTENT, max_size=9)


@given(_TREE, _TREE)
def test_every_file_gets_one_verdict(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    remembered = [known(i, name, content) for i, (name, content) in enumerate(before.items())]
    files = [file(name, len(content), 1 if before.get(name) == content else 2) for name, content in after.items()]
    settled = settle(compare(files, remembered), lambda f: content_hash(after[f.path]))
    seen = [f.path for f in settled.added]
    seen += [f.path for f, _ in (*settled.changed, *settled.touched, *settled.renamed)]
    seen += [k.raw.decode() for k in settled.unchanged]
    assert sorted(seen) == sorted(after)
    old = [k.document for k in (*settled.removed, *settled.unchanged)]
    old += [k.document for _, k in (*settled.changed, *settled.touched, *settled.renamed)]
    assert sorted(old) == [k.document for k in remembered]
    for found, k in settled.renamed:
        assert content_hash(after[found.path]) == k.hash
