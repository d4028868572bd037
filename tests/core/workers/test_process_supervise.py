"""After a crash: once more with safe settings, remembered when that was the cure."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inro.errors import ModelError, WorkerCrashed
from inro.workers.machine import Machine
from inro.workers.process import Child
from inro.workers.supervise import Supervisor

Start = Callable[..., Child]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "state" / "machine.json")


class Starts:
    """Starts puppets and keeps with which settings."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self.safe: list[bool] = []

    def __call__(self, safe: bool) -> Child:
        self.safe.append(safe)
        return self._start()


def frail(starts: Starts) -> Callable[[Child], object]:
    """An exchange that kills the child unless it runs with safe settings."""

    def exchange(child: Child) -> object:
        return child.request("echo" if starts.safe[-1] else "die", say="done").header["said"]

    return exchange


def test_a_crash_is_tried_again_with_safe_settings_and_the_cure_is_remembered(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    supervisor = Supervisor(starts, key="engine-1 model", machine=machine)
    assert supervisor.run(frail(starts)) == "done"
    assert starts.safe == [False, True]
    assert "SIGSEGV" in supervisor.crashes[0]

    later = Starts(start)
    again = Supervisor(later, key="engine-1 model", machine=Machine(machine.file))
    assert again.run(frail(later)) == "done"
    assert later.safe == [True]
    other = Starts(start)
    assert Supervisor(other, key="engine-2 model", machine=machine).run(frail(other)) == "done"
    assert other.safe == [False, True]


def test_a_second_crash_is_raised_and_nothing_is_remembered(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    supervisor = Supervisor(starts, key="k", machine=machine)
    with pytest.raises(WorkerCrashed):
        supervisor.run(lambda child: child.request("die"))
    assert starts.safe == [False, True]
    assert not machine.needs_safe("k") and not machine.file.exists()
    assert supervisor.run(lambda child: child.request("echo", say=1).header) == {"said": 1}


def test_one_child_serves_many_exchanges(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    supervisor = Supervisor(starts, key="k", machine=machine)
    pids = {supervisor.run(lambda child: child.request("facts").header["pid"]) for _ in range(3)}
    assert len(pids) == 1 and starts.safe == [False]
    supervisor.close()
    supervisor.close()
    assert supervisor.run(lambda child: child.request("facts").header["pid"]) not in pids


def test_an_error_in_words_is_not_tried_again(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    with pytest.raises(ModelError, match="42"):
        Supervisor(starts, key="k", machine=machine).run(lambda child: child.request("refuse"))
    assert starts.safe == [False]


def test_a_crash_while_starting_counts(start: Start, machine: Machine) -> None:
    attempts: list[bool] = []

    def load(safe: bool) -> Child:
        attempts.append(safe)
        child = start()
        if not safe:
            child.request("die")
        return child

    assert Supervisor(load, key="k", machine=machine).run(lambda c: c.request("echo", say=1).header) == {"said": 1}
    assert attempts == [False, True] and machine.needs_safe("k")


def test_closing_in_the_middle_of_an_exchange_is_no_crash_to_mend(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    supervisor = Supervisor(starts, key="k", machine=machine)
    got: list[int] = []
    with pytest.raises(WorkerCrashed, match="closed"):
        for frame in supervisor.stream(lambda child: child.stream("count", to=10_000, pause=0.01)):
            got.append(frame.header["i"])
            if len(got) == 3:
                closer = threading.Thread(target=supervisor.close)
                closer.start()
    closer.join()
    assert starts.safe == [False] and supervisor.crashes == [] and not supervisor.safe
    assert supervisor.run(lambda child: child.request("echo", say=1).header) == {"said": 1}


def test_closing_does_not_wait_for_a_child_that_loads(start: Start, machine: Machine) -> None:
    entered = threading.Event()

    def load(safe: bool) -> Child:
        child = supervisor.starting = start(timeout=None)
        entered.set()
        child.request("hang")
        return child

    supervisor = Supervisor(load, key="k", machine=machine)
    seen: list[WorkerCrashed] = []

    def use() -> None:
        try:
            supervisor.run(lambda child: child.request("echo"))
        except WorkerCrashed as e:
            seen.append(e)

    user = threading.Thread(target=use)
    user.start()
    assert entered.wait(10)
    supervisor.close()
    user.join(10)
    assert not user.is_alive() and len(seen) == 1 and supervisor.crashes == []


def test_a_stream_goes_on_where_its_exchange_says(start: Start, machine: Machine) -> None:
    starts = Starts(start)
    got: list[int] = []

    def rest(child: Child) -> Iterator[int]:
        begin = len(got)
        well = starts.safe[-1]
        for frame in child.stream("count", to=6 - begin) if well else child.stream("die", after=3):
            yield begin + frame.header["i"]

    for number in Supervisor(starts, key="k", machine=machine).stream(rest):
        got.append(number)
    assert got == [0, 1, 2, 3, 4, 5]
    assert machine.needs_safe("k")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"safe": 3}', '{"safe": [1, null]}', "[" * 99_999])
def test_a_damaged_memory_is_no_memory(machine: Machine, content: str) -> None:
    machine.file.parent.mkdir()
    machine.file.write_text(content)
    assert not machine.needs_safe("k")
    machine.remember_safe("k")
    assert machine.needs_safe("k")


def test_a_memory_that_cannot_be_written_is_forgotten_quietly(machine: Machine) -> None:
    machine.file.parent.write_text("a file where the folder should be")
    machine.remember_safe("k")
    assert not machine.needs_safe("k")


def test_the_memory_holds_a_bounded_number_of_entries_and_leaves_no_other_files(machine: Machine) -> None:
    for i in range(230):
        machine.remember_safe(f"k{i}")
    assert machine.needs_safe("k229") and not machine.needs_safe("k0")
    assert [p.name for p in machine.file.parent.iterdir()] == ["machine.json"]
    assert stat.S_ISREG(machine.file.stat().st_mode)
