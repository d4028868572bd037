"""What this machine offers to the models, and which of it is left unused because it crashed here.

Read from what the system says of itself; nothing is tried out.
"""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from inro.config import Settings
from inro.records import Check
from inro.workers.machine import Machine

_CPUINFO = Path("/proc/cpuinfo")
_WORDS = (
    ("AVX2", ("avx2",)),
    ("AVX-512", ("avx512f",)),
    ("AVX-512 VNNI", ("avx512_vnni",)),
    ("AVX-512 BF16", ("avx512_bf16",)),
    ("AMX", ("amx_tile", "amx_int8")),
    ("NEON", ("asimd", "neon")),
    ("dot products", ("asimddp",)),
    ("SVE", ("sve",)),
)
"""What the runtimes make use of, and how Linux calls it."""


def examine(settings: Settings) -> Iterator[Check]:
    """The processor and the settings in force on it."""
    yield processor(settings.threads)
    yield safe_settings(Machine())


def processor(threads: int) -> Check:
    """Its name, what it can do and how many threads it runs."""
    name, flags = _described()
    has = [word for word, called in _WORDS if any(one in flags for one in called)]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    what = f": {', '.join(has)}" if has else ""
    return Check(
        "processor",
        threads <= max(cores, 2),
        f"{name or platform.machine()}{what}; {cores} threads, the models use {threads}",
        f"no more threads than the {cores} there are",
        f"threads = {cores} in the settings",
    )


def safe_settings(machine: Machine) -> Check:
    """Which models run with safe settings on this machine, after a crash with the ordinary ones."""
    remembered = machine.remembered()
    now = {name: _version(name) for name in ("llama-cpp-python", "onnxruntime")}
    in_force = [key for key in remembered if any(key.endswith(f" {name}-{version}") for name, version in now.items())]
    former = len(remembered) - len(in_force)
    said = (
        "in force after a crash: " + "; ".join(in_force)
        if in_force
        else "none in force: llama.cpp repacks weights for this processor, ONNX Runtime uses all its kernels"
    )
    if former:
        said += f"; {former} remembered of other versions"
    if remembered:
        said += f"; to try the ordinary ones again, delete {machine.file}"
    # not a fault: answers are the same, only slower
    return Check("safe modes", True, said, "what runs here without a crash")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _described() -> tuple[str, frozenset[str]]:
    """The processor's name and flags, in Linux's words; empty where the system says nothing."""
    try:
        text = _CPUINFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _by_sysctl()
    name, flags = "", ""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            name = name or value.strip()
        elif key.strip() in ("flags", "Features"):
            flags = flags or value
    return name, frozenset(flags.split())


def _by_sysctl() -> tuple[str, frozenset[str]]:
    asked = ["machdep.cpu.brand_string", "hw.optional.avx2_0", "hw.optional.avx512f", "hw.optional.neon"]
    try:
        answer = subprocess.run(["/usr/sbin/sysctl", *asked], capture_output=True, text=True, check=False, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return "", frozenset()
    said = dict(line.split(": ", 1) for line in answer.stdout.splitlines() if ": " in line)
    flags = {
        word
        for key, word in ((asked[1], "avx2"), (asked[2], "avx512f"), (asked[3], "neon"))
        if said.get(key, "0").strip() == "1"
    }
    return said.get(asked[0], ""), frozenset(flags)
