"""Every error a person may meet, in one tree.

    InroError
    ├── UsageError              what was typed cannot be done as typed
    │   ├── PathMissing         a path that is not there
    │   └── NotFound            a document, source or model name that is not in the library
    ├── LibraryError            the index file
    │   ├── NotAnIndex          the file is something else, or damaged beyond reading
    │   ├── LibraryMissing      no index at that path yet
    │   ├── EmptyLibrary        a question to a library that holds nothing
    │   ├── FormatTooNew        written by a newer release
    │   ├── FormatTooOld        needs `inro migrate`
    │   ├── KeyNeeded           the file is encrypted and no key was given
    │   ├── WrongKey            the file is encrypted with another key
    │   ├── LibraryBusy         another process holds the file past the deadline
    │   └── WriteFailed         disk full, read-only medium, permission
    ├── ModelError              models and the processes that run them
    │   ├── ModelMissing        a file that is not here: name, size, sha256 and the command that brings it
    │   ├── ModelDamaged        a file whose hash or shape is not the listed one
    │   ├── FetchFailed         the network or the archive did not give what was asked
    │   ├── WorkerCrashed       the child process that ran a model died
    │   ├── EmbedderChanged     vectors of another embedder than the one that is set
    │   └── LaneLate            a lane of the search did not answer within its time
    ├── StateUnusable           the file of chats cannot be read or written
    ├── ConfigError             a settings file that cannot be read, or a key it may not hold
    └── Unreadable              one document; recorded as its outcome, never raised out of a sync

Each message says what happened and names the value; `mend` says what to type or do next.
`exit_code` is what the command line returns: scripts rely on the numbers.
"""

from __future__ import annotations


class InroError(Exception):
    """Something the user can understand and mend."""

    exit_code = 1

    def __init__(self, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What happened, with the value it happened to; one line, no full stop needed."""
        self.mend = mend
        """What to type or do next; empty when nothing helps."""

    def __str__(self) -> str:
        return f"{self.message}. Do: {self.mend}" if self.mend else self.message

    @property
    def brief(self) -> str:
        """The same for a remark beside something that went well without: what and what to do, no particulars."""
        return str(self)


class UsageError(InroError):
    """What was typed cannot be done as typed."""

    exit_code = 2


class PathMissing(UsageError):
    """A path that is not there."""


class NotFound(UsageError):
    """A document, source or model name that is not in the library."""


class LibraryError(InroError):
    """The index file cannot be used as asked."""

    exit_code = 3


class NotAnIndex(LibraryError):
    """The file is something else, or damaged beyond reading."""


class LibraryMissing(LibraryError):
    """There is no index at that path yet."""


class EmptyLibrary(LibraryError):
    """A question to a library that holds nothing."""


class FormatTooNew(LibraryError):
    """The index was written by a newer release."""


class FormatTooOld(LibraryError):
    """The index was written by an older release and must be migrated by name."""


class KeyNeeded(LibraryError):
    """The file is encrypted and no key was given."""


class WrongKey(LibraryError):
    """The file is encrypted with another key."""


class LibraryBusy(LibraryError):
    """Another process holds the file past the deadline."""

    exit_code = 4


class WriteFailed(LibraryError):
    """The medium refused the write; the file is as it was."""


class ModelError(InroError):
    """A model, or the process that runs it."""

    exit_code = 5


class ModelMissing(ModelError):
    """A model file that is not here."""

    def __init__(self, message: str, mend: str = "", brief: str = "") -> None:
        super().__init__(message, mend)
        self._brief = brief

    @property
    def brief(self) -> str:
        return self._brief or str(self)


class ModelDamaged(ModelError):
    """A model file whose hash or shape is not the listed one."""


class FetchFailed(ModelError):
    """The network or the archive did not give what was asked."""


class WorkerCrashed(ModelError):
    """The child process that ran a model died."""


class EmbedderChanged(ModelError):
    """The library's vectors are those of another embedder than the one at hand; the two are never compared."""


class LaneLate(ModelError):
    """A lane of the search did not answer within its time; what it is at is still being done."""


class StateUnusable(InroError):
    """The file in which this machine's chats are remembered cannot be used; the library is untouched."""


class ConfigError(InroError):
    """A settings file that cannot be read, or a key it may not hold."""

    exit_code = 2


class Unreadable(InroError):
    """One document cannot be read; a sync records it as the outcome and goes on."""
