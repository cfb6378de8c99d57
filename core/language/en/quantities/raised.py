"""Tell raised digits apart: marks of footnotes, powers of ten, and units such as m². Pure.

A raised digit is never a digit of the number before it: `5² mg` is 5 mg with a mark.
"""

from __future__ import annotations

import re

from core.language.en.quantities.units import UNITS

_RAISED = "⁰¹²³⁴-⁹"
_RUN = re.compile(
    rf"(?<![⁺⁻{_RAISED}])[{_RAISED}]+(?:[,⁻–-][{_RAISED}]+)*(?![⁺⁻{_RAISED}])|(?<=\d)\^\d+(?:,\d+)+"
)
_LETTER = re.compile(r"(?<=[\d%])[ᵃᵇᶜᵈᵉᶠᵍ](?![^\W\d_])")
_FRACTION = re.compile(r"([¹³⁵⁷])[⁄∕/]([₂₄₈248])(?!\d)")
_BELOW = str.maketrans("¹³⁵⁷₂₄₈", "1357248")
_TEN = re.compile(r"(?<!\d)(?P<point>\d[.,])?10$")
_TIMES_TEN = re.compile(r"[×✕✖xX*·]\s?10$")
_LENGTH = re.compile(r"(?:^|[^a-zµμ])(?:[kdcmµμn]?m|in|ft|inch|inches|feet|met(?:re|er)s?)$", re.I)
_WORD = re.compile(r"(?:[a-zµμ]+|%)$", re.I)
_AMOUNT = re.compile(
    r"\s?(?:(?:mg|mcg|ng|g|kg|[µμ]g|micrograms?|grams?|ml|l|tablets?|capsules?|puffs?|drops?"
    r"|days?|weeks?|months?|years?|hours?|hrs?|h|mins?|minutes?|m?mols?|sachets?|sprays?|vials?"
    r"|ampoules?|patch(?:es)?)(?![a-z])|%)",
    re.I,
)
# `10⁶ units` is a power, but nobody writes 100 units as `10² units`.
_UNITS = re.compile(r"\s?(?:(?:international\s)?units?|iu|u)(?![a-z])", re.I)
# What follows may be counted in powers or be a person's dose: `10⁴ units` and `10 units` with a 4.
UNSURE_POWER = re.compile(
    rf"(?<![\d.,])(?<![×✕✖xX*·])(?<![×✕✖xX*·]\s)10(?P<run>[²³⁴-⁹]){_UNITS.pattern}", re.I
)
_LOOK_CHARS = 24


def without_marks(text: str) -> str:
    """Return a text without raised digits and letters that mark footnotes, and `2¹⁄₂` as `2 1/2`.

    Powers of ten, powers of lengths, charges and the numbers of short names stay. Of `10²`, what
    follows decides: a person is given 10 mg with a mark, never 10² mg.
    """
    text = _FRACTION.sub(lambda m: f" {m[0].translate(_BELOW).replace('⁄', '/')} ", text)
    return _RUN.sub(_kept, _LETTER.sub("", text))


def _kept(match: re.Match[str]) -> str:
    """Return of a run of raised digits what is no mark."""
    run, text, start, end = match[0], match.string, match.start(), match.end()
    before = text[max(0, start - _LOOK_CHARS) : start]
    if _is_power(run, before, text[end : end + _LOOK_CHARS]):
        return run
    if _LENGTH.search(before) and run[0] in "²³":
        return run[0]
    word = _WORD.search(before)
    if word and word[0].lower() not in UNITS and not re.search("[a-z]{3}$", before):
        return run  # a name: `Ca²`
    # Alone before a number it may be a lost sign: `CrCl ³ 30`.
    is_alone = before[-1:].isspace() and re.match(r"\s?\d", text[end : end + 2])
    return run if is_alone and before.strip() else ""


def _is_power(run: str, before: str, after: str) -> bool:
    ten = _TEN.search(before)
    if ten is None:
        return False
    if _TIMES_TEN.search(before):
        return True
    if ten["point"] and run in ("¹", "²", "³"):
        return False
    is_dose = _AMOUNT.match(after) or (run in ("²", "³") and _UNITS.match(after))
    return run != "¹" and not is_dose
