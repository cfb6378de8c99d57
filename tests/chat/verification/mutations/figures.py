"""Change numbers. Pure."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tests.chat.verification.mutations.chance import digest

# A clinical number: not that of a table, a section, a version or a list item,
# not a part of a name (`SGLT2`, `NH-AM-101`, `1.73 m2`, `10⁹`), a clock or a telephone number.
FIGURE = re.compile(
    r"(?<![\w.,:/-])(?<!Table )(?<!section )(?<!version )(?<!step )(?<!type )(?<!Type )"
    r"(?:\d{1,3}(?:,\d{3})+|(?!0\d)\d+)(?:\.\d+)?"
    r"(?![\d:]|[.,]\d|,[A-Z]|[⁰¹²³⁴-⁹]|\s?m²|[A-Za-z]|-[A-Za-z]|\s\d{3}\b|\s-\s)"
)
_LIST_NUMBER = re.compile(r"(?:^|: )\d\. (?=[A-Z])|^\d (?=[A-Z])")
# Before numbers that are part of a name of a gene, its locus or a type of disease.
_NAME = re.compile(
    r"(?:chromosomes?|connexin|paraplegia|lipofuscinosis|[Tt]ypes?|[Ff]actor|ataxia|deficiency|exon)"
    r" (?:\d+(?:, | and |, and ))*$"
)
_TELEPHONE = re.compile(r"(?:bleep|extension|Call|call|on) $")
# Between numbers of one range or list, whose order has no meaning.
_JOINTS = ("to", "and", "/", "in", "-", "or", ",")
# Before a range that is a condition: a single value of such a range is still true.
_KEY = re.compile(
    r"^[^:;]+: $|\b(?:at|aged|eGFR|by age|or) $"
    r"|(?:INR|Peak flow|potassium|clearance|weight|alteplase)[^:;]*: $"
)
RANGE = re.compile(rf"({FIGURE.pattern})(%?)( to | and )({FIGURE.pattern})")

Place = tuple[int, int]


def places(text: str) -> list[Place]:
    """Return the spans of the figures, from the left, without those of lists and names."""
    lists = [match.span() for match in _LIST_NUMBER.finditer(text)]
    found = (match.span() for match in FIGURE.finditer(text))
    return [
        place
        for place in found
        if not any(start <= place[0] < end for start, end in lists)
        and not _NAME.search(text[: place[0]])
    ]


def measured(text: str) -> list[Place]:
    """Return the spans of the figures, without telephone numbers."""
    return [place for place in places(text) if not _is_telephone(text, place)]


def _is_telephone(text: str, place: Place) -> bool:
    before = text[: place[0]]
    return bool(_TELEPHONE.search(before)) and place[1] - place[0] in (3, 4)


def changed(text: str) -> Iterator[str]:
    """Replace one number by another of its size."""
    said = {text[start:end] for start, end in places(text)}
    for start, end in places(text):
        number = text[start:end]
        others = [other for other in _near(number) if other not in said]
        if others:
            other = others[digest("figure", text, str(start))[0] % len(others)]
            yield text[:start] + other + text[end:]


def factor_ten(text: str) -> Iterator[str]:
    """Multiply or divide one number by ten."""
    for start, end in measured(text):
        for other in (_shifted(text[start:end], 1), _shifted(text[start:end], -1)):
            if other != text[start:end]:
                yield text[:start] + other + text[end:]


def range_cut(text: str) -> Iterator[str]:
    """Leave out one end of a range, or change it."""
    for match in RANGE.finditer(text):
        low, sign, joint, high = match.groups()
        if _KEY.search(text[: match.start()]):
            continue
        between = re.search(r"\bbetween $", text[: match.start()], re.IGNORECASE)
        if joint == " and " and not between:
            continue
        head = text[: between.start()] if between else text[: match.start()]
        after = text[match.end() :]
        tail = after.removeprefix("%")
        percent = "%" if sign or after.startswith("%") else ""
        if _value(low) < _value(high):
            yield f"{head}{low}{percent}{tail}"
            yield f"{head}{high}{percent}{tail}"


def swapped(text: str) -> Iterator[str]:
    """Exchange two neighbouring numbers of different things."""
    found = measured(text)
    for first, second in pairwise(found):
        one, other = text[slice(*first)], text[slice(*second)]
        between = text[first[1] : second[0]]
        if one != other and between.strip(" %") not in _JOINTS and not between.endswith(" to "):
            yield text[: first[0]] + other + between + one + text[second[1] :]


def _near(number: str) -> list[str]:
    """Return numbers that the number could be misread or mistyped as."""
    value = _value(number)
    if "." in number:
        digits = len(number.split(".")[1])
        step = 10**-digits
        near = [value + step, value + 2 * step, value - step, value * 2]
        return [f"{other:.{digits}f}" for other in near if other > 0]
    whole = int(value)
    near_whole = [whole + 1, whole + 2, whole * 2, whole - 1, whole + 5]
    if whole >= 100:
        near_whole = [whole + 50, whole * 2, whole + 10, whole - 10]
    return [_like(other, number) for other in near_whole if other > 0]


def _shifted(number: str, powers: int) -> str:
    """Multiply by a power of ten: `0.5` to `5` or `0.05`, `1,000` to `10,000` or `100`."""
    value = _value(number) * 10**powers
    if value == int(value):
        return _like(int(value), number)
    return f"{value:.4f}".rstrip("0")


def _like(value: int, number: str) -> str:
    return f"{value:,}" if "," in number or value >= 10_000 else str(value)


def _value(number: str) -> float:
    return float(number.replace(",", ""))
