"""An archive of models is a stranger's: nothing else arrives than what it should hold, whatever it is."""

from __future__ import annotations

import io
import json
import random
import shutil
import tarfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from archives import BROUGHT, CONTENTS, JUDGE, LISTED, TOKENIZER, WEIGHTS, forged, made, packed, put, sha, what_is_there
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import (
    InroError,
    ModelDamaged,
    NotFound,
    PathMissing,
    UsageError,
)
from inro.models import archive, bundling, files, registry, unbundle, unbundling
from inro.models.archive import MANIFEST, PackedFile, PackedModel, beginning, header, padding
from inro.models.bundling import identity
from inro.models.files import Made


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
