"""The review queue: answers from shelves that wait until their user takes them into the notes or turns them down.

Rule: the same question answered from the same places is one item, and what was decided about it stays decided.
"""

from __future__ import annotations

import hashlib
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from inro.errors import NotFound, UsageError
from inro.records import Answer, ReviewItem, ReviewState
from inro.state.answers import from_text, to_text
from inro.state.file import StateFile

_FIELDS = "SELECT id, state, made, note, answer FROM reviews WHERE library = ?"


class Reviews:
    """The queue of one library."""

    def __init__(self, library: Path, file: StateFile | None = None) -> None:
        self._library = str(library.absolute())
        self._file = file or StateFile()

    def list(self, *, everything: bool = False) -> tuple[ReviewItem, ...]:
        """What waits, oldest first; with `everything`, also what was decided. Raises StateUnusable."""
        with self._file.reading() as con:
            rows = [] if con is None else con.execute(f"{_FIELDS} ORDER BY id", [self._library]).fetchall()
        items = [item for row in rows if (item := _item(row)) is not None]
        return tuple(item for item in items if everything or item.state == "waiting")

    def get(self, number: int) -> ReviewItem:
        """One item, decided or not. Raises NotFound, StateUnusable."""
        for item in self.list(everything=True):
            if item.id == number:
                return item
        raise NotFound(f"there is no answer {number} to review", "inro review list")

    def offer(self, answer: Answer) -> int | None:
        """Put an answer in the queue; its number, or None if it is there already or was decided. Raises

        StateUnusable.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._file.writing() as con:
            made = con.execute(
                "INSERT INTO reviews (library, same, state, made, note, answer) VALUES (?, ?, 'waiting', ?, '', ?)"
                " ON CONFLICT DO NOTHING RETURNING id",
                [self._library, sameness(answer), now, to_text(answer)],
            ).fetchone()
        return None if made is None else int(made[0])

    def decide(self, number: int, state: Literal["accepted", "rejected"], note: str = "") -> None:
        """Remember what was decided about an item that waits.

        Raises:
            NotFound, UsageError: there is no such item, or it was decided before.
            StateUnusable: the state file cannot be written.
        """
        item = self.get(number)
        with self._file.writing() as con:
            done = con.execute(
                "UPDATE reviews SET state = ?, note = ? WHERE id = ? AND state = 'waiting'", [state, note, number]
            )
            if not done.rowcount:
                where = f" as {item.note}" if item.note else ""
                raise UsageError(f"answer {number} was {item.state} before{where}", "inro review list")


def sameness(answer: Answer) -> str:
    """What two answers have in common that need no second review: question, shelf and cited places."""
    cited = {n for sentence in answer.sentences for n in sentence.citations}
    places = sorted({(source.path, source.quote) for source in answer.sources if source.n in cited})
    question = "".join(unicodedata.normalize("NFKC", answer.question).casefold().split()).rstrip("?.!。")
    told = repr((question, answer.shelf, places)).encode("utf-8", "surrogatepass")
    return hashlib.sha256(told).hexdigest()


def _item(row: tuple[int, str, str, str, str]) -> ReviewItem | None:
    number, state, made, note, text = row
    answer = from_text(text)
    known = next((one for one in get_args(ReviewState) if one == state), None)
    return None if answer is None or known is None else ReviewItem(number, known, made, note, answer)
