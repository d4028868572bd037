"""A Kiwix file as a shelf: its own index finds articles, the rest is as with any library."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from inro.errors import NotAnIndex
from inro.library import Library
from inro.records import AnswerDone
from inro.reference import attach
from inro.shelves.zim import Zim, is_zim, queries

ARTICLES = {
    **{f"Town_{n}": f"<p>A town of {n} thousand people on the river {n}, with a market.</p>" for n in range(2, 14)},
    "Kiln": "<p>A kiln is lined with brick.</p>",
    "Silica_gel": "<p>Silica gel in a desiccator is regenerated at 120 degrees.</p><script>x()</script>",
    "シリカゲル": "<p>シリカゲルは湿気を吸う。120℃で再生する。</p>",
}


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How hot is a kiln heated?", {"hot", "kiln", "heated"}),
        ("シリカゲルは何度で再生しますか", {"シリカゲル", "再生"}),
        ("硅胶在多少度再生？", {"硅胶在", "度再生"}),
        ("ISO 9001", {"ISO", "9001"}),
    ],
)
def test_a_question_is_broken_into_its_words(question: str, words: set[str]) -> None:
    found = queries(question)
    assert set(found[0].split()) >= {word.casefold() for word in words}
    assert {word.casefold() for word in words} <= set(found)


def test_what_has_no_words_is_asked_as_it_is() -> None:
    assert queries("?!") == ["?!"]


@pytest.fixture(scope="module")
def encyclopedia(tmp_path_factory: pytest.TempPathFactory) -> Path:
    writer: Any = pytest.importorskip("libzim.writer", reason="libzim is not installed: pip install 'inro[zim]'")

    class Article(writer.Item):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def get_path(self) -> str:
            return self.name

        def get_title(self) -> str:
            return self.name.replace("_", " ")

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> Any:
            title = self.get_title()
            return writer.StringProvider(
                f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{ARTICLES[self.name]}</body></html>"
            )

        def get_hints(self) -> dict[Any, Any]:
            return {writer.Hint.FRONT_ARTICLE: True}

    file = tmp_path_factory.mktemp("zim") / "tiny.zim"
    with writer.Creator(file).config_indexing(True, "eng") as creator:
        creator.set_mainpath("Kiln")
        for name in ARTICLES:
            creator.add_item(Article(name))
        creator.add_metadata("Title", "Tiny")
        creator.add_metadata("Language", "eng")
    return file


@pytest.mark.parametrize(
    ("question", "said", "path"),
    [
        ("At what temperature is silica gel in a desiccator regenerated?", "120 degrees", "Silica_gel"),
        ("シリカゲルは何度で再生しますか？", "120℃", "シリカゲル"),
    ],
)
def test_an_article_answers(own: Library, encyclopedia: Path, question: str, said: str, path: str) -> None:
    attach(own, encyclopedia, "Encyclopedia")
    *_, last = own.ask(question, shelves=True)
    assert isinstance(last, AnswerDone)
    assert last.answer.shelf == "Encyclopedia"
    assert said in last.answer.answer
    cited = {n for sentence in last.answer.sentences for n in sentence.citations}
    sources = [source for source in last.answer.sources if source.n in cited]
    assert path in {source.path for source in sources}
    assert not any("x()" in source.quote for source in last.answer.sources)


def test_the_best_article_comes_first(encyclopedia: Path) -> None:
    with Zim(encyclopedia) as zim:
        assert next(path for path, _ in zim.articles("silica gel of a desiccator")) == "Silica_gel"
        assert list(zim.articles("zzzz")) == []


def test_a_damaged_file_is_refused(own: Library, encyclopedia: Path, tmp_path: Path) -> None:
    whole = encyclopedia.read_bytes()
    for n, data in enumerate((whole[:200], whole[:4] + bytes(4096), b"ZIM\x04")):
        file = tmp_path / f"{n}.zim"
        file.write_bytes(data)
        assert is_zim(file)
        with pytest.raises(NotAnIndex):
            attach(own, file)


def test_without_libzim_it_says_what_to_install(own: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inro.errors import UsageError

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    file = tmp_path / "some.zim"
    file.write_bytes(b"ZIM\x04" + bytes(100))
    with pytest.raises(UsageError, match=r"inro\[zim\]"):
        attach(own, file)
