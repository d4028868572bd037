"""Late interaction asks the embedder for the tokens of a text once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from inro.errors import ModelError
from inro.search import late
from inro.search.late import LateInteraction

RED, BLUE = [1.0, 0.0], [0.0, 1.0]


class Tokens:
    """An embedder that knows a few texts, and counts."""

    def __init__(self, table: Mapping[str, list[list[float]]]) -> None:
        self.table = table
        self.asked: list[tuple[str, bool]] = []

    def token_states(self, text: str, *, question: bool = False) -> NDArray[np.float32]:
        self.asked.append((text, question))
        return np.array(self.table[text], np.float32).reshape(len(self.table[text]), -1)


def test_a_text_scores_by_what_it_holds_of_the_question_and_is_read_once() -> None:
    embedder = Tokens({"q": [RED, BLUE], "both": [BLUE, RED, RED], "one": [RED], "r": [BLUE]})
    late = LateInteraction(embedder)
    assert late.score("q", "both") == pytest.approx(1.0, abs=1e-3)
    assert late.score("q", "one") == pytest.approx(0.5, abs=1e-3)
    assert late.score("r", "one") == pytest.approx(0.0, abs=1e-3)
    assert embedder.asked == [("q", True), ("both", False), ("one", False), ("r", True)]
    assert late.is_known("another question", "one")
    assert not late.is_known("q", "unread")


def test_what_does_not_fit_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Tokens({"q": [RED], **{name: [RED, BLUE] for name in "abc"}})
    reranker = LateInteraction(embedder)
    reranker.score("q", "a")
    # room for the tokens of two texts
    monkeypatch.setattr(late, "MOST_BYTES", 2 * (2 * 2 + 2 * 4))
    reranker.score("q", "b")
    reranker.score("q", "a")
    reranker.score("q", "c")
    assert [name for name in "abc" if reranker.is_known("q", name)] == ["a", "c"]


def test_tokens_of_another_model_are_an_error_in_words() -> None:
    embedder = Tokens({"q": [RED], "odd": [[1.0, 2.0, 3.0]]})
    with pytest.raises(ModelError, match="do not fit"):
        LateInteraction(embedder).score("q", "odd")
