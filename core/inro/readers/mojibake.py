"""Text that was spoilt before it was saved: UTF-8 read as a legacy encoding and written out again.

The proof is the way back: if the non-ASCII runs of the text, written in the legacy encoding, are valid
multi-byte UTF-8, they were UTF-8 once. Real text passes that test by accident about never. Knows only this
kind of damage, and lost characters where they are a tenth of the text.
"""

from __future__ import annotations

import re

_SAMPLE = 8000
_MOST_RUNS = 200
_RUN = re.compile(r"[^\x00-\x7f]{2,}(?:[ -~]?[^\x00-\x7f]+)*")
_SUSPECTS = (("cp1252", "Windows-1252"), ("latin_1", "Latin-1"), ("cp932", "Shift_JIS"), ("gb18030", "GBK"))
_SHIFT_JIS_DEBRIS = "縺繧繝"
"""What the first bytes of kana in UTF-8 become in Shift_JIS; none is in common use. Bytes that Shift_JIS does
not know were lost, so that there is no way back and they have to be counted."""
_LEAST_CHARACTERS = 8
"""Characters that must come back before the text is called spoilt."""


def wrongly_decoded(text: str) -> str:
    """In words, what happened to the text; empty if nothing of the kind did."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return ""
    if sample.count("\ufffd") * 10 > len(sample):
        return "a tenth of the characters are lost"
    if sample.count("锟斤拷") >= 3:
        return "characters were lost and then read as GBK"
    wide = len(sample) - len(sample.encode("ascii", "ignore"))
    if (debris := sum(map(sample.count, _SHIFT_JIS_DEBRIS))) >= _LEAST_CHARACTERS and debris * 8 > wide:
        return "UTF-8 that was read as Shift_JIS and saved again"
    runs = _RUN.findall(sample)[:_MOST_RUNS]
    total = sum(map(len, runs))
    if total < 2 * _LEAST_CHARACTERS:
        return ""
    for encoding, label in _SUSPECTS:
        spoilt = came_back = 0
        for run in runs:
            back = _undone(run, encoding)
            if back is not None:
                spoilt += len(run)
                came_back += sum(1 for c in back if c > "\x7f")
        if came_back >= _LEAST_CHARACTERS and spoilt * 2 > total:
            return f"UTF-8 that was read as {label} and saved again"
    return ""


def _undone(run: str, encoding: str) -> str | None:
    """The run before it was misread, if its bytes in `encoding` are UTF-8 of characters beyond Latin-1."""
    try:
        data = run.encode(encoding)
    except UnicodeEncodeError:
        return None
    if encoding == "gb18030" and len(data) > 2 * len(run):
        return None
    # The misreading may have cut a character at the end of the run.
    for cut in range(max(1, min(3, len(data) - 1))):
        try:
            back = data[: len(data) - cut].decode("utf-8")
        except UnicodeDecodeError:
            continue
        wide = sum(1 for c in back if c > "\x7f")
        return back if wide and all(c > "\x9f" or c < "\x80" for c in back) else None
    return None
