"""Where Inro keeps things on this machine: XDG folders on Linux, the Library folders on macOS.

Every function takes the environment into account at call time, so a test or a script can move all of it.
Nothing here creates a folder; whoever writes makes the folder it writes to.
"""

from __future__ import annotations

import os
from pathlib import Path

APP = "inro"


def _user_dir(kind: str) -> Path:
    # platformdirs honours XDG_* on Linux at call time
    import platformdirs

    home = os.environ.get("INRO_HOME")
    if home:
        return Path(home) / kind
    table = {
        "data": platformdirs.user_data_path,
        "state": platformdirs.user_state_path,
        "cache": platformdirs.user_cache_path,
        "config": platformdirs.user_config_path,
    }
    return Path(table[kind](APP, appauthor=False))


def data_dir() -> Path:
    """The user's own data: the default library and the models."""
    return _user_dir("data")


def state_dir() -> Path:
    """What can be lost without losing knowledge: chats, remembered safe settings, logs."""
    return _user_dir("state")


def cache_dir() -> Path:
    """What is made again on demand: compiled kernels, evaluation indexes."""
    return _user_dir("cache")


def config_dir() -> Path:
    """The settings file."""
    return _user_dir("config")


def models_dir() -> Path:
    """The folder of model files: `$INRO_MODELS`, else `models` in the data folder."""
    override = os.environ.get("INRO_MODELS")
    return Path(override) if override else data_dir() / "models"


def default_library() -> Path:
    """The index file used when none is named: `$INRO_LIBRARY`, else `library.inro` in the data folder."""
    override = os.environ.get("INRO_LIBRARY")
    return Path(override) if override else data_dir() / "library.inro"


def kernel_cache_dir() -> Path:
    """Compiled kernels live in the user's cache, so that a read-only install works."""
    return cache_dir() / "kernels"
