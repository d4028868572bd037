"""Documents read from the library once and kept while they are likely to be wanted again.

Called from worker threads; `get` may block on the index file, `known` never does.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from inro.records import DocumentView
from inro_tui.facade import Facade

_KEPT = 24
_KEPT_CHARACTERS = 8_000_000


class Documents:
    """The last documents that were looked at."""

    def __init__(self, library: Facade) -> None:
        self._library = library
        self._views: OrderedDict[int, DocumentView] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, document: int) -> DocumentView | None:
        """The document if it is at hand."""
        with self._lock:
            view = self._views.get(document)
            if view is not None:
                self._views.move_to_end(document)
            return view

    def get(self, document: int) -> DocumentView:
        """The document, read if need be."""
        view = self.known(document)
        if view is None:
            view = self._library.show(document)
            with self._lock:
                self._views[document] = view
                self._trim()
        return view

    def forget(self) -> None:
        """After a sync nothing kept can be trusted."""
        with self._lock:
            self._views.clear()

    def _trim(self) -> None:
        size = sum(len(view.text) for view in self._views.values())
        while len(self._views) > 1 and (len(self._views) > _KEPT or size > _KEPT_CHARACTERS):
            _, view = self._views.popitem(last=False)
            size -= len(view.text)
