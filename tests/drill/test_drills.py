"""The drills in their short form; `make drill` runs the whole of them."""

from __future__ import annotations

from pathlib import Path

import kills
import mutants
import pytest
import traffic


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return mutants.make_base(tmp_path_factory.mktemp("base") / "base.inro")


def test_the_checksum_is_duckdbs(base: bytes) -> None:
    """Without it the mended mutants would be refused for their checksums alone."""
    blocks = [base[i : i + mutants.BLOCK] for i in range(mutants.HEADER, len(base), mutants.BLOCK)]
    assert len(blocks) > 10
    assert sum(mutants.checksum(block) == block[:8] for block in blocks) > len(blocks) // 2


def test_mutants_do_no_harm(base: bytes, tmp_path: Path) -> None:
    verdicts = list(mutants.run(base, range(64), tmp_path))
    assert [v for v in verdicts if not v.fine] == []
    assert {v.outcome for v in verdicts} >= {"answered", "refused"}
    assert len({v.kind for v in verdicts}) > 8


def test_deaths_of_a_sync_do_no_harm(tmp_path: Path) -> None:
    deaths = list(kills.drill(6, 1, tmp_path))
    assert [(end, found) for end, found in deaths if found] == []
    assert len(deaths) == 7


@pytest.mark.parametrize("means", ["segv", "disk"])
def test_a_crash_of_the_embedding_process_and_a_full_disk_do_no_harm(tmp_path: Path, means: str) -> None:
    deaths = list(kills.drill(1, 3, tmp_path, [means]))
    assert [(end, found) for end, found in deaths if found] == []
    assert len(deaths) == 2


def test_many_programs_on_one_file_meet_no_error(tmp_path: Path) -> None:
    outcome = traffic.drill(6.0, tmp_path)
    assert outcome.errors == []
    assert outcome.took
    assert outcome.commits
    assert outcome.copies
