"""The items of a question set, whatever form it was published in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # labels of options, by place
LABELS = ("yes", "no", "maybe")


class ItemKind(StrEnum):
    """What an answer can be compared with."""

    ANSWERABLE = "answerable"  # a gold answer, or patterns
    UNANSWERABLE = "unanswerable"  # the right outcome is a refusal
    YES_NO = "yes_no"  # a label: yes, no or maybe
    MULTIPLE_CHOICE = "multiple_choice"  # the letter of an option
    UNLABELLED = "unlabelled"  # nothing


@dataclass(frozen=True)
class Item:
    """A question and its known answer.

    `other_answers` are as good as `gold_answer`; `gold_claims` are the statements of a complete
    answer. `relevant` names documents by file name, by the SHA-256 of their bytes, or by their id
    in the judgements. `gold_label` is the letter of one of `options`, or yes, no or maybe.
    `category` is the type of question in the set's own words, and `before` the earlier questions of
    its conversation.

    `patterns` are regular expressions by role: decisive, wrong, dangerous and list.
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
        """Return the fields by name, as JSON types."""
        return asdict(self)


@dataclass(frozen=True)
class QuestionsRead:
    """The items of a file, in order, and a sentence for each record that was left out."""

    form: str
    items: tuple[Item, ...]
    problems: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """64 hex digits over the items, independent of their order."""
        rows = [item.as_json() for item in sorted(self.items, key=lambda item: item.key)]
        return hashlib.sha256(
            json.dumps(rows, sort_keys=True, ensure_ascii=False).encode()
        ).hexdigest()
