"""Chats that were had on this machine: their questions and answers, by library, to be gone on with."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from inro.errors import NotFound
from inro.records import Answer, ChatRecord
from inro.state.answers import from_text, to_text
from inro.state.file import StateFile

TITLE = 80
"""Characters of the first question that name a chat."""

_RECORDS = """SELECT c.id, c.title, c.began, max(t.asked), count(t.n) FROM chats c JOIN turns t ON t.chat = c.id
    WHERE c.library = ? GROUP BY c.id ORDER BY max(t.asked) DESC, c.id DESC"""


class Chats:
    """The chats with one library."""

    def __init__(self, library: Path, file: StateFile | None = None) -> None:
        self._library = str(library.absolute())
        self._file = file or StateFile()

    def list(self) -> tuple[ChatRecord, ...]:
        """Every chat, the one gone on with last first. Raises StateUnusable."""
        with self._file.reading() as con:
            rows = [] if con is None else con.execute(_RECORDS, [self._library]).fetchall()
        return tuple(ChatRecord(*row) for row in rows)

    def answers(self, chat: int) -> tuple[Answer, ...]:
        """What was said in a chat, in order; rows that cannot be read are left out.

        Raises:
            NotFound: there is no such chat with this library.
            StateUnusable: the file cannot be read.
        """
        with self._file.reading() as con:
            if con is None or not self._has(con, chat):
                raise _missing(chat)
            rows = con.execute("SELECT answer FROM turns WHERE chat = ? ORDER BY n", [chat]).fetchall()
        read = (from_text(text) for (text,) in rows)
        return tuple(answer for answer in read if answer is not None)

    def keep(self, chat: int | None, answer: Answer) -> int:
        """Add an exchange to a chat, a new one if None; its number.

        Raises:
            NotFound: the chat was deleted meanwhile.
            StateUnusable: the file cannot be written.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._file.writing() as con:
            if chat is None:
                title = " ".join(answer.question.split())[:TITLE]
                made = con.execute(
                    "INSERT INTO chats (library, title, began) VALUES (?, ?, ?) RETURNING id",
                    [self._library, title, now],
                ).fetchone()
                chat = int(made[0])
            elif not self._has(con, chat):
                raise _missing(chat)
            con.execute(
                "INSERT INTO turns SELECT ?, coalesce(max(n), 0) + 1, ?, ? FROM turns WHERE chat = ?",
                [chat, to_text(answer), now, chat],
            )
        return chat

    def delete(self, chat: int) -> None:
        """Take a chat out of the file. Raises NotFound, StateUnusable."""
        with self._file.reading() as con:
            if con is None or not self._has(con, chat):
                raise _missing(chat)
        with self._file.writing() as con:
            con.execute("PRAGMA secure_delete = ON")
            con.execute("DELETE FROM chats WHERE id = ?", [chat])

    def _has(self, con: sqlite3.Connection, chat: int) -> bool:
        asked = con.execute("SELECT 1 FROM chats WHERE id = ? AND library = ?", [chat, self._library])
        return asked.fetchone() is not None


def _missing(chat: int) -> NotFound:
    return NotFound(f"there is no chat {chat} with this library", "inro chat --list")
