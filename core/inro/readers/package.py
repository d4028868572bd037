"""Office Open XML packages: parts, the relationships between them, and what the package declares of itself.

Shared by Word, Excel and PowerPoint files. A relationship's target is resolved inside the package; external
targets are links and are never followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from inro.errors import Unreadable
from inro.readers.container import Container
from inro.readers.draft import Draft
from inro.readers.xml_tree import all_text, attribute, below, children, local, parse

_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "created": "created",
    "modified": "modified",
    "lastModifiedBy": "editor",
}


@dataclass(frozen=True, slots=True)
class Relation:
    """What one part says of another."""

    kind: str
    """The last word of its type: `slide`, `hyperlink`, `footnotes`."""
    target: str
    """A part's path in the package, or an external target as written."""
    external: bool


class Package:
    """The parts of one file. Raises `Unreadable` as `Container` does."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._container = Container(data, name)

    def main(self, usual: str) -> str:
        """The path of the main part. Raises `Unreadable` if there is none."""
        found = next((r.target for r in self.relations("").values() if r.kind == "officeDocument"), usual)
        path = self._container.find(found) or self._container.find(usual)
        if path is None:
            raise Unreadable(f"a zip file, but no such document: {self.name}", "check what program wrote it")
        return path

    def tree(self, path: str) -> Element | None:
        """The tree of a part; None if it is not there."""
        data = self._container.maybe(path)
        return None if data is None else parse(data, f"{path} in {self.name}")

    def optional(self, path: str, draft: Draft) -> Element | None:
        """The tree of a part that the document can be read without; damage is noted in the draft."""
        try:
            return self.tree(path)
        except Unreadable as e:
            draft.problems.append(e.message)
            return None

    def bytes(self, path: str) -> bytes | None:
        """A part as it is; None if it is not there."""
        return self._container.maybe(path)

    def relations(self, path: str) -> dict[str, Relation]:
        """Relationships of a part (`""`: of the package) by their ids; none if they are damaged."""
        folder, _, leaf = path.rpartition("/")
        try:
            root = self.tree(f"{folder}/_rels/{leaf}.rels")
        except Unreadable:
            return {}
        found: dict[str, Relation] = {}
        for relation in children(root, "Relationship"):
            target = relation.get("Target", "")
            external = relation.get("TargetMode") == "External"
            if not external:
                target = target if target.startswith("/") else f"{folder}/{target}"
                target = self._container.find(target) or target
            found[relation.get("Id", "")] = Relation(relation.get("Type", "").rsplit("/", 1)[-1], target, external)
        return found

    def related(self, path: str, kind: str) -> list[str]:
        """Paths of the parts that a part has of one kind."""
        return [r.target for r in self.relations(path).values() if r.kind == kind and not r.external]

    def declare(self, draft: Draft) -> str:
        """Put the core properties into the draft's fields; the title, empty if there is none."""
        root = self.optional("docProps/core.xml", draft)
        for element in root if root is not None else ():
            key = _PROPERTIES.get(local(element))
            if key:
                draft.declare(key, all_text(element))
        return draft.declared("title")

    def drawings(self, path: str, draft: Draft) -> list[str]:
        """The words of charts and diagrams that a part refers to, a block each."""
        texts: list[str] = []
        for relation in self.relations(path).values():
            if relation.external or relation.kind not in ("chart", "chartEx", "diagramData"):
                continue
            root = self.optional(relation.target, draft)
            words = [all_text(e) for e in below(root, "p") if all_text(e)]
            for cache in (*below(root, "strCache"), *below(root, "numCache")):
                line = ", ".join(all_text(v) for v in list(below(cache, "v"))[:200])
                if line:
                    words.append(line)
            texts.append("\n".join(dict.fromkeys(words)))
        return [t for t in texts if t]


def on(element: Element | None, usual: bool = True) -> bool:
    """Whether a switch element is set: there, and not `val="0"` or `false`."""
    if element is None:
        return False
    return attribute(element, "val", "1" if usual else "0").lower() not in ("0", "false", "off", "none")
