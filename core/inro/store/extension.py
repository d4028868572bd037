"""DuckDB's full-text extension, loaded from the wheel it came in.

Nothing is ever installed: the signed file is loaded by its path, which writes nothing and needs no network.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import duckdb

from inro.errors import LibraryError


def fts_file() -> Path:
    """Where the extension that fits this DuckDB lies.

    Raises:
        LibraryError: the wheel is missing or carries another version.
    """
    version = f"v{duckdb.__version__}"
    spec = importlib.util.find_spec("duckdb_extension_fts")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "extensions" / version / "fts.duckdb_extension"
        if file.is_file():
            return file
    raise LibraryError(
        f"DuckDB's full-text extension for {version} is not installed",
        f"pip install duckdb-extension-fts=={duckdb.__version__}",
    )


def load_fts(con: duckdb.DuckDBPyConnection) -> None:
    """Load the extension into a connection that still may reach outside itself (about 35 ms).

    Raises:
        LibraryError: the wheel is missing, or the file in it is refused.
    """
    file = str(fts_file()).replace("'", "''")
    try:
        con.execute(f"LOAD '{file}'")
    except duckdb.Error as e:
        raise LibraryError(
            f"DuckDB's full-text extension could not be loaded: {str(e).splitlines()[0]}",
            f"pip install --force-reinstall duckdb-extension-fts=={duckdb.__version__}",
        ) from e
