"""Sentences of the sets with one number changed, put to the check as if a model had said them.

    python tests/bench/altered.py
    python tests/bench/altered.py --count 900 --seed 7

Each sentence cites the very passage it is from, so all but one number of it is true: a digit changed, two turned round,
one added, or the number moved by a little. Printed are the share that the check marks, those it lets pass although the
passage nowhere has the digits (some have them in words: `二十五`), and how many unchanged sentences it marks wrongly.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from generated import claims
from quality_sets import shared

from inro.answer.verify import Checker
from inro.records import Answer, SourcePassage
from inro.text.analyse import Analyser
from inro.text.sentences import sentences

SETS = ("xquad-en", "ja-jsquad", "zh-cmrc2018")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=shared())
    parser.add_argument("--count", type=int, default=600, help="sentences a set")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance, analyser = random.Random(given.seed), Analyser()
    for name in SETS:
        asked = marked = wrongly = 0
        passed: list[str] = []
        for source, sentence in chosen(given.shared / "eval" / name, given.count, chance):
            checker = Checker([source], analyser, lambda keys: np.ones(len(keys)))
            wrongly += not checker.sentence(sentence, (1,)).supported
            said = checker.sentence(altered(sentence, chance), (1,))
            asked += 1
            marked += not said.supported
            told = Answer("", f"{said.text} [1]", False, "model", (said,), (source,), ())
            passed += [f"{what}: {text}" for kind, what, text, found in claims(told) if kind == "number" and not found]
        print(f"{name}: {asked} altered, {marked} marked, {len(passed)} numbers let pass that the passage has not; "
              f"of the unchanged {wrongly} marked")  # fmt: skip
        for one in passed:
            print(f"    {one}")


def chosen(folder: Path, count: int, chance: random.Random) -> Iterator[tuple[SourcePassage, str]]:
    """Passages, each with one of its sentences that has a number."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    chance.shuffle(rows)
    for row in rows:
        text = row["text"]
        fit = [text[a:b] for a, b in sentences(text) if re.search(r"[0-9]", text[a:b])]
        if fit and count > 0:
            count -= 1
            yield SourcePassage(1, 1, f"{row['id']}.md", row["title"], "", None, 0, len(text), text), chance.choice(fit)


def altered(sentence: str, chance: random.Random) -> str:
    """The sentence with one of its numbers changed."""
    number = chance.choice(list(re.finditer(r"[0-9]+", sentence)))
    digits = number.group()
    at = chance.randrange(len(digits))
    ways = [
        digits[:at] + str((int(digits[at]) + chance.randint(1, 9)) % 10) + digits[at + 1 :],
        digits[::-1] if digits[::-1] != digits else f"9{digits}",
        digits + str(chance.randint(0, 9)),
        str(int(digits) + chance.choice([1, 10, 100])),
    ]
    return sentence[: number.start()] + chance.choice(ways) + sentence[number.end() :]


if __name__ == "__main__":
    main()
