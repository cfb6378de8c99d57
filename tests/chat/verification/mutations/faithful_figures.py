"""Write the same quantity in other units or figures. Pure."""

import re
from collections.abc import Iterator

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = r"(?<![\w.,:/-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
# From a unit, to a unit, and the exact factor.
_FACTORS = (
    ("micrograms", "mg", 0.001),
    ("mg", "micrograms", 1000.0),
    ("mg", "g", 0.001),
    ("g", "mg", 1000.0),
    ("mL", "litres", 0.001),
    ("mL", "L", 0.001),
    ("kg", "g", 1000.0),
    ("hours", "days", 1 / 24),
    ("days", "hours", 24.0),
    ("days", "weeks", 1 / 7),
    ("weeks", "days", 7.0),
    ("minutes", "hours", 1 / 60),
    ("hours", "minutes", 60.0),
    ("months", "years", 1 / 12),
    ("years", "months", 12.0),
)
# Values outside these bounds would convert to numbers that nobody writes.
_SENSIBLE = {
    ("micrograms", "mg"): (100, 5000),
    ("mg", "micrograms"): (0.1, 0.9),
    ("mg", "g"): (500, 5000),
    ("g", "mg"): (0.5, 5),
    ("mL", "litres"): (500, 3000),
    ("mL", "L"): (500, 3000),
    ("kg", "g"): (0.5, 5),
    ("hours", "days"): (48, 100),
    ("days", "hours"): (1, 3),
    ("days", "weeks"): (7, 28),
    ("weeks", "days"): (1, 2),
    ("minutes", "hours"): (60, 120),
    ("hours", "minutes"): (1, 1),
    ("months", "years"): (12, 24),
    ("years", "months"): (1, 2),
}
_SINGULAR = {"days": "day", "weeks": "week", "hours": "hour", "years": "year", "litres": "litre"}


def converted(text: str) -> Iterator[str]:
    """Write one quantity in another unit, where that is exact and usual."""
    for unit, other, factor in _FACTORS:
        for match in re.finditer(rf"{_NUMBER} {unit}(?![\w/²])", text):
            value = float(match.group(1).replace(",", ""))
            low, high = _SENSIBLE[unit, other]
            made = round(value * factor, 6)
            part = re.search(r"(?:\d to|\bto|-|and) $", text[: match.start()])
            whole = unit in ("mg", "micrograms", "g", "mL", "kg") or made == int(made)
            if low <= value <= high and whole and not part:
                name = _SINGULAR.get(other, other) if made == 1 else other
                yield f"{text[: match.start()]}{_written(made)} {name}{text[match.end() :]}"
    for match in re.finditer(r"fever of (\d+) °C or higher", text):
        fahrenheit = round(float(match.group(1)) * 9 / 5 + 32, 1)
        said = f"fever of {_written(fahrenheit)} °F or higher"
        yield text[: match.start()] + said + text[match.end() :]


def numbers_worded(text: str) -> Iterator[str]:
    """Write `5 days` as `five days`, and `two tubes` as `2 tubes`."""
    nouns = "days|weeks|months|hours|doses|tablets|puffs|minutes|courses|units a day"
    for match in re.finditer(rf"(?<![\w.,-])(?<!to )(\d|1[0-2]) (?={nouns})(?!\d)", text):
        word = _WORDS[int(match.group(1))]
        yield f"{text[: match.start()]}{word} {text[match.end() :]}"
    for match in re.finditer(r"\b(two|three|four|five|six|ten) (?=[a-z]+s\b)(?!times|of)", text):
        number = _WORDS.index(match.group(1))
        yield f"{text[: match.start()]}{number} {text[match.end() :]}"


def forms(text: str) -> Iterator[str]:
    """Write figures and units in other usual forms."""
    for pattern, replacement in (
        (r"(?<=\d) to (?=\d)", "-"),
        (r"(?<=\d) to (?=\d)", "–"),
        (r"\bbetween (\d+)% and (\d+)%", r"at \1-\2%"),
        (r"(?<=\d),(?=\d{3})", ""),
        (r"(?<=\d) (?=(?:mg|g|mL|mmol|kg)\b)", ""),
        (r"\bmL\b", "ml"),
        (r"(?<=mg)/kg\b", " per kg"),
        (r"(?<=mL)/hour\b", " per hour"),
        (r"(?<=mL)/hour\b", "/h"),
        (r"(?<=mL/kg)/hour\b", "/h"),
        (r"(?<=units/kg)/hour\b", " per hour"),
        (r"mL/min/1\.73 m²", "mL/min/1.73 m2"),
        (r"x 10⁹/L", "x 10^9/L"),
        (r"x 10⁹/L", "×10⁹/L"),
        (r"(?<=\d)%", " %"),
        (r"(?<=\d)%", " percent"),
        (r" °C", "°C"),
        (r"\b(\d)\.(\d) mmol/L", r"\1,\2 mmol/L"),
        (r"\b0\.9%", "0,9%"),
        (r"\bmmol/L\b", "mmol per litre"),
        (r"\bpercent\b", "%"),
    ):
        made = re.sub(pattern, replacement, text)
        if made != text:
            yield made


def _written(value: float) -> str:
    if value == int(value):
        whole = int(value)
        return f"{whole:,}" if whole >= 1000 else str(whole)
    return f"{value:.6f}".rstrip("0")
