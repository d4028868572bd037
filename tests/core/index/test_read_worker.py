"""Files read apart: whatever a parser does to its process, there is an outcome, and the next file is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inro.errors import Unreadable
from inro.index import pipeline, reading
from inro.index.read_worker import Limits, ReadWorker
from inro.index.reading_frame import pack, unpack
from inro.readers import plain, registry
from inro.readers.allowance import Allowance, allowance, granted
from inro.records import Block, Link, Reading
from inro.store.connect import Store

CHILDREN = Path(__file__).parent / "children"
NOTE = "# 乾燥庫\n\n試料は S-1041 で乾燥する。[link](https://example.org/a)\n\ntags: none\n".encode()


@pytest.fixture
def frail(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadWorker]:
    monkeypatch.syspath_prepend(str(CHILDREN))
    limits = Limits(seconds=5.0, memory=8 << 30, characters=1000)
    with ReadWorker(limits=limits, module="frail_reader") as worker:
        yield worker


def told(worker: ReadWorker, name: str) -> tuple[str, str]:
    with pytest.raises(Unreadable) as caught:
        worker.read(b"text", name)
    return caught.value.message, caught.value.mend


def title(worker: ReadWorker) -> str:
    made = worker.read(b"text", "a.pid")
    assert made is not None
    return made.title


def test_a_reading_from_the_child_is_the_reading_itself() -> None:
    with ReadWorker() as worker:
        assert worker.read(NOTE, "sub/乾燥.md") == registry.read(NOTE, "sub/乾燥.md")
        latin = "Zürich".encode("latin-1")
        assert worker.read(latin, "a.txt", "latin-1") == registry.read(latin, "a.txt", "latin-1")


def test_one_child_serves_many_files(frail: ReadWorker) -> None:
    assert len({title(frail) for _ in range(5)}) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.segv", "its reader crashed: killed by SIGSEGV"),
        ("a.greedy", "takes more than 8,192 MB of memory"),
        ("a.forge", "its reader gave no reading"),
        ("a.hang", "longer than 5 s"),
    ],
)
def test_what_kills_a_reader_is_the_files_outcome_and_the_next_is_read(frail: ReadWorker, name: str, said: str) -> None:
    first = title(frail)
    message, mend = told(frail, name)
    assert said in message and mend
    assert title(frail) != first, "nothing is left of a child that misbehaved"


def test_a_reader_that_fails_in_words_keeps_its_child(frail: ReadWorker) -> None:
    first = title(frail)
    assert told(frail, "a.refuse") == ("it is locked", "unlock it")
    assert told(frail, "a.bug")[0] == "its reader failed: 'no such part'"
    assert title(frail) == first


def test_an_outcome_does_not_depend_on_what_was_read_before(frail: ReadWorker) -> None:
    """The child dies over a file because of an earlier one; in a fresh child the file reads well."""
    frail.read(b"text", "a.txt")
    made = frail.read(b"some words", "b.second")
    assert made is not None and made.text == "some words"


def test_a_sync_that_is_stopped_does_not_wait_for_a_file(frail: ReadWorker) -> None:
    asked: list[int] = []

    def stopped() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert frail.read(b"text", "a.hang", stopped=stopped) is None
    assert len(asked) == 3


def test_text_past_the_limit_is_cut_and_says_so(frail: ReadWorker) -> None:
    made = frail.read(b"word " * 1000, "a.txt")
    assert made is not None
    assert (len(made.text), made.outcome, made.blocks[-1].end) == (1000, "partial", 1000)
    assert "only the first 1,000 of 5,000 characters" in made.reason and made.mend


def test_one_bad_file_does_not_stop_a_sync(
    library: Store, tmp_path: Path, look: Any, monkeypatch: pytest.MonkeyPatch, frail: ReadWorker
) -> None:
    root = tmp_path / "files"
    root.mkdir()
    for name in ("a.segv", "b.txt", "c.greedy", "d.txt"):
        (root / name).write_text(f"words of {name[0]}lpha")
    apart = replace(plain.READER, isolated=True)
    monkeypatch.setattr(reading, "reader_for", lambda suffix, head: apart)
    pipeline.add_sources(library, [root])
    report = list(pipeline.sync(library, None, worker=frail))[-1].report
    assert report is not None and (report.added, report.unreadable) == (4, 2)
    assert look.words("blpha") == ["b.txt"] and look.words("dlpha") == ["d.txt"]
    assert look.words("alpha") == []


spans = st.integers(0, 40)
blocks = st.lists(
    st.builds(
        Block,
        st.sampled_from(["paragraph", "table", "code"]),
        spans,
        spans,
        st.integers(0, 6),
        st.none() | st.integers(0, 10**6),
    ),
    max_size=6,
)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=40, max_size=60), blocks, st.text(max_size=5))
def test_readings_travel_whole(text: str, made: list[Block], label: str) -> None:
    at, ordered = 0, []
    for block in sorted(made, key=lambda b: b.start):
        start = max(block.start, at)
        at = max(start, min(block.end, len(text)))
        ordered.append(replace(block, start=start, end=at))
    ordered.append(Block("heading", at, len(text), 2, None, label))
    whole = Reading(
        text,
        "title",
        tuple(ordered),
        "plain/1",
        {"author": ("甲", "乙")},
        ("tag",),
        (Link("url", "https://example.org", 1, 3),),
        "",
        0.5,
        "partial",
        "reason",
        "mend",
    )
    header, arrays = pack(whole, 10**6)
    header["links"] = [list(link) for link in header["links"]]
    header["fields"] = {key: list(values) for key, values in header["fields"].items()}
    header["tags"] = list(header["tags"])
    assert unpack(header, arrays) == whole


def test_an_allowance_holds_within_its_block() -> None:
    with granted(Allowance(until=0.0, recognise=False)):
        assert allowance().spent and not allowance().recognise
    assert not allowance().spent and allowance().recognise
