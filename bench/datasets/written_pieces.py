"""Render tables, lists and passages that were written to train a checker and a reader.

`written_pieces.jsonl.gz` holds 320 made-up pieces of guidelines, our own text, with 7,777 claims
and 2,862 questions about their parts, written one by one. Argument: the folder to write
`checker/pieces.jsonl` and `reader/pieces.jsonl` to, for `manage.py train checker|reader --data`.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.statements.table_rows import labelled

PIECES = Path(__file__).with_name("written_pieces.jsonl.gz")
SOURCE = "written_pieces"
SEED = 2
ASKED, NEIGHBOUR, OTHER = 0.55, 0.3, 0.5  # shares: question above, statement beside, other piece
_PARTS = {"table": "rows", "list": "items", "passage": "statements"}

Piece = Mapping[str, Any]


def pieces() -> list[Piece]:
    """Read the pieces, in order."""
    with gzip.open(PIECES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def parts_of(piece: Piece) -> list[str]:
    """Return a piece's statements as an answer shows them: rows with heads, items with lead-in."""
    found = piece[_PARTS[piece["kind"]]]
    if piece["kind"] == "table":
        return [labelled(piece["heads"], row) for row in found]
    return [f"{piece['lead_in']} {item}" for item in found] if "lead_in" in piece else list(found)


def checker_rows(piece: Piece, chance: random.Random) -> Iterator[dict[str, str]]:
    """Yield claims with the evidence that the checker is shown, and their labels."""
    for number, about in enumerate(piece["claims"]):
        asked = [question["text"] for question in about["questions"]]
        said = [(text, "supported") for text in about["true"]]
        said += [(one["text"], one["label"]) for one in about["false"]]
        for place, (claim, label) in enumerate(said):
            yield {
                "id": f"{piece['id']}-{number}-{place}",
                "source": SOURCE,
                "claim": claim,
                "evidence": _evidence(piece, about["about"], asked, chance),
                "label": label,
            }


def reader_rows(
    piece: Piece, others: Sequence[Piece], chance: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield questions with passages that answer them, or don't."""
    asked = [(q["text"], one["about"]) for one in piece["claims"] for q in one["questions"]]
    asked += [(text, []) for text in piece.get("unanswerable", ())]
    for number, (question, about) in enumerate(asked):
        yield _reader_row(f"{piece['id']}-{number}", question, piece, about)
        if chance.random() < OTHER:
            other = chance.choice([each for each in others if each is not piece])
            yield _reader_row(f"{piece['id']}-{number}-{other['id']}", question, other, ())


def _evidence(
    piece: Piece, about: Sequence[int], asked: Sequence[str], chance: random.Random
) -> str:
    parts, shown = parts_of(piece), set(about)
    if piece["kind"] == "passage" and chance.random() < NEIGHBOUR:
        shown |= {max(0, about[0] - 1)}
    above = [chance.choice(asked)] if asked and chance.random() < ASKED else []
    above += [_heading(piece), piece.get("caption", ""), *piece.get("notes", ())]
    return "\n".join(filter(None, [*above, *(parts[place] for place in sorted(shown))]))


def _reader_row(key: str, question: str, piece: Piece, about: Sequence[int]) -> dict[str, Any]:
    caption = piece.get("caption", "")[:200]
    parts = [f"{caption}: {part}" if caption else part for part in parts_of(piece)]
    lines = [" ".join(line.split()) for line in (_heading(piece), *parts)]
    starts = [sum(len(line) + 1 for line in lines[:place]) for place in range(len(lines))]
    answers = [{"start": starts[place + 1], "text": lines[place + 1]} for place in about]
    return {
        "id": key,
        "source": SOURCE,
        "question": question,
        "passage": "\n".join(lines),
        "answers": answers,
        "unit": "line",
        "document": piece["id"],
    }


def _heading(piece: Piece) -> str:
    return f"{piece['title']} > {piece['section']}"


def main(out: Path) -> None:
    """Write the rows of both models, the same on each call."""
    chance, every = random.Random(SEED), pieces()  # noqa: S311
    rows = {
        "checker": [row for piece in every for row in checker_rows(piece, chance)],
        "reader": [row for piece in every for row in reader_rows(piece, every, chance)],
    }
    for name, found in rows.items():
        (out / name).mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in found)
        (out / name / "pieces.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
