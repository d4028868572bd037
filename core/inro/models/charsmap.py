"""Character maps in the form SentencePiece compiles them to, for the `Precompiled` normaliser of `tokenizers`.

The form: a little-endian word count in bytes, a double-array trie over UTF-8 keys, then the replacements, each
ended by NUL. A trie unit is 32 bits: an inner unit holds its label in bits 0-7, "has a value" in bit 8 and the
distance to its children (XOR) from bit 10; a value unit has bit 31 set and holds an offset into the replacements.
It knows single code points as keys, which is all that the maps here have; it does not know what they mean.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping

_HAS_VALUE = 1 << 8
_IS_VALUE = 1 << 31
_PAGE = 256
_FURTHEST = 1 << 21


class _Trie:
    """A double array that grows by pages, so that `base ^ label` never leaves it."""

    def __init__(self) -> None:
        self.units = array("I", bytes(4 * _PAGE))
        self.taken = bytearray(_PAGE)
        self.bases: set[int] = set()
        self.taken[0] = 1
        self._first_free = 1

    def place(self, labels: list[int]) -> int:
        """A base whose slots for all `labels` are free; they are taken now."""
        lead = labels[0]
        slot = self._first_free
        while not self._fits(slot, slot ^ lead, labels):
            slot += 1
        base = slot ^ lead
        for label in labels:
            self.taken[base ^ label] = 1
        # no value can be put at a base that another node has, so the search need not look there again
        self.taken[base] = 1
        self.bases.add(base)
        while self._first_free < len(self.taken) and self.taken[self._first_free]:
            self._first_free += 1
        return base

    def _fits(self, slot: int, base: int, labels: list[int]) -> bool:
        self._reach(max(slot, base))
        if self.taken[slot] or base in self.bases or not base:
            return False
        return not any(self.taken[base ^ label] for label in labels)

    def _reach(self, slot: int) -> None:
        while slot >= len(self.units):
            self.units.extend([0] * _PAGE)
            self.taken.extend(bytes(_PAGE))


def compile_charsmap(characters: Mapping[str, str]) -> bytes:
    """The compiled form of a map from single code points to replacements.

    Raises ValueError for a key that is not one code point or is NUL, and for a replacement that holds NUL:
    the form cannot say either.
    """
    replacements = bytearray()
    offsets: dict[bytes, int] = {}
    tree: dict[int, object] = {}
    for key, value in sorted(characters.items()):
        if len(key) != 1 or key == "\0" or "\0" in value:
            raise ValueError(f"a character map cannot hold {key!r} to {value!r}")
        text = value.encode("utf-8")
        if text not in offsets:
            offsets[text] = len(replacements)
            replacements += text + b"\0"
        node = tree
        for byte in key.encode("utf-8"):
            child = node.setdefault(byte, {})
            assert isinstance(child, dict)
            node = child
        node[0] = offsets[text]
    trie = _Trie()
    pending: list[tuple[int, dict[int, object]]] = [(0, tree)] if tree else []
    while pending:
        position, node = pending.pop()
        base = trie.place(sorted(node))
        distance = position ^ base
        if distance >= _FURTHEST:
            raise ValueError("the character map is too large for one trie")
        trie.units[position] |= distance << 10
        for label, child in node.items():
            slot = base ^ label
            if isinstance(child, dict):
                trie.units[slot] = label
                pending.append((slot, child))
            else:
                assert isinstance(child, int)
                trie.units[position] |= _HAS_VALUE
                trie.units[slot] = _IS_VALUE | child
    words = struct.pack(f"<{len(trie.units)}I", *trie.units)
    return struct.pack("<I", len(words)) + words + bytes(replacements)
