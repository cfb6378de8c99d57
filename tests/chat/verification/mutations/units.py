"""Change units. Pure."""

import re
from collections.abc import Iterator

# A unit as printed, and units with which it has been confused.
_OTHERS = {
    "mg/kg": ("micrograms/kg", "mg"),
    "micrograms/kg": ("mg/kg",),
    "g/kg": ("mg/kg",),
    "mL/kg": ("mL", "L/kg"),
    "units/kg/hour": ("units/hour", "units/kg/min"),
    "units/kg": ("units", "mg/kg"),
    "mL/kg/hour": ("mL/hour", "mL/kg/min"),
    "mL/hour": ("mL/min",),
    "mL/min": ("mL/hour", "L/min"),
    "mmol/L/hour": ("mmol/L/day",),
    "mmol/day": ("mmol/hour",),
    "mmol/L": ("mg/dL", "micromol/L"),
    "mg/L": ("micrograms/L", "g/L"),
    "g/L": ("mg/L", "g/dL"),
    "micrograms": ("mg", "nanograms"),
    "mcg": ("mg",),
    "mg": ("micrograms", "g"),
    "g": ("mg", "kg"),
    "kg": ("g", "lb"),
    "mL": ("L",),
    "litres": ("mL",),
    "mmol": ("mmol/L", "mg"),
    "units": ("mg", "mL"),
    "mmHg": ("kPa", "cmH2O"),
    "°C": ("°F",),
    "seconds": ("minutes",),
    "minutes": ("hours", "seconds"),
    "hours": ("days", "minutes"),
    "hour": ("day", "minute"),
    "days": ("weeks", "hours"),
    "weeks": ("months", "days"),
    "months": ("years", "weeks"),
    "years": ("months", "weeks"),
    "inches": ("cm",),
    "pounds": ("kg",),
    "percent": ("per 1,000",),
    "%": (" per 1,000",),
}
_UNITS = "|".join(re.escape(unit) for unit in sorted(_OTHERS, key=lambda unit: (-len(unit), unit)))
_MEASURED = re.compile(
    rf"(?<![\w-])(\d[\d.,]*)(\s?)({_UNITS})(?![\w/²])(?!\s(?:old|after birth)\b)"
)
# Before a percentage that is part of a preparation's name.
_PREPARATION = re.compile(r"(?:chloride|glucose|gluconate|bicarbonate|Glucose) $")


def changed(text: str) -> Iterator[str]:
    """Replace the unit of one number."""
    for match in _MEASURED.finditer(text):
        number, space, unit = match.groups()
        if unit == "%" and _PREPARATION.search(text[: match.start()]):
            continue
        for other in _OTHERS[unit]:
            joint = "" if other.startswith(" ") else space or " "
            yield f"{text[: match.start()]}{number}{joint}{other}{text[match.end() :]}"
