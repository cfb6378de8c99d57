"""A question set as it is kept, whatever form it was published in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from evaluation.datasets.types import DatasetError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # of options, by their place
LABELS = ("yes", "no", "maybe")


class Malformed(DatasetError):
    """One record is not what its form says; the others can be."""


class ItemKind(StrEnum):
    """What there is to compare an answer with."""

    ANSWERABLE = "answerable"  # a gold answer, or patterns
    UNANSWERABLE = "unanswerable"  # the right outcome is a refusal
    YES_NO = "yes_no"  # a label: yes, no or maybe
    MULTIPLE_CHOICE = "multiple_choice"  # the letter of an option
    UNLABELLED = "unlabelled"  # nothing


@dataclass(frozen=True)
class Item:
    """A question and what is known of its answer.

    `other_answers` are as good as `gold_answer`; `gold_claims` are what a whole answer states.
    `relevant` names documents: by file name, by the SHA-256 of their bytes, or as the judgements
    call them. `gold_label` is the letter of one of `options`, or yes, no or maybe. `category` is
    the type of question in the set's own words, and `before` are the earlier questions of its
    conversation.
    `patterns` are regular expressions by what they tell: decisive, wrong, dangerous and list.
    """

    key: str
    question: str
    kind: ItemKind
    gold_answer: str = ""
    other_answers: tuple[str, ...] = ()
    gold_claims: tuple[str, ...] = ()
    relevant: tuple[str, ...] = ()
    page: int | None = None
    before: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    gold_label: str = ""
    category: str = ""
    split: str = ""
    patterns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the fields by their names, with what JSON has."""
        return asdict(self)


@dataclass(frozen=True)
class QuestionsRead:
    """The items of a file in its order, and a sentence for each record that is left out."""

    form: str
    items: tuple[Item, ...]
    problems: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """64 hex digits over the items, whatever their order."""
        rows = [item.as_json() for item in sorted(self.items, key=lambda item: item.key)]
        return hashlib.sha256(
            json.dumps(rows, sort_keys=True, ensure_ascii=False).encode()
        ).hexdigest()
