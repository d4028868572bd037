"""What is remembered of this machine: which models run here only with safe settings.

Rule: it is a hint. A missing, damaged or unwritable file costs one more crash and restart, never an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path

from inro import paths

ENTRIES_LIMIT = 200
SIZE_LIMIT = 1 << 20


class Machine:
    """The state file `machine.json`: `{"safe": [key, …]}`, replaced atomically."""

    def __init__(self, file: Path | None = None) -> None:
        """`file` defaults to `machine.json` in the user's state folder."""
        self.file = file if file is not None else paths.state_dir() / "machine.json"

    def needs_safe(self, key: str) -> bool:
        """Whether `key` (a runtime with its version, and a model) crashed here and then ran with safe

        settings.
        """
        return key in self._read()

    def remembered(self) -> list[str]:
        """Every key that needs safe settings here, the oldest first."""
        return self._read()

    def remember_safe(self, key: str) -> None:
        """Keep that `key` needs safe settings here."""
        keys = self._read()
        if key in keys:
            return
        keys = [*keys, key][-ENTRIES_LIMIT:]
        with contextlib.suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".machine-", suffix=".json", dir=self.file.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as out:
                    json.dump({"safe": keys}, out, indent=1)
                Path(name).replace(self.file)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise

    def _read(self) -> list[str]:
        try:
            if self.file.stat().st_size > SIZE_LIMIT:
                return []
            stored = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return []
        keys = stored.get("safe") if isinstance(stored, dict) else None
        return [k for k in keys if isinstance(k, str)] if isinstance(keys, list) else []
