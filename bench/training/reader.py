"""Train the reader: it finds the statement of a passage that answers a question, if any does."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from bench.training.types import BY_SOURCE, Example, Figures, Row
from chat.gate.risk import auroc
from core.text.sentences import line_sentence_spans
from corpus.encoders.pairs import Scores, statement_odds, windows_of
from evaluation.datasets.types import DatasetError

Odds = Mapping[int, float]  # of each scored statement of a passage, by its index


class Reader:
    """A scorer trained by cross entropy over a window's statements and "none of these"."""

    name = "reader"
    what = (
        "Scores how well each statement of a passage answers a question, against none of them "
        "(`statement_odds`). top-1: the best statement holds an answer, over answered passages of "
        "two statements or more (choices). null AUROC: an answered passage scores above one "
        "without an answer. score: the mean of both, by which the weights were chosen."
    )
    outputs = 2  # of a token: that it answers; at [CLS]: that no statement does
    keys = ("question", "passage")

    def refuse_faulty(self, record: Mapping[str, Any], place: str) -> None:
        """Raise DatasetError for an answer that is not at its stated position."""
        answers, passage = record.get("answers"), record["passage"]
        if not isinstance(answers, list):
            raise DatasetError(f"{place}: answers must be a list.")
        for answer in answers:
            try:
                start, text = answer["start"], answer["text"]
                stands_there = bool(text) and passage[start : start + len(text)] == text
            except (KeyError, TypeError):
                stands_there = False
            if not stands_there:
                raise DatasetError(f"{place}: an answer does not stand at its place.")

    def examples(self, rows: Sequence[Row], tokenizer: Any, max_tokens: int) -> list[Example]:
        """Return the windows of each passage, with the statements that contain an answer."""
        found = []
        for place, row in enumerate(rows):
            right = right_statements(row)
            texts = [row.second[start:end] for start, end in _statements(row)]
            for window in windows_of(tokenizer, row.first, texts, max_tokens=max_tokens):
                pieces = enumerate(window.pieces)
                within = tuple(n for n, piece in pieces if piece.statement in right)
                found.append(Example(place, window, within))
        return found

    def loss(self, scores: torch.Tensor, examples: Sequence[Example]) -> torch.Tensor:
        """Return the mean of `-log P(right)`, where P sums over all right statements (marginal)."""
        most = max(len(example.window.pieces) for example in examples)
        means = torch.zeros((len(examples), most, scores.shape[1]))
        right = torch.zeros((len(examples), most + 1), dtype=torch.bool)
        for row, example in enumerate(examples):
            for place, piece in enumerate(example.window.pieces):
                means[row, place, piece.start : piece.end] = 1 / (piece.end - piece.start)
            right[row, list(example.right) or [most]] = True
        means, right = means.to(scores.device), right.to(scores.device)
        statements = (means @ scores[:, :, :1]).squeeze(2)
        statements = statements.masked_fill(means.sum(2) == 0, -torch.inf)
        logits = torch.cat([statements, scores[:, :1, 1]], dim=1)
        chosen = logits.masked_fill(~right, -torch.inf).logsumexp(1)
        return (logits.logsumexp(1) - chosen).mean()

    def figures(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, Figures]:
        """Return the measures by source. A passage of several windows takes its best window."""
        odds: dict[int, dict[int, float]] = defaultdict(dict)
        answerable: dict[int, float] = {}
        for example, found in zip(examples, scores, strict=True):
            here = statement_odds(example.window, found)
            odds[example.row] |= here
            any_of_them = float(np.logaddexp.reduce(list(here.values()))) if here else -np.inf
            answerable[example.row] = max(answerable.get(example.row, -np.inf), any_of_them)
        return _by_source(rows, odds, answerable)

    def calibration(
        self, rows: Sequence[Row], examples: Sequence[Example], scores: Sequence[Scores]
    ) -> dict[str, float]:
        """Return nothing: the reader's odds are weighted with other features later."""
        return {}


def _statements(row: Row) -> list[tuple[int, int]]:
    """Return spans of the passage's sentences, or of its lines if the row's unit is the line."""
    if row.record.get("unit") != "line":
        return line_sentence_spans(row.second)
    return [match.span() for match in re.finditer(r"[^\n]+", row.second)]


def right_statements(row: Row) -> frozenset[int]:
    """Return the indexes of statements that overlap an answer by half of the shorter of both."""
    spans = _statements(row)
    found = set()
    for answer in row.record["answers"]:
        first, last = answer["start"], answer["start"] + len(answer["text"])
        for place, (start, end) in enumerate(spans):
            if 2 * (min(end, last) - max(start, first)) >= min(end - start, last - first):
                found.add(place)
    return frozenset(found)


def _by_source(
    rows: Sequence[Row], odds: Mapping[int, Odds], answerable: Mapping[int, float]
) -> dict[str, Figures]:
    groups: dict[str, list[int]] = defaultdict(list)
    for place in sorted(odds):
        groups[BY_SOURCE].append(place)
        groups[rows[place].source].append(place)
    return {
        source: _figures([(rows[n], odds[n], answerable[n]) for n in places])
        for source, places in sorted(groups.items())
    }


def _figures(found: Sequence[tuple[Row, Odds, float]]) -> Figures:
    """Compute measures; top-1 is over answered passages with at least two statements.

    Passages whose answer has no known position are left out of it.
    """
    hits = list(_hits(found))
    answered = [bool(row.record["answers"]) for row, _, _ in found]
    figures: Figures = {"passages": len(found), "answerable": sum(answered), "choices": len(hits)}
    if hits:
        figures["top-1"] = float(np.mean([hit for hit, _ in hits]))
        figures["chance"] = float(np.mean([chance for _, chance in hits]))
    if 0 < sum(answered) < len(found):
        figures["null AUROC"] = auroc(
            np.array([score for _, _, score in found]), np.array(answered)
        )
    parts = [figures[name] for name in ("top-1", "null AUROC") if name in figures]
    return figures | ({"score": float(np.mean(parts))} if parts else {})


def _hits(found: Sequence[tuple[Row, Odds, float]]) -> Iterator[tuple[bool, float]]:
    """Yield whether the best statement is right, and the chance of that; the first wins a tie."""
    for row, odds, _ in found:
        right = right_statements(row)
        if right and len(odds) > 1 and row.record.get("level") != "passage":
            best = max(sorted(odds), key=lambda place: odds[place])
            yield best in right, len(right & odds.keys()) / len(odds)
