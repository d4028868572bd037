"""The sample library by questions whose answers are known, with the real model: quality has a floor.

Most are asked in another language than the note is in, where words are of no help and the embedder prefers notes in the
language of the question. The floors stand a little under what is measured, so that a fault is seen and chance is not.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inro.library import Library
from inro.sample import folder
from inro.text.writing import Writing, writing_of

pytestmark = pytest.mark.models

QUESTIONS = [
    json.loads(line)
    for line in Path(__file__).with_name("sample_questions.jsonl").read_text(encoding="utf-8").splitlines()
]
WRITTEN = {"en": Writing.LATIN, "ja": Writing.JAPANESE, "zh": Writing.CHINESE}

Rank = Callable[[dict[str, Any]], int]


@pytest.fixture(scope="module")
def rank(models_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rank]:
    """The place of the first answer among the documents found; 99 when none of ten is one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INRO_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("INRO_MODELS", str(models_folder))
        with Library(tmp_path_factory.mktemp("library") / "sample.inro") as library:
            for _ in library.add([folder()]):
                pass
            paths = {row.document: row.path for row in library.files()}

            def found(question: dict[str, Any]) -> int:
                documents = library.ranked(question["question"], limit=10)
                places = [i for i, one in enumerate(documents, 1) if paths[one] in question["answers"]]
                return min(places, default=99)

            yield found


def is_across(question: dict[str, Any]) -> bool:
    """Whether no answer is written as the question is."""
    texts = ((folder() / answer).read_text(encoding="utf-8") for answer in question["answers"])
    return all(writing_of(text) != WRITTEN[question["lang"]] for text in texts)


ACROSS = [question for question in QUESTIONS if is_across(question)]
WITHIN = [question for question in QUESTIONS if not is_across(question)]


def test_every_answer_is_a_file_of_the_sample_library() -> None:
    assert all((folder() / answer).is_file() for question in QUESTIONS for answer in question["answers"])
    assert len(ACROSS) >= 40
    assert WITHIN


def test_a_question_in_another_language_than_its_answer_finds_it(rank: Rank) -> None:
    places = [rank(question) for question in ACROSS]
    assert statistics.fmean(place <= 3 for place in places) >= 0.5
    assert statistics.fmean(place <= 10 for place in places) >= 0.75


def test_a_question_in_the_language_of_its_answer_has_it_in_the_first_three(rank: Rank) -> None:
    assert [question["question"] for question in WITHIN if rank(question) > 3] == []
