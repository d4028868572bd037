"""Models carried in an archive arrive whole or not at all, and nothing else arrives, whatever the archive is."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import resource
import shutil
import tarfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import (
    InroError,
    ModelDamaged,
    ModelMissing,
    NotFound,
    PathMissing,
    UsageError,
    WriteFailed,
)
from inro.models import archive, bundle, bundling, files, registry, unbundle, unbundling, verify
from inro.models.archive import MANIFEST, PackedFile, PackedModel, beginning, header, padding
from inro.models.bundling import identity
from inro.models.files import Made
from inro.models.registry import ModelFile, ModelSpec
from inro.records import Bundle

WEIGHTS = b"GGUF" + random.Random(1).randbytes(3000)
JUDGE = b"\x08" + random.Random(2).randbytes(1535)
TOKENIZER = b'{"a": 1}'
CONTENTS = {"listed": {"w.gguf": WEIGHTS}, "brought": {"model.onnx": JUDGE, "tokenizer.json": TOKENIZER}}


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


LISTED = ModelSpec(
    "listed",
    "chat",
    "MIT",
    (ModelFile("w.gguf", sha(WEIGHTS), len(WEIGHTS)),),
    default=True,
    context=10,
    sources=(registry.Source("hub", (registry.Member("w.gguf", "w.gguf", sha(WEIGHTS), len(WEIGHTS)),)),),
)
BROUGHT = ModelSpec(
    "brought",
    "rerank",
    "Apache-2.0",
    (ModelFile("model.onnx"), ModelFile("tokenizer.json")),
    bring=True,
    max_tokens=9,
    repository="o/r",
)
ABSENT = replace(BROUGHT, name="absent")


def put(spec: ModelSpec, contents: dict[str, bytes]) -> None:
    """As an import leaves a model."""
    for name, content in contents.items():
        place = files.folder(spec) / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    files.record(spec, {n: Made(sha(c), len(c)) for n, c in contents.items()}, {"imported": "x 日本"})


def made(names: Sequence[str], out: Path, *, over: bool = False) -> Bundle:
    *_, last = bundle(names, out, replace=over)
    assert isinstance(last, Bundle)
    return last


def packed(
    spec: ModelSpec, contents: dict[str, bytes], told: dict[str, bytes] | None = None
) -> tuple[PackedModel, dict[str, bytes]]:
    """A model for `forged`, whose manifest may tell of other files than are stored."""
    listed = tuple(PackedFile(n, sha(c), len(c)) for n, c in (told or contents).items())
    return PackedModel(spec.name, identity(spec), spec.licence, listed, {}), contents


def forged(place: Path, *models: tuple[PackedModel, dict[str, bytes]]) -> Path:
    """An archive by the rules, of any models and contents."""
    content = beginning([model for model, _ in models])
    for model, contents in models:
        for name, stored in contents.items():
            content += header(f"{model.name}/{name}", len(stored)) + stored + bytes(padding(len(stored)))
    place.write_bytes(content + archive.END)
    return place


def what_is_there(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if not p.is_dir()}


@pytest.fixture
def here(models_root: Path, listed: Callable[..., None]) -> Path:
    """The folder of a machine that has two of three models."""
    listed(LISTED, BROUGHT, ABSENT)
    put(LISTED, CONTENTS["listed"])
    put(BROUGHT, CONTENTS["brought"])
    return models_root


@pytest.fixture
def carried(here: Path, tmp_path: Path) -> Path:
    made([], tmp_path / "all.tar")
    return tmp_path / "all.tar"


@pytest.fixture
def elsewhere(carried: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The still empty folder of the other machine."""
    monkeypatch.setenv("INRO_MODELS", str(tmp_path / "elsewhere"))
    return tmp_path / "elsewhere"


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


def test_a_cut_archive_is_told_before_anything_is_written(elsewhere: Path, carried: Path) -> None:
    content = carried.read_bytes()
    for cut, named in (
        (content.index(WEIGHTS) + 9, "listed/w.gguf"),
        (content.index(JUDGE) - 200, "brought/model.onnx"),
        (len(content) - 1, "its last member"),
        (700, MANIFEST),
    ):
        carried.write_bytes(content[:cut])
        with pytest.raises(ModelDamaged, match=named.replace(".", r"\.")):
            list(unbundle(carried))
    carried.write_bytes(content + b"x")
    with pytest.raises(ModelDamaged, match="1 bytes too long"):
        list(unbundle(carried))
    carried.write_bytes(content[:-1] + b"x")
    with pytest.raises(ModelDamaged, match="altered at its end"):
        list(unbundle(carried))
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    "member",
    [
        header("../listed/w.gguf", len(WEIGHTS)),
        header("/listed/w.gguf", len(WEIGHTS)),
        tarfile.TarInfo("listed/w.gguf").tobuf(tarfile.USTAR_FORMAT),
        *(
            header("listed/w.gguf", len(WEIGHTS))[:156] + kind + header("listed/w.gguf", len(WEIGHTS))[157:]
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE)
        ),
    ],
)
def test_there_is_no_place_for_links_devices_and_other_paths(elsewhere: Path, carried: Path, member: bytes) -> None:
    content = carried.read_bytes()
    own = header("listed/w.gguf", len(WEIGHTS))
    assert content.count(own) == 1
    carried.write_bytes(content.replace(own, member))
    with pytest.raises(ModelDamaged, match=r"altered where listed/w\.gguf begins"):
        list(unbundle(carried))
    assert what_is_there(elsewhere.parent / "elsewhere") == {}


def renamed(model: PackedModel, **changes: object) -> PackedModel:
    return replace(model, **changes)  # type: ignore[arg-type]


ONE = PackedFile("w.gguf", sha(WEIGHTS), len(WEIGHTS))


@pytest.mark.parametrize(
    "file",
    [
        replace(ONE, name="../w.gguf"),
        replace(ONE, name="/w.gguf"),
        replace(ONE, name=".w"),
        replace(ONE, name="w\x1b[2J"),
        replace(ONE, sha256="0" * 63),
        replace(ONE, bytes=0),
        replace(ONE, bytes=-1),
        replace(ONE, bytes=1 << 60),
    ],
)
def test_a_manifest_with_impossible_files_is_refused(elsewhere: Path, tmp_path: Path, file: PackedFile) -> None:
    model = PackedModel("listed", identity(LISTED), "MIT", (file,), {})
    start = beginning([model])
    (tmp_path / "x.tar").write_bytes(start + header("listed/w.gguf", len(WEIGHTS)) + WEIGHTS)
    with pytest.raises(ModelDamaged, match="damaged or altered"):
        list(unbundle(tmp_path / "x.tar"))


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"format": 1, "models": []}',
        b'{"format": true, "models": [{}]}',
        b'{"format": 1, "models": [null]}',
        b'{"format": 1, "models": [{"name": 1}]}',
        b'{"format": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_manifest_that_is_none_is_refused(elsewhere: Path, tmp_path: Path, manifest: bytes) -> None:
    place = tmp_path / "x.tar"
    place.write_bytes(header(MANIFEST, len(manifest)) + manifest + bytes(padding(len(manifest))) + archive.END)
    with pytest.raises((ModelDamaged, UsageError)):
        list(unbundle(place))
    assert not elsewhere.exists()


def test_absurd_counts_are_refused(elsewhere: Path, tmp_path: Path) -> None:
    model = PackedModel("listed", identity(LISTED), "MIT", (ONE,), {})
    for models in (
        [replace(model, name=f"m{i}") for i in range(300)],
        [replace(model, files=tuple(replace(ONE, name=f"f{i}") for i in range(40)))],
        [replace(model, files=(ONE, ONE))],
        [replace(model, files=())],
        [model, model],
        [replace(model, origin={str(i): "x" for i in range(99)})],
        [replace(model, licence="x" * 999)],
    ):
        (tmp_path / "x.tar").write_bytes(beginning(models) + bytes(4096))
        with pytest.raises(ModelDamaged, match="damaged or altered"):
            list(unbundle(tmp_path / "x.tar"))
    (tmp_path / "x.tar").write_bytes(header(MANIFEST, 1 << 32) + bytes(3 << 20))
    with pytest.raises(ModelDamaged, match="damaged or altered"):
        list(unbundle(tmp_path / "x.tar"))


def test_a_newer_format_asks_for_a_newer_release(
    elsewhere: Path, carried: Path, monkeypatch: pytest.MonkeyPatch, here: Path
) -> None:
    monkeypatch.setattr(archive, "FORMAT", 2)
    monkeypatch.setenv("INRO_MODELS", str(here))
    made([], carried, over=True)
    monkeypatch.setattr(archive, "FORMAT", 1)
    with pytest.raises(UsageError, match=r"format 2, this release reads 1\. Do: install a newer Inro"):
        list(unbundle(carried))


def test_a_model_that_is_not_listed_is_refused_with_the_nearest_name(elsewhere: Path, tmp_path: Path) -> None:
    newer = packed(replace(LISTED, name="listed-2"), CONTENTS["listed"])
    place = forged(tmp_path / "x.tar", newer, packed(BROUGHT, CONTENTS["brought"]))
    with pytest.raises(NotFound, match=r"listed-2, which this release does not know.*nearest.*listed.*a newer Inro"):
        list(unbundle(place))
    assert not elsewhere.exists()
    with pytest.raises(NotFound, match=r"does not hold nobody; it holds listed-2, brought"):
        list(unbundle(place, ["nobody"]))
    list(unbundle(place, ["brought"]))
    assert {p.name for p in elsewhere.iterdir()} == {"brought"}


def test_a_model_is_the_listed_one_or_refused(elsewhere: Path, tmp_path: Path) -> None:
    other = b"GGUF" + bytes(len(WEIGHTS) - 4)
    for wrong, said in (
        (packed(LISTED, {"w.gguf": other}), "not the listed"),
        (packed(LISTED, {"w.gguf": WEIGHTS, "x": b"y"}), "other files"),
        (packed(BROUGHT, {"model.onnx": JUDGE}), "other files"),
        (packed(BROUGHT, {"model.onnx": b"<html>", "tokenizer.json": TOKENIZER}), "not in ONNX format"),
        (packed(BROUGHT, {"model.onnx": JUDGE, "tokenizer.json": b"<"}), "not in JSON format"),
    ):
        with pytest.raises(ModelDamaged, match=said):
            list(unbundle(forged(tmp_path / "x.tar", wrong)))
    model, contents = packed(BROUGHT, CONTENTS["brought"])
    with pytest.raises(ModelDamaged, match="another release"):
        list(unbundle(forged(tmp_path / "x.tar", (renamed(model, identity="0" * 64), contents))))
    assert what_is_there(elsewhere.parent / "elsewhere") == {}


def test_an_embedder_that_computes_something_else_is_refused(
    models_folder: Path, models_root: Path, tmp_path: Path
) -> None:
    spec = registry.default_for("embed")
    tokenizer = json.loads((models_folder / spec.name / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    # every piece gets its neighbour's vector
    pieces = [piece for piece, _ in vocabulary[5:]]
    vocabulary[5:] = [[p, score] for p, (_, score) in zip([*pieces[1:], pieces[0]], vocabulary[5:], strict=True)]
    false = files.folder(spec)
    false.mkdir(parents=True)
    shutil.copyfile(models_folder / spec.name / "model-int8.onnx", false / "model-int8.onnx")
    (false / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    files.record(spec, {p.name: Made(files.sha256_of(p), p.stat().st_size) for p in false.iterdir()}, {})
    made([spec.name], tmp_path / "x.tar")
    shutil.rmtree(models_root)
    with pytest.raises(ModelDamaged, match=r"is not what it should be.*cosines"):
        list(unbundle(tmp_path / "x.tar"))
    assert what_is_there(models_root) == {}


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", bytes(20_000), random.Random(3).randbytes(9000)])
def test_another_file_is_told(elsewhere: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.tar").write_bytes(content)
    with pytest.raises(UsageError, match=r"no archive of models.*inro models bundle"):
        list(unbundle(tmp_path / "x.tar"))
    with io.BytesIO() as plain:
        with tarfile.open(fileobj=plain, mode="w") as tar:
            tar.add(tmp_path / "x.tar", "listed/w.gguf")
        (tmp_path / "y.tar").write_bytes(plain.getvalue())
    with pytest.raises(UsageError, match="no archive of models"):
        list(unbundle(tmp_path / "y.tar"))
    for nothing in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(PathMissing):
            list(unbundle(nothing))


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


@given(data=st.data())
def test_whatever_is_done_to_an_archive_a_model_is_whole_or_not_there(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("mutated")
    with pytest.MonkeyPatch.context() as patch:
        for module in (bundling, unbundling, registry):
            patch.setattr(module, "load", lambda: (LISTED, BROUGHT))
        patch.setenv("INRO_MODELS", str(folder / "here"))
        put(LISTED, CONTENTS["listed"])
        put(BROUGHT, CONTENTS["brought"])
        made([], folder / "a.tar")
        content = (folder / "a.tar").read_bytes()
        start = data.draw(st.integers(0, len(content) - 1))
        end = data.draw(st.integers(start, min(len(content), start + 2000)))
        size = end - start
        insert = data.draw(
            st.binary(max_size=600) | st.binary(min_size=size, max_size=size) | st.just(content[:end]) | st.just(b"")
        )
        changed = content[:start] + insert + content[end:]
        (folder / "a.tar").write_bytes(changed)
        patch.setenv("INRO_MODELS", str(folder / "elsewhere"))
        if changed == content:
            list(unbundle(folder / "a.tar"))
        else:
            with pytest.raises((ModelDamaged, UsageError)):
                list(unbundle(folder / "a.tar"))
        there = what_is_there(folder / "elsewhere")
        for spec in (LISTED, BROUGHT):
            if any(path.startswith(f"{spec.name}/") for path in there):
                assert {n: there.pop(f"{spec.name}/{n}") for n in CONTENTS[spec.name]} == CONTENTS[spec.name]
                assert there.pop(f"{spec.name}/manifest.json")
        assert there == {}
    with suppress(InroError):
        shutil.rmtree(folder)
