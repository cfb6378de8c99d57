"""Tell which claims are critical for safety. Pure."""

from __future__ import annotations

from core.language.en.medicines.names import drugs
from core.language.en.quantities.reading import read
from evaluation.measures.types import AnswerClaim

DOSE = "dose"
_GIVEN = frozenset(
    "g l mol iu tablet capsule puff inhalation spray drop ampoule vial sachet patch dose".split()
)


def kind_of(claim: AnswerClaim) -> str:
    """Return the claim's kind as labelled, else `dose` if it states one, else an empty string.

    A dose is an amount or a frequency with the name of a medicine. Contraindications and triage
    are not recognised from words: they need a label.
    """
    if claim.kind or not drugs(claim.text):
        return claim.kind
    counted = read(claim.text)
    units = {reading.unit for quantity in counted.quantities for reading in quantity.readings}
    return DOSE if counted.frequencies or any(map(_is_amount, units)) else ""


def _is_amount(unit: str) -> bool:
    """Tell whether a unit is of a dose: `5 mg/kg`, not a level in blood such as `5 mmol/L`."""
    base, *below = unit.split("/")
    return base in _GIVEN and "l" not in below and "1.73m2" not in below
