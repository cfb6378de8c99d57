"""Read labelled claims, and arrange them as a checker or a reader reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]

from bench.datasets.pairs import LABELS, LabelledPair
from bench.datasets.reading import records_of
from chat.evidence.judgements import Evidence, Label
from chat.reader.long_statements import MAX_STATEMENT_CHARS
from chat.verification.entailment.windows import windows
from corpus.encoders.pairs import MAX_TOKENS, PairTokenizer, Window, windows_of
from evaluation.datasets.types import DatasetError

Row = Mapping[str, Any]
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_LABELLED = {
    "required": ["text", "label"],
    "properties": {"text": _TEXT, "label": {"enum": list(LABELS)}},
}
_ASKED = {"required": ["text"], "properties": {"text": _TEXT}}
_KEYS = {
    **dict.fromkeys(("id", "title", "heading", "statement"), _TEXT),
    **dict.fromkeys(("before", "after", "true"), _TEXTS),
    "false": {"type": "array", "items": {"type": "object", **_LABELLED}},
    "questions": {"type": "array", "items": {"type": "object", **_ASKED}},
}
_FORM = jsonschema.Draft202012Validator(
    {"type": "object", "required": list(_KEYS), "properties": _KEYS}
)


@dataclass(frozen=True)
class Example:
    """One input; `right` is a label's place, or that of a window's statement (-1: none answers)."""

    window: Window
    right: int


def read_rows(paths: Sequence[Path]) -> list[Row]:
    """Read rows as `evaluate silver` writes them. Raises DatasetError with file and row."""
    rows: list[Row] = []
    for path in paths:
        for number, row in enumerate(records_of(path), start=1):
            for error in _FORM.iter_errors(row):
                place = f"{path.name}, row {number}, {error.json_path}"
                why = f"{place} is not as `evaluate silver` writes it ({error.validator})."
                raise DatasetError(why, hint="Nothing was trained.")
            rows.append({"doc": row["title"], **row})
    return rows


def divided(rows: Sequence[Row], *, held: float, seed: int) -> tuple[list[Row], ...]:
    """Return rows to train on, to stop by and to judge by; no document is in two of them.

    `held` is the share of documents in the last two together, drawn by the seed. Raises
    DatasetError if a part stays empty.
    """
    names = {row["doc"] for row in rows}
    order = sorted(names, key=lambda doc: hashlib.sha256(f"{seed} {doc}".encode()).hexdigest())
    half = round(len(order) * held / 2)
    groups = set(order[2 * half :]), set(order[half : 2 * half]), set(order[:half])
    parts = tuple([row for row in rows if row["doc"] in group] for group in groups)
    if not all(parts):
        why = f"{len(order)} documents can't be divided into three parts."
        raise DatasetError(why, hint="Nothing was trained. Give more documents or a larger --held.")
    return parts


def pairs_of(rows: Sequence[Row]) -> tuple[LabelledPair, ...]:
    """Return each claim once, with its statement under title and heading."""
    found: dict[tuple[str, str], LabelledPair] = {}
    for row in rows:
        context = "\n".join(filter(None, (row["title"], row["heading"])))
        labelled = [(text, Label.SUPPORTED) for text in row["true"]]
        labelled += [(each["text"], Label(each["label"])) for each in row["false"]]
        for number, (claim, label) in enumerate(labelled):
            pair = LabelledPair(f"{row['id']}/{number}", claim, row["statement"], label, context)
            found.setdefault((claim, row["statement"]), pair)
    return tuple(found.values())


def checker_examples(rows: Sequence[Row], tokenizer: PairTokenizer) -> Iterator[Example]:
    """Yield each pair as the checker reads it, with the first window of its evidence."""

    def sizes(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokenizer.encode(texts)]

    for pair in pairs_of(rows):
        evidence = Evidence((pair.evidence,), pair.context)
        limit = MAX_TOKENS - sizes([pair.claim])[0] - 3  # the marks of a pair
        for text in windows(evidence, limit=limit, measure=sizes)[:1]:
            (window,) = windows_of(tokenizer, pair.claim, [text])
            yield Example(window, LABELS.index(pair.label))


def reader_examples(rows: Sequence[Row], tokenizer: PairTokenizer) -> Iterator[Example]:
    """Yield each question with its passage, and with one of the next document as unanswered."""
    for place, row in enumerate(rows):
        after = (rows[(place + step) % len(rows)] for step in range(1, len(rows)))
        other = next((each for each in after if each["doc"] != row["doc"]), None)
        for asked in row["questions"]:
            yield from _windows(asked["text"], row, 1 + len(row["before"]), tokenizer)
            if other:
                yield from _windows(asked["text"], other, -1, tokenizer)


def _windows(question: str, row: Row, right: int, tokenizer: PairTokenizer) -> Iterator[Example]:
    """Yield a passage's windows; statement 0 is its heading, which never answers."""
    texts = [*row["before"], row["statement"], *row["after"]]
    heading = " > ".join(filter(None, (row["title"], row["heading"])))
    shown = [heading, *(text[:MAX_STATEMENT_CHARS] for text in texts)]
    for window in windows_of(tokenizer, question, shown):
        places = [piece.statement for piece in window.pieces]
        yield Example(window, places.index(right) if right in places else -1)
