"""One child from the parent's side, with a puppet in place of a model."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from inro.errors import ModelError, WorkerCrashed
from inro.workers.process import Child

Start = Callable[..., Child]


def gone(pid: int, within: float = 5.0) -> bool:
    """Whether the process ended, a zombie not yet collected by its parent included."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_request_carries_text_and_arrays_both_ways(start: Start) -> None:
    reply = start().request("echo", [np.arange(3, dtype=np.float32)], say="こんにちは \ud800 \0")
    assert reply.header == {"said": "こんにちは \ud800 \0"}
    assert reply.arrays[0].tolist() == [1, 2, 3]


def test_a_stream_arrives_in_order_and_the_child_serves_again(start: Start) -> None:
    child = start()
    assert [f.header["i"] for f in child.stream("count", to=5)] == [0, 1, 2, 3, 4]
    assert child.request("echo", say="again").header["said"] == "again"


def test_large_arrays_both_ways_do_not_lock_the_two_sides(start: Start) -> None:
    big = np.zeros(4_000_000, np.int8)
    assert start().request("echo", [big, big]).arrays[1].sum() == 4_000_000


def test_what_native_libraries_print_does_not_reach_the_frames(start: Start) -> None:
    child = start()
    assert child.request("shout").header == {"said": "still in step"}
    assert child.request("echo", say=1).header == {"said": 1}


def test_an_error_in_words_leaves_the_child_alive(start: Start) -> None:
    child = start()
    with pytest.raises(ModelError, match="this cannot be done: 42") as caught:
        child.request("refuse")
    assert not isinstance(caught.value, WorkerCrashed)
    with pytest.raises(ModelError, match="no such operation: 'dance'"):
        child.request("dance")
    assert child.request("echo", say=1).header == {"said": 1}


def test_a_request_that_gives_several_replies_is_an_error(start: Start) -> None:
    with pytest.raises(ModelError, match="3 replies"):
        start().request("count", to=3)


def test_a_segmentation_fault_is_a_typed_error_with_the_signal_and_the_last_words(start: Start) -> None:
    child = start()
    with pytest.raises(WorkerCrashed, match=r"SIGSEGV.*last.*words") as caught:
        child.request("die")
    assert "\x1b" not in caught.value.message
    assert not child.alive


def test_death_in_the_middle_of_a_stream_keeps_what_came_before(start: Start) -> None:
    got = []
    with pytest.raises(WorkerCrashed, match="SIGKILL"):
        for frame in start().stream("die", after=3, signal=int(signal.SIGKILL)):
            got.append(frame.header["i"])
    assert got == [0, 1, 2]


def test_a_plain_exit_is_a_crash_too(start: Start) -> None:
    with pytest.raises(WorkerCrashed, match="exit code 7"):
        start().request("leave", code=7)


def test_a_module_that_is_not_there_is_a_crash_that_says_so(start: Start) -> None:
    with pytest.raises(WorkerCrashed, match="No module named"):
        start("no_such_child_module").request("echo")


def test_bytes_that_are_no_frame_end_the_child(start: Start) -> None:
    child = start()
    with pytest.raises(WorkerCrashed, match="not a frame"):
        child.request("babble")
    assert gone(child.pid)


def test_a_hung_child_is_killed_past_its_time(start: Start) -> None:
    child = start(timeout=0.5)
    with pytest.raises(WorkerCrashed, match="no sign of life"):
        child.request("hang")
    assert gone(child.pid)


def test_asking_a_dead_child_is_a_crash(start: Start) -> None:
    child = start()
    pid = child.pid
    child.request("echo")
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    with pytest.raises(WorkerCrashed):
        child.request("echo")


def test_cancel_from_another_thread_ends_the_stream_early(start: Start) -> None:
    child = start()
    got = []
    for frame in child.stream("count", to=10_000, pause=0.01):
        got.append(frame.header["i"])
        if len(got) == 3:
            threading.Thread(target=child.cancel).start()
    assert 3 <= len(got) < 1_000
    assert child.request("echo", say="after").header == {"said": "after"}


def test_leaving_a_stream_cancels_it_and_the_next_request_starts_clean(start: Start) -> None:
    child = start()
    for frame in child.stream("count", to=10_000, pause=0.01):
        if frame.header["i"] == 2:
            break
    assert child.request("echo", say="clean").header == {"said": "clean"}


def test_cancel_with_nothing_under_way_does_nothing(start: Start) -> None:
    child = start()
    child.cancel()
    assert [f.header["i"] for f in child.stream("count", to=2)] == [0, 1]


def test_closing_ends_the_child_even_in_the_middle_of_work(start: Start) -> None:
    child = start()
    thread_saw: list[BaseException] = []

    def wait() -> None:
        try:
            child.request("hang")
        except WorkerCrashed as e:
            thread_saw.append(e)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    child.close()
    thread.join(10)
    assert not thread.is_alive() and thread_saw
    assert gone(child.pid)
    child.close()
    with pytest.raises(WorkerCrashed):
        child.request("echo")


def test_the_child_ends_when_its_parent_is_killed(start: Start, tmp_path: Path) -> None:
    """The parent here is a process of its own that is killed without a chance to clean up."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys, threading, time\n"
        "from inro.workers.process import Child\n"
        "child = Child('puppet')\n"
        "child.request('echo')\n"
        "threading.Thread(target=lambda: child.request('hang'), daemon=True).start()\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=env) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert gone(pid)


def test_a_waiting_child_uses_no_processor_time(start: Start) -> None:
    child = start()
    before = child.request("cpu").header["seconds"]
    time.sleep(1.0)
    assert child.request("cpu").header["seconds"] - before < 0.1


def test_a_child_starts_where_the_standard_streams_are_replaced(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full-screen programs put objects without a descriptor in their place."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.StringIO())
    assert start().request("echo", say=1).header == {"said": 1}


def test_the_child_has_its_own_session_no_input_and_no_modules_of_the_working_folder(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    facts = start().request("facts").header
    assert facts["session"] == facts["pid"] != os.getsid(0)
    assert facts["stdin"] == ""
    assert str(tmp_path) not in facts["path"] and "" not in facts["path"]
