"""Which files a root holds."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from inro.errors import PathMissing, Unreadable
from inro.sources import FoundFile, Rules, Skipped, read_bytes, walk


def make(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"text of {name}\n", encoding="utf-8")
    return root


def found(root: Path, rules: Rules | None = None) -> list[str]:
    return [item.path for item in walk(root, rules) if isinstance(item, FoundFile)]


def skipped(root: Path, rules: Rules | None = None) -> dict[str, str]:
    return {item.path: item.reason for item in walk(root, rules) if isinstance(item, Skipped)}


def test_files_come_in_order_with_size_and_time(tmp_path: Path) -> None:
    make(tmp_path, "b/2.md", "a.md", "b/1.md")
    items = [item for item in walk(tmp_path) if isinstance(item, FoundFile)]
    assert [item.path for item in items] == ["a.md", "b/1.md", "b/2.md"]
    info = (tmp_path / "a.md").stat()
    assert (items[0].size, items[0].mtime_ns) == (info.st_size, info.st_mtime_ns)


def test_a_root_may_be_one_file(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    assert found(tmp_path / "a.md") == ["a.md"]
    (item,) = walk(tmp_path / "a.md")
    assert isinstance(item, FoundFile)
    assert read_bytes(tmp_path / "a.md", item) == b"text of a.md\n"


def test_a_missing_root_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(PathMissing):
        walk(tmp_path / "gone")


def test_a_root_that_vanishes_on_the_way_is_an_error_and_not_an_empty_list(tmp_path: Path) -> None:
    root = make(tmp_path / "root", "a.md", "z/b.md")
    items = walk(root)
    next(items)
    root.rename(tmp_path / "elsewhere")
    with pytest.raises(PathMissing):
        list(items)


def test_hidden_names_and_what_only_programs_write_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, ".obsidian/app.json", ".hidden.md", "a.md", "x.inro", "~$doc.docx", "node_modules/m/i.js", "b.md~")
    assert found(tmp_path) == ["a.md"]
    assert found(tmp_path, Rules(hidden=True)) == [".hidden.md", "a.md", ".obsidian/app.json"]


def test_include_and_exclude_are_patterns_like_those_of_gitignore(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.txt", "sub/c.md", "sub/d.txt", "old/e.md")
    assert found(tmp_path, Rules(include=("*.md",))) == ["a.md", "old/e.md", "sub/c.md"]
    assert found(tmp_path, Rules(exclude=("old/", "/a.md"))) == ["b.txt", "sub/c.md", "sub/d.txt"]
    assert found(tmp_path, Rules(include=("sub/**",), exclude=("*.txt",))) == ["sub/c.md"]


def test_the_nearest_ignore_file_decides(tmp_path: Path) -> None:
    make(tmp_path, "a.log", "keep.log", "sub/b.log", "sub/c.md", "build/d.md", "sub/deep/e.log", "f.md")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n# comment\n\\\n", encoding="utf-8")
    (tmp_path / "sub/.gitignore").write_text("!b.log\n/c.md\n", encoding="utf-8")
    (tmp_path / ".inroignore").write_text("f.md\n", encoding="utf-8")
    assert found(tmp_path) == ["keep.log", "sub/b.log"]
    assert "a.log" in found(tmp_path, Rules(ignore_files=False))


def test_large_and_special_files_are_told_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    (tmp_path / "big.bin").write_bytes(bytes(2000))
    os.mkfifo(tmp_path / "pipe")
    reasons = skipped(tmp_path, Rules(max_bytes=1000))
    assert reasons["pipe"] == "not a regular file"
    assert reasons["big.bin"].startswith("larger than")
    assert found(tmp_path, Rules(max_bytes=1000)) == ["a.md"]


def test_links_stay_inside_the_root_and_read_nothing_twice(tmp_path: Path) -> None:
    outside = make(tmp_path / "outside", "secret.md")
    root = make(tmp_path / "root", "real/a.md", ".store/b.md")
    (root / "again").symlink_to(root / "real")
    (root / "0link.md").symlink_to(root / "real/a.md")
    (root / "loop").symlink_to(root)
    (root / "up").symlink_to(outside)
    (root / "secret.md").symlink_to(outside / "secret.md")
    (root / "dead.md").symlink_to(root / "nothing.md")
    (root / "linked").symlink_to(root / ".store")
    assert found(root) == ["real/a.md", "linked/b.md"]
    reasons = skipped(root)
    assert reasons["up"] == reasons["secret.md"] == "link that leads out of the source"
    assert reasons["dead.md"] == "link to nothing"
    assert reasons["again"] == reasons["0link.md"] == reasons["loop"] == "link to what is read under its own name"


def test_a_root_that_is_a_link_itself_works(tmp_path: Path) -> None:
    make(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert found(tmp_path / "link") == ["a.md"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_told_as_unlisted(tmp_path: Path) -> None:
    make(tmp_path, "shut/a.md", "b.md")
    (tmp_path / "shut").chmod(0)
    try:
        items = list(walk(tmp_path))
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert [i for i in items if isinstance(i, Skipped) and i.folder and i.path == "shut"]
    assert [i.path for i in items if isinstance(i, FoundFile)] == ["b.md"]


def test_a_folder_that_cannot_be_listed_is_told_as_unlisted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "shut/a.md", "b.md")
    scandir = os.scandir

    def refuse(path: bytes) -> object:
        if path.endswith(b"shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    items = list(walk(tmp_path))
    assert [(i.path, i.folder) for i in items if isinstance(i, Skipped)] == [("shut", True)]


def test_names_in_nfd_and_in_no_encoding_are_matched_and_opened(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "実験ガイド.md")
    make(tmp_path, decomposed)
    raw = os.fsencode(tmp_path) + b"/\x83m\x81[\x83g.md"
    try:
        with open(raw, "wb") as file:  # noqa: PTH123 - a name in bytes
            file.write(b"shift_jis name\n")
    except OSError:
        pytest.skip("this file system takes only valid names")
    items = {i.path: i for i in walk(tmp_path, Rules(include=("実験*", "*.md"))) if isinstance(i, FoundFile)}
    composed = unicodedata.normalize("NFC", decomposed)
    assert composed in items
    assert items[composed].raw == decomposed.encode()
    (other,) = (i for name, i in items.items() if name != composed)
    assert "\ufffd" in other.path
    assert read_bytes(tmp_path, other) == b"shift_jis name\n"


def test_a_file_that_changed_its_nature_is_unreadable_and_never_blocks(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.md", "c.md")
    a, b, c = (i for i in walk(tmp_path) if isinstance(i, FoundFile))
    (tmp_path / "a.md").unlink()
    os.mkfifo(tmp_path / "a.md")
    (tmp_path / "b.md").unlink()
    (tmp_path / "c.md").write_bytes(bytes(5000))
    for item, reason in ((a, "no regular file"), (b, "No such file"), (c, "grew")):
        with pytest.raises(Unreadable, match=reason):
            read_bytes(tmp_path, item, max_bytes=100)


def test_icloud_placeholders_are_told(tmp_path: Path) -> None:
    make(tmp_path, ".note.md.icloud")
    assert "cloud" in skipped(tmp_path)[".note.md.icloud"]
