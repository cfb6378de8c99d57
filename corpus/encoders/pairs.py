"""Arrange two texts as one input of a cross-encoder: a question and statements. Pure.

    [CLS] question [SEP] statement statement ... [SEP]

The marks are those of the model's folder. What is too long for one input is read in windows of
whole statements, so that each statement is read once, with its neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

TOKENIZER, MARKS = "tokenizer.json", "marks.json"
MAX_TOKENS = 256  # of an input, the encoder's own marks included
FIRST_TOKENS = 96  # of the first text: its end is kept, where a long case asks its question
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True)
class StatementSpan:
    """A statement's place in a window: tokens `start` to `end`, half-open."""

    statement: int  # its place among those that were given, from 0
    start: int
    end: int


@dataclass(frozen=True)
class Window:
    """One input: its tokens, where the second text begins, and its statements."""

    tokens: tuple[int, ...]
    second_at: int
    pieces: tuple[StatementSpan, ...]


@dataclass(frozen=True)
class PairTokenizer:
    """A tokenizer with the ids of the marks that its model was trained with."""

    tokenizer: Any
    start: int  # before the first text
    end: int  # after each text
    pad: int

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, whole and without marks."""
        encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [each.ids for each in encodings]


def pair_tokenizer(folder: Path) -> PairTokenizer:
    """Load a folder's tokenizer without truncation and padding: windows take care of that.

    The folder's `marks.json` names `start`, `end` and `pad`; without it they are BERT's.
    """
    from tokenizers import Tokenizer  # late: only where such a model is in use

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    named = {"start": "[CLS]", "end": "[SEP]", "pad": "[PAD]"}
    if (folder / MARKS).is_file():
        named = json.loads((folder / MARKS).read_text(encoding="utf-8"))
    vocabulary = tokenizer.get_vocab()
    start, end, pad = (vocabulary[named[mark]] for mark in ("start", "end", "pad"))
    return PairTokenizer(tokenizer, start, end, pad)


def windows_of(
    tokenizer: PairTokenizer,
    first: str,
    statements: Sequence[str],
    *,
    max_tokens: int = MAX_TOKENS,
) -> list[Window]:
    """Return few windows of similar length that hold all statements, in order; none for none.

    A statement too long for a window is cut off; one without tokens (of unknown characters) has no
    piece.
    """
    typed, *encoded = tokenizer.encode([first, *statements])
    question = typed[-min(FIRST_TOKENS, max_tokens // 2) :]
    head = (tokenizer.start, *question, tokenizer.end)
    room = max_tokens - len(head) - 1
    windows = []
    for group in _groups([ids[:room] for ids in encoded], room):
        tokens = list(head)
        pieces = []
        for place, ids in group:
            if ids:
                pieces.append(StatementSpan(place, len(tokens), len(tokens) + len(ids)))
            tokens += ids
        windows.append(Window((*tokens, tokenizer.end), len(head), tuple(pieces)))
    return windows


def _groups(texts: Sequence[list[int]], room: int) -> Iterator[list[tuple[int, list[int]]]]:
    """Yield groups of statements with indices: a window ends when full or at its even share."""
    tokens = sum(map(len, texts))
    share = tokens / max(1, -(-tokens // room))
    group: list[tuple[int, list[int]]] = []
    taken = 0
    for place, ids in enumerate(texts):
        if group and (taken + len(ids) > room or taken >= share):
            yield group
            group, taken = [], 0
        group.append((place, ids))
        taken += len(ids)
    if group:
        yield group


def statement_odds(window: Window, scores: Scores) -> dict[int, float]:
    """Return the log-odds of each statement against no statement answering, by index.

    `scores` are a reader's, `(tokens, 2)`: a statement's score is the mean of the first output over
    its tokens, that of "none of these answers" the second output at [CLS].
    """
    none = float(scores[0, 1])
    return {
        piece.statement: float(scores[piece.start : piece.end, 0].mean(dtype=np.float64)) - none
        for piece in window.pieces
    }
