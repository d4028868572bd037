"""Models carried in an archive arrive whole or not at all."""

from __future__ import annotations

import json
import os
import resource
import shutil
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from archives import BROUGHT, JUDGE, LISTED, TOKENIZER, WEIGHTS, made, put, sha, what_is_there

from inro.errors import (
    ModelDamaged,
    ModelMissing,
    NotFound,
    UsageError,
    WriteFailed,
)
from inro.models import archive, bundle, bundling, files, registry, unbundle, verify
from inro.models.archive import MANIFEST, header
from inro.models.bundling import identity
from inro.models.files import Made
from inro.models.registry import ModelFile
from inro.records import Bundle


def test_the_default_models_go_there_and_back(
    models_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = [spec.name for spec in registry.load() if spec.default]
    first = made(defaults, tmp_path / "a.tar")
    assert list(first.models) == defaults and set(first.left_out) == {s.name for s in registry.load()} - set(defaults)
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "elsewhere"))
    events = list(unbundle(tmp_path / "a.tar"))
    assert [event.model for event in events if event.phase == "done"] == defaults
    assert "cosines differ" in next(event.note for event in events if event.phase == "done")
    assert all(check.ok for check in verify())
    for name in defaults:
        assert (tmp_path / "elsewhere" / name / files.MANIFEST).is_file()
    # what was carried can be carried on, byte for byte but for what was not recorded
    assert made([defaults[0]], tmp_path / "b.tar").sha256 == sha_of_one(
        models_folder, defaults[0], tmp_path, monkeypatch
    )


def sha_of_one(folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("INRO_MODELS", str(folder))
    return made([name], tmp_path / "c.tar").sha256


def test_equal_models_make_equal_archives_that_tar_programs_read(carried: Path, tmp_path: Path) -> None:
    again = made(["brought", "listed", "brought"], tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == carried.read_bytes()
    assert again.sha256 == sha(carried.read_bytes()) and again.bytes == carried.stat().st_size
    assert again.models == ("listed", "brought") and again.left_out == {"absent": "not here"}
    with tarfile.open(carried) as tar:
        members = {m.name: tar.extractfile(m) for m in tar.getmembers()}
    assert list(members) == [MANIFEST, "listed/w.gguf", "brought/model.onnx", "brought/tokenizer.json"]
    with tarfile.open(carried) as tar:
        stored = tar.extractfile("brought/model.onnx")
        assert stored is not None and stored.read() == JUDGE
    manifest = json.loads(beginning_of(carried))
    assert manifest["models"][0] == {
        "name": "listed",
        "identity": identity(LISTED),
        "licence": "MIT",
        "files": [{"name": "w.gguf", "sha256": sha(WEIGHTS), "bytes": len(WEIGHTS)}],
        "origin": {"imported": "x 日本"},
    }


def beginning_of(place: Path) -> bytes:
    with tarfile.open(place) as tar:
        stored = tar.extractfile(MANIFEST)
        assert stored is not None
        return stored.read()


@pytest.mark.parametrize("size", [0, 1, 511, 512, 8**11 - 1, 8**11, 1 << 43])
def test_a_header_says_to_python_what_it_should(size: int) -> None:
    read = tarfile.TarInfo.frombuf(header("m/f.gguf", size), "ascii", "strict")
    assert (read.name, read.size, read.type, read.mtime, read.uid, read.mode) == ("m/f.gguf", size, b"0", 0, 0, 0o644)


def test_every_listed_name_fits_into_a_header() -> None:
    for spec in registry.load():
        for file in spec.files:
            assert len(header(f"{spec.name}/{file.name}", 1)) == archive.BLOCK


def test_an_archive_goes_into_a_folder_and_over_another_only_when_asked(here: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    assert Path(made(["listed"], stick).path) == stick / bundling.NAME
    before = (stick / bundling.NAME).read_bytes()
    with pytest.raises(UsageError, match=r"already a file at .*--replace"):
        made([], stick)
    assert what_is_there(stick) == {bundling.NAME: before}
    assert made([], stick, over=True).models == ("listed", "brought")
    assert made(["listed"], tmp_path / "new" / "a.tar").left_out == {"brought": "not asked for", "absent": "not here"}


def test_only_whole_models_go_in_and_a_named_one_must_be(here: Path, tmp_path: Path) -> None:
    (here / "brought" / "model.onnx").write_bytes(JUDGE[:-1] + b"?")
    left = made([], tmp_path / "a.tar").left_out
    assert "not " + sha(JUDGE) in left["brought"] and "Do: " in left["brought"]
    with pytest.raises(ModelDamaged, match=sha(JUDGE)):
        made(["brought"], tmp_path / "b.tar")
    with pytest.raises(ModelMissing, match="absent is not installed"):
        made(["absent"], tmp_path / "b.tar")
    with pytest.raises(NotFound):
        made(["nobody"], tmp_path / "b.tar")
    (here / "listed" / "w.gguf").unlink()
    with pytest.raises(ModelMissing, match="no model is whole"):
        made([], tmp_path / "b.tar")
    assert not list(tmp_path.glob("*b.tar*"))


def test_a_file_that_changes_while_it_is_packed_is_told(here: Path, tmp_path: Path) -> None:
    events = bundle([], tmp_path / "a.tar")
    for event in events:
        if not isinstance(event, Bundle) and event.phase == "write":
            break
    (here / "brought" / "model.onnx").write_bytes(JUDGE[:-1] + b"?")
    with pytest.raises(ModelDamaged, match="changed while it was read"):
        list(events)
    assert not list(tmp_path.glob("*a.tar*"))


def test_what_is_here_and_sound_is_not_written_again(elsewhere: Path, carried: Path) -> None:
    list(unbundle(carried, ["brought"]))
    assert {p.name for p in elsewhere.iterdir()} == {"brought"}
    before = (elsewhere / "brought" / "model.onnx").stat()
    events = list(unbundle(carried))
    assert [(e.model, e.note) for e in events if e.phase == "done"] == [("brought", "already here"), ("listed", "")]
    assert {event.model for event in events if event.phase == "write"} == {"listed"}
    assert (elsewhere / "brought" / "model.onnx").stat() == before
    assert all(check.ok for check in verify())
    assert files.origin(BROUGHT) == {"imported": "x 日本"}
    assert {p.name for p in elsewhere.iterdir()} == {"brought", "listed"}


def test_another_version_that_is_sound_stays_and_a_damaged_one_goes(elsewhere: Path, carried: Path) -> None:
    put(BROUGHT, {"model.onnx": b"\x08 another", "tokenizer.json": TOKENIZER})
    (elsewhere / "listed").mkdir()
    (elsewhere / "listed" / "w.gguf").write_bytes(b"GGUF" + bytes(len(WEIGHTS) - 4))
    notes = {event.model: event.note for event in unbundle(carried) if event.phase == "done"}
    assert "in another version" in notes["brought"] and str(elsewhere / "brought") in notes["brought"]
    assert (elsewhere / "brought" / "model.onnx").read_bytes() == b"\x08 another"
    assert (elsewhere / "listed" / "w.gguf").read_bytes() == WEIGHTS
    (elsewhere / "brought" / "model.onnx").write_bytes(b"\x08 spoiled")
    list(unbundle(carried))
    assert (elsewhere / "brought" / "model.onnx").read_bytes() == JUDGE
    assert all(check.ok for check in verify())
    assert {p.name for p in elsewhere.iterdir()} == {"brought", "listed"}


def test_an_altered_file_is_named_and_the_models_before_it_stay(elsewhere: Path, carried: Path) -> None:
    content = carried.read_bytes()
    at = content.index(JUDGE) + 700
    carried.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    put(BROUGHT, {"model.onnx": b"\x08 as it was"})
    before = what_is_there(elsewhere)
    with pytest.raises(ModelDamaged, match=r"brought/model\.onnx in .*all\.tar is altered.*Do: carry the file here"):
        list(unbundle(carried))
    after = what_is_there(elsewhere)
    assert after.pop("listed/w.gguf") == WEIGHTS and after.pop("listed/manifest.json")
    assert after == before
    carried.write_bytes(content)
    assert {e.model for e in unbundle(carried) if e.phase == "write"} == {"brought"}


@contextmanager
def no_file_beyond(size: int) -> Iterator[None]:
    """A file system whose files cannot grow further, as when it is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_nothing(elsewhere: Path, carried: Path, here: Path, tmp_path: Path) -> None:
    with no_file_beyond(2000), pytest.raises(WriteFailed, match=r"cannot write .*elsewhere"):
        list(unbundle(carried))
    assert what_is_there(tmp_path / "elsewhere") == {}
    os.environ["INRO_MODELS"] = str(here)
    with no_file_beyond(4000), pytest.raises(WriteFailed, match=r"cannot write .*b.tar"):
        made([], tmp_path / "b.tar")
    assert not list(tmp_path.glob("*b.tar*"))


def test_room_is_looked_for_before_anything_is_written(
    elsewhere: Path, carried: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(carried.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=len(WEIGHTS)))
    with pytest.raises(WriteFailed, match=f"{len(WEIGHTS):,} bytes free, the models need"):
        list(unbundle(carried))
    assert not elsewhere.exists()
    list(unbundle(carried, ["listed"]))


def test_leaving_early_leaves_nothing(elsewhere: Path, carried: Path) -> None:
    events = unbundle(carried)
    assert any(event.phase == "write" for event in events)
    events.close()  # type: ignore[attr-defined]
    assert what_is_there(elsewhere) == {}


def test_no_file_is_held_in_memory(models_root: Path, listed: Callable[..., None], tmp_path: Path) -> None:
    size = 48 << 20
    large = replace(LISTED, files=(ModelFile("w.gguf"),), sources=(), bring=True)
    listed(large)
    place = files.path(large, large.files[0])
    place.parent.mkdir(parents=True)
    with place.open("wb") as out:
        out.write(b"GGUF")
        out.truncate(size)
    files.record(large, {"w.gguf": Made(files.sha256_of(place), size)}, {})
    tracemalloc.start()
    try:
        made([], tmp_path / "a.tar")
        shutil.rmtree(models_root)
        list(unbundle(tmp_path / "a.tar"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < size // 4
    assert all(check.ok for check in verify())
