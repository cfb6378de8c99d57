"""What the corpus tells others and asks of them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass(frozen=True)
class CitingAnswer:
    """An answer of the past that cited a document: one row of a recall list."""

    reference: str  # names the answer without its text
    asked_at: datetime.datetime
    asked_by: str
    url: str  # where an auditor reads it
