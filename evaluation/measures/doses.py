"""Tell which claims are critical for safety: those that state a dose. Pure."""

from __future__ import annotations

from core.language.en.medicines.names import drugs
from core.language.en.quantities.reading import read

_GIVEN = frozenset(
    "g l mol iu tablet capsule puff inhalation spray drop ampoule vial sachet patch dose".split()
)


def states_dose(claim: str) -> bool:
    """Tell whether a claim has an amount or a frequency with the name of a medicine."""
    if not drugs(claim):
        return False
    counted = read(claim)
    units = {reading.unit for quantity in counted.quantities for reading in quantity.readings}
    return bool(counted.frequencies) or any(map(_is_amount, units))


def _is_amount(unit: str) -> bool:
    """Tell whether a unit is of a dose: `5 mg/kg`, not a level in blood such as `5 mmol/L`."""
    base, *below = unit.split("/")
    return base in _GIVEN and "l" not in below and "1.73m2" not in below
