"""A reviewed answer as a note of the user's own: written anew from the question and the passages it cites.

Rule: no word of the reply goes in, a model's least of all. The title is from the sources, personal data is masked, each
quotation says where it is from, and a file that is there is never written over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from inro.answer.context import plain
from inro.answer.markdown import cited, escaped, quoted
from inro.errors import UsageError
from inro.records import Answer
from inro.shelves.masking import masked

LONGEST_NAME = 80
TRIES = 1000
_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|#^\[\]]+')


def title_of(answer: Answer) -> str:
    """The titles of the cited documents, the first two of them."""
    titles = list(dict.fromkeys(" ".join(plain(s.title).split()) for s in cited(answer)))
    return "; ".join(title for title in titles[:2] if title) or answer.shelf


def note(answer: Answer, on: date, names: Sequence[str] = ()) -> str:
    """The note as Markdown.

    Raises:
        UsageError: nothing is cited, so that there is nothing to write.
    """
    passages = cited(answer)
    if not passages:
        raise UsageError("this answer cites nothing", "inro review reject N")
    parts = [
        f"# {escaped(masked(title_of(answer), names))}",
        f"Question: {escaped(masked(answer.question, names))}",
    ]
    for source in passages:
        safe = replace(
            source,
            title=masked(source.title, names),
            heading=masked(source.heading, names),
            path=masked(source.path, names),
            quote=masked(source.quote, names),
        )
        parts.append(quoted(safe))
    parts.append(f"*Quoted from the shelf {escaped(answer.shelf)}, taken in on {on.isoformat()}.*")
    return "\n\n".join(parts) + "\n"


def write(answer: Answer, folder: Path, on: date, names: Sequence[str] = ()) -> Path:
    """Write the note into a folder under its title; the file.

    Raises:
        UsageError: the folder is not there or cannot be written, or nothing is cited.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", "--into FOLDER")
    text = note(answer, on, names)
    stem = _UNFIT.sub(" ", masked(title_of(answer), names))
    stem = " ".join(stem.split())[:LONGEST_NAME].strip(". ") or "note"
    for n in range(1, TRIES):
        file = folder / (f"{stem}.md" if n == 1 else f"{stem} {n}.md")
        try:
            with file.open("x", encoding="utf-8") as out:
                out.write(text)
        except FileExistsError:
            continue
        except OSError as e:
            raise UsageError(f"{file} cannot be written: {e.strerror}", "--into FOLDER, for another folder") from e
        return file
    raise UsageError(f"{folder} has {TRIES} notes called {stem}", "--into FOLDER, for another folder")
