"""Questions on documents, with patterns that tell right answers from wrong ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from evaluation.question_sets.own_forms import is_counted

Patterns = tuple[re.Pattern[str], ...]


class Half(StrEnum):
    """The half of a set to which a question belongs."""

    LOOKED_AT = "looked at"  # by the system's developers
    COUNTED = "counted"  # never looked at, and reported


@dataclass(frozen=True)
class Question:
    """A question and how its answer is recognised.

    An answer must match every pattern of `decisive`. A statement that matches one of `wrong` would
    mislead. One that matches `dangerous` would harm (another medicine's dose, another group's), and
    so would some items of the list `whole` shown as if they were all. A question used only for
    training may have `quotes` instead of patterns: the document's words that answer, each from one
    statement. `before` are the earlier questions of its conversation. `document` is a file name and
    `page` its page, if it holds the answer; `needs` is what must be shown with it. Questions of one
    `family` are in the same half.
    """

    id: str
    text: str
    is_answerable: bool
    kind: str = ""
    document: str = ""
    page: int | None = None
    decisive: Patterns = ()
    wrong: Patterns = ()
    dangerous: Patterns = ()
    whole: Patterns = ()
    before: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    answer: str = ""  # in a few words
    needs: Patterns = ()
    family: str = ""

    @cached_property
    def half(self) -> Half:
        """The question's half, by a hash of its family or id, so that it never changes."""
        return Half.COUNTED if is_counted(self.family or self.id) else Half.LOOKED_AT


def compiled(texts: Sequence[str]) -> Patterns:
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)
