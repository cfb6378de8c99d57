"""Write guidelines that nobody wrote claims about as HTML files, to ask new questions of.

Arguments: the folder that holds `guidelines.jsonl.gz` and `statements.jsonl.gz`, and the folder to
write to, which must be empty.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from evaluation.folders import refuse_unwritable, refuse_used

COUNT = 40
LEAST_PASSAGES = 5
LEAST_STATEMENTS = 25


@dataclass(frozen=True)
class Guideline:
    """A guideline's passages, each a heading and its statements."""

    id: str
    title: str
    passages: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def is_long_enough(self) -> bool:
        """Tell whether there is enough in it to ask about."""
        statements = sum(len(statements) for _, statements in self.passages)
        return len(self.passages) >= LEAST_PASSAGES and statements >= LEAST_STATEMENTS


def unused_guidelines(source: Path, *, count: int = COUNT) -> list[Guideline]:
    """Return the first `count` long enough guidelines without a claim, by the hash of their id."""
    used = {str(row["doc"]) for row in _rows(source / "statements.jsonl.gz")}
    found = map(_guideline, _rows(source / "guidelines.jsonl.gz"))
    unused = [each for each in found if each.id not in used and each.is_long_enough]
    return sorted(unused, key=lambda each: hashlib.sha256(each.id.encode()).digest())[:count]


def page(guideline: Guideline) -> str:
    """Return the guideline as an HTML page with one paragraph for each statement."""
    title = escape(guideline.title)
    lines = ["<!DOCTYPE html>", '<html lang="en">', '<head><meta charset="utf-8">']
    lines += [f"<title>{title}</title></head>", "<body>", f"<h1>{title}</h1>"]
    for heading, statements in guideline.passages:
        lines += [f"<h2>{escape(heading)}</h2>"] if heading else []
        lines += [f"<p>{escape(statement)}</p>" for statement in statements]
    return "\n".join([*lines, "</body>", "</html>", ""])


def main(source: Path, out: Path) -> None:
    refuse_used(out)
    refuse_unwritable(out)
    guidelines = unused_guidelines(source)
    out.mkdir(parents=True, exist_ok=True)
    for guideline in guidelines:
        (out / f"{guideline.id}.html").write_text(page(guideline), encoding="utf-8")


def _rows(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _guideline(row: Any) -> Guideline:
    passages: Sequence[tuple[str, Sequence[str]]] = row["passages"]
    read = tuple((heading, tuple(statements)) for heading, statements in passages)
    return Guideline(row["id"], row["title"], read)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
