"""What a launch of the patient's record says of a patient, beside the question."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass(frozen=True)
class PatientFact:
    """One fact; `is_counted` if it goes into the question unless somebody leaves it out."""

    text: str  # as in a question: `eGFR 24 mL/min`
    day: datetime.date | None  # of the measurement or record; None if the record doesn't say
    source: str
    is_old: bool
    is_counted: bool


@dataclass(frozen=True)
class LaunchedPatient:
    """The facts of one launch, and the address where a question with them is asked."""

    ask: str
    record: str  # its name
    opened: datetime.datetime
    facts: tuple[PatientFact, ...]
    unknown: tuple[str, ...]

    @property
    def counted(self) -> list[str]:
        return [str(n) for n, fact in enumerate(self.facts) if fact.is_counted]
