"""The app on the library in memory."""

from __future__ import annotations

import pytest
from in_memory import FakeLibrary, build

from inro.errors import InroError, ModelMissing
from inro_tui.app import InroApp
from inro_tui.strings import choose


@pytest.fixture
def library() -> FakeLibrary:
    """The small library."""
    return FakeLibrary()


@pytest.fixture
def app(library: FakeLibrary) -> InroApp:
    """The app on the small library, in English, in dark colours, its caret steady."""
    return build(library)


@pytest.fixture
def japanese(library: FakeLibrary) -> InroApp:
    """The app on the small library, in Japanese."""
    return build(library, choose({}, "ja"))


@pytest.fixture
def missing_model() -> InroError:
    """The error of a model that is not here."""
    return ModelMissing("the model smollm2-135m-instruct is not here", "inro models fetch")
