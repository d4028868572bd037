"""DuckDB's extensions, each loaded from the wheel it came in: full text for titles, OpenSSL for encryption.

Nothing is ever installed: a signed file is loaded by its path, which writes nothing and needs no network.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import duckdb

from inro.errors import LibraryError


def load_fts(con: duckdb.DuckDBPyConnection) -> None:
    """Load the full-text extension into a connection that still may reach outside itself (about 35 ms).

    Raises:
        LibraryError: the wheel is missing, or the file in it is refused.
    """
    _load(con, "fts", "full-text")


def load_openssl(con: duckdb.DuckDBPyConnection) -> None:
    """Load what DuckDB needs to write an encrypted file (about 150 ms).

    It comes in the extension for remote files, which is the only one with OpenSSL in it; nothing remote is asked
    for. Reading does without: DuckDB itself knows how to decrypt.

    Raises:
        LibraryError: the wheel is missing, or the file in it is refused.
    """
    _load(con, "httpfs", "encryption")


def extension_file(name: str, purpose: str) -> Path:
    """Where the extension that fits this DuckDB lies.

    Raises:
        LibraryError: the wheel is missing or carries another version.
    """
    version = f"v{duckdb.__version__}"
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "extensions" / version / f"{name}.duckdb_extension"
        if file.is_file():
            return file
    raise LibraryError(
        f"DuckDB's {purpose} extension for {version} is not installed",
        f"pip install duckdb-extension-{name}=={duckdb.__version__}",
    )


def _load(con: duckdb.DuckDBPyConnection, name: str, purpose: str) -> None:
    file = str(extension_file(name, purpose)).replace("'", "''")
    try:
        con.execute(f"LOAD '{file}'")
    except duckdb.Error as e:
        raise LibraryError(
            f"DuckDB's {purpose} extension could not be loaded: {str(e).splitlines()[0]}",
            f"pip install --force-reinstall duckdb-extension-{name}=={duckdb.__version__}",
        ) from e
