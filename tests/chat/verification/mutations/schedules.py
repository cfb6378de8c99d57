"""Change the route, the interval or the duration. Pure."""

import re
from collections.abc import Iterator, Sequence

Turn = tuple[str, str]

_NEXT = {
    "one": "two",
    "two": "three",
    "three": "four",
    "four": "six",
    "five": "seven",
    "six": "nine",
}
_ROUTES: tuple[Turn, ...] = (
    (r"\bintravenously\b", "intramuscularly"),
    (r"\bintravenously\b", "by mouth"),
    (r"\bintravenously\b", "subcutaneously"),
    (r"(?<!oral and )\bintravenous\b(?! drug)", "oral"),
    (r"\bintravenous\b(?! drug)", "intramuscular"),
    (r"\bby intravenous infusion\b", "by intramuscular injection"),
    (r"\bby intramuscular injection\b", "by intravenous injection"),
    (r"\bIntramuscular\b", "Intravenous"),
    (r"\bintramuscularly\b", "intravenously"),
    (r"\bintramuscular\b", "intravenous"),
    (r"\bby subcutaneous injection\b", "by intravenous injection"),
    (r"\bsubcutaneous\b", "intravenous"),
    (r"\bby mouth\b", "intravenously"),
    (r"\bby mouth\b", "rectally"),
    (r"\borally\b", "intravenously"),
    (r"\boral\b(?= (?:agent|dose|cefalexin|thiamine|medicine|paracetamol|treatment))",
     "intravenous"),
    (r"\bby nebuliser\b", "by mouth"),
    (r"\bby oxygen-driven nebuliser\b", "by intravenous infusion"),
    (r"\bnebulised\b", "oral"),
    (r"\brectally\b", "by mouth"),
    (r"\binto the thigh\b", "into a vein"),
    (r"\bthrough a peripheral vein\b", "through a central vein"),
    (r"\bthrough a large vein\b", "into a muscle"),
    (r"\bby inhaler\b", "by injection"),
)  # fmt: skip
_FREQUENCIES: tuple[Turn, ...] = (
    (r"\b([Oo])nce daily\b", r"\1nce weekly"),
    (r"\bonce daily\b", "twice daily"),
    (r"\bOnce daily\b", "Twice daily"),
    (r"\bonce a day\b", "twice a day"),
    (r"\btwice daily\b", "once daily"),
    (r"\btwice daily\b", "three times daily"),
    (r"\bTwice daily\b", "Once daily"),
    (r"\bthree times daily\b", "twice daily"),
    (r"\bthree times daily\b", "four times daily"),
    (r"\bfour times daily\b", "three times daily"),
    (r"\bthree times a day\b", "twice a day"),
    (r"\btwice a week\b", "twice a day"),
    (r"\bdaily\b(?! maximum| dose| life| tasks| activities| living| routine)", "weekly"),
    (r"\b([Ee])very 4 hours\b", r"\1very 6 hours"),
    (r"\b([Ee])very 6 hours\b", r"\1very 8 hours"),
    (r"\b([Ee])very 8 hours\b", r"\1very 12 hours"),
    (r"\b([Ee])very 8 hours\b", r"\1very 6 hours"),
    (r"\b([Ee])very 12 hours\b", r"\1very 24 hours"),
    (r"\b([Ee])very 24 hours\b", r"\1very 36 hours"),
    (r"\b([Ee])very 36 hours\b", r"\1very 24 hours"),
    (r"\b([Ee])very 2 hours\b", r"\1very 4 hours"),
    (r"\b([Ee])very 48 hours\b", r"\1very 24 hours"),
    (r"\bevery hour\b", "every 4 hours"),
    (r"\bhourly\b", "daily"),
    (r"\bevery day\b", "every week"),
    (r"\beach day\b", "each week"),
    (r"\bevery month\b", "every week"),
    (r"\bevery 3 months\b", "every 6 months"),
    (r"\bweekly\b", "monthly"),
    (r"\bonce a week\b", "once a day"),
    (r"\bdaily\b(?= (?:for|until))", "twice daily"),
    (r"\bat night\b", "in the morning"),
    (r"\bat bedtime\b", "in the morning"),
    (r"\bUp to three times\b", "Up to four times"),
)
_UNIT = r"(?:minutes?|hours?|days?|weeks?|months?|years?)"
_LENGTH = re.compile(
    rf"\b((?:for|over|within|after|at least|at most|lasts?|than|total of|is|of|up to) "
    rf"(?:at least |up to |about )?)(\d+|one|two|three|four|five|six) ({_UNIT})\b(?! old| of age)"
)
_IN_ROW = re.compile(rf"((?:Duration|Time|Trial period|Minimum interval): )(\d+) ({_UNIT})\b")


def route_changed(text: str) -> Iterator[str]:
    yield from _turned(text, _ROUTES)


def frequency_changed(text: str) -> Iterator[str]:
    yield from _turned(text, _FREQUENCIES)


def duration_changed(text: str) -> Iterator[str]:
    """Replace the number of a duration or time limit; the unit stays."""
    for match in [*_LENGTH.finditer(text), *_IN_ROW.finditer(text)]:
        before, number, unit = match.groups()
        other = _NEXT[number] if number in _NEXT else _longer(int(number))
        unit = unit if unit.endswith("s") else f"{unit}s"
        yield f"{text[: match.start()]}{before}{other} {unit}{text[match.end() :]}"


def _longer(number: int) -> str:
    """Return another usual duration: 7 for 5 days, 48 for 24 hours."""
    usual = {
        1: 2,
        2: 4,
        3: 5,
        4: 6,
        5: 7,
        6: 8,
        7: 10,
        10: 14,
        14: 7,
        15: 30,
        20: 40,
        24: 48,
        28: 14,
    }
    return str(usual.get(number, number * 2))


def _turned(text: str, turns: Sequence[Turn]) -> Iterator[str]:
    for pattern, replacement in turns:
        for match in re.finditer(pattern, text):
            yield text[: match.start()] + match.expand(replacement) + text[match.end() :]
