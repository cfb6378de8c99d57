"""Types that the corpus exchanges with other apps."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from enum import StrEnum

OCR_CONFIDENT = 0.9  # of a page read from a scan: below, whoever reads it is told to look


class Grade(StrEnum):
    """What can go wrong where the reader of a file was unsure (`corpus.parsing.doubts.grades`)."""

    VALUE = "value"
    STRUCTURE = "structure"
    NOTE = "note"


@dataclass(frozen=True)
class CitingAnswer:
    """A past answer that cited a document: one row of a recall list."""

    reference: str  # names the answer without its text
    asked_at: datetime.datetime
    asked_by: str
    url: str  # where an auditor reads it
    question: str = field(default="", repr=False)  # shown to who may read every turn
    statements: tuple[str, ...] = field(default=(), repr=False)  # that rest on the document


def publication(journal: str, year: int | None) -> str:
    """Return journal and year in words, such as `Annals of Nephrology, 2019`."""
    return ", ".join(str(part) for part in (journal, year) if part)
