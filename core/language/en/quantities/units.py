"""Unit names and their values in the base unit of their dimension. Pure.

Only exact conversions are made: months are never days, millimoles never milligrams.
"""

from __future__ import annotations

import re
from fractions import Fraction

SECONDS, MONTHS = "s", "month"
_MILLI, _MICRO, _NANO = Fraction(1, 10**3), Fraction(1, 10**6), Fraction(1, 10**9)
_TABLE: tuple[tuple[str, Fraction | int, str], ...] = (
    ("g", 1000, "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes"),
    ("g", 1, "g gm gms gram grams gramme grammes"),
    ("g", _MILLI, "mg mgs mgm milligram milligrams milligramme milligrammes"),
    ("g", _MICRO, "mcg mcgs µg ug microgram micrograms microgramme microgrammes"),
    ("g", _NANO, "ng nanogram nanograms nanogramme nanogrammes"),
    ("g", Fraction(1, 10**12), "pg picogram picograms"),
    ("l", 1, "l litre litres liter liters"),
    ("l", Fraction(1, 10), "dl decilitre decilitres deciliter deciliters"),
    ("l", _MILLI, "ml mls millilitre millilitres milliliter milliliters cc"),
    ("l", _MICRO, "µl ul microlitre microlitres microliter microliters mm3"),
    ("mol", 1, "mol mole moles"),
    ("mol", _MILLI, "mmol mmols millimole millimoles"),
    ("mol", _MICRO, "micromol micromols µmol umol micromole micromoles"),
    ("mol", _NANO, "nmol nanomol nanomole nanomoles"),
    ("mol", Fraction(1, 10**12), "pmol picomol picomole picomoles"),
    ("eq", _MILLI, "meq milliequivalent milliequivalents"),
    ("osm", _MILLI, "mosm mosmol milliosmole milliosmoles"),
    (SECONDS, 1, "s sec secs second seconds"),
    (SECONDS, 60, "min mins minute minutes"),
    (SECONDS, 3600, "h hr hrs hour hours"),
    (SECONDS, 86400, "d day days"),
    (SECONDS, 7 * 86400, "wk wks week weeks"),
    (SECONDS, 14 * 86400, "fortnight fortnights"),
    (MONTHS, 1, "month months mth mths mo mos"),
    (MONTHS, 12, "year years yr yrs y"),
    ("m", 1, "m metre metres meter meters"),
    ("m", Fraction(1, 100), "cm cms centimetre centimetres centimeter centimeters"),
    ("m", _MILLI, "mm mms millimetre millimetres millimeter millimeters"),
    ("m", _MICRO, "µm um micron microns micrometre micrometres micrometer micrometers"),
    ("m2", 1, "m2"),
    ("inch", 1, "inch inches"),
    ("inch", 12, "foot feet ft"),
    ("lb", 1, "lb lbs pound pounds"),
    ("ounce", 1, "oz ounce ounces"),
    ("stone", 1, "stone stones"),
    ("iu", 1000000, "mega-units megaunits"),
    ("iu", 1, "iu ius unit units u international-units"),
    ("iu", _MILLI, "milliunit milliunits miu mu"),
    ("%", 1, "%"),
    ("°c", 1, "°c"),
    ("°f", 1, "°f"),
    ("degree", 1, "° degree degrees"),
    ("mmhg", 1, "mmhg"),
    ("kpa", 1, "kpa"),
    ("cmh2o", 1, "cmh2o"),
    ("kcal", 1, "kcal kcals calorie calories kilocalorie kilocalories"),
    ("kj", 1, "kj kilojoule kilojoules"),
    ("gy", 1, "gy gray grays"),
    ("gy", Fraction(1, 100), "cgy"),
    ("bq", 10**6, "mbq megabecquerel megabecquerels"),
    ("/s", Fraction(1, 60), "bpm"),
    ("copy", 1, "copy copies"),
    ("cfu", 1, "cfu"),
    ("", 1, "cells cell beat beats breath breaths"),
    ("tablet", 1, "tablet tablets tab tabs"),
    ("capsule", 1, "capsule capsules cap caps"),
    ("puff", 1, "puff puffs"),
    ("inhalation", 1, "inhalation inhalations"),
    ("spray", 1, "spray sprays"),
    ("drop", 1, "drop drops"),
    ("dose", 1, "dose doses"),
    ("ampoule", 1, "ampoule ampoules"),
    ("vial", 1, "vial vials"),
    ("sachet", 1, "sachet sachets"),
    ("patch", 1, "patch patches"),
    ("pair", 1, "pair pairs"),
    ("teaspoon", 1, "teaspoon teaspoons teaspoonful teaspoonfuls tsp"),
    ("tablespoon", 1, "tablespoon tablespoons tablespoonful tablespoonfuls tbsp"),
    ("pint", 1, "pint pints"),
    ("pint", 2, "quart quarts"),
    ("pint", 8, "gallon gallons"),
    ("cup", 1, "cup cups"),
    ("", 1, "times fold"),
)
UNITS: dict[str, tuple[str, Fraction]] = {
    name: (base, Fraction(worth)) for base, worth, names in _TABLE for name in names.split()
}
_ALL = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))
_END = r"(?![a-zµ0-9])"
_BELOW = rf"/(?:1\.73\s?m2{_END}|(?:{_ALL}){_END})"
# Of what, between a dose and its `per kg`: `1.5 mg of enoxaparin per kg`.
_OF_WHAT = r"(?:\sof\s[a-z-]+(?:\s[a-z-]+)?(?=/kg))?"
UNIT = rf"(?:[\s-]?(?:{_ALL}){_END}{_OF_WHAT}(?:{_BELOW})*|(?:{_BELOW})+)"
_PART = re.compile(rf"(/?)(1\.73\s?m2|{_ALL}){_END}")
# A unit without a number before it, as at the head of a column: `Dose (mg)`, `mg/day`, `Days`.
_HEADS = "|".join(
    re.escape(name)
    for name in sorted(UNITS, key=len, reverse=True)
    if len(name) > 2 or (len(name) == 2 and UNITS[name][0] in ("g", "l", "mol", "iu", "m"))
)
LABEL_UNIT = re.compile(rf"(?<![\d.] )(?<![\d.])(?<![a-zµ/-])((?:{_HEADS}){_END}(?:{_BELOW})*)")


def unit_of(written: str) -> tuple[str, Fraction]:
    """Return dimension and worth of the unit after a number; `("", 1)` for none."""
    written = re.sub(r"\sof\s.*?(?=/kg)", "", written)
    base, worth = "", Fraction(1)
    for slash, name in _PART.findall(written):
        if name.startswith("1.73"):
            base += "/1.73m2"
        elif slash:
            below, times = UNITS[name]
            if below != "dose":  # `200 mg per dose` is a dose of 200 mg
                base, worth = f"{base}/{below}", worth / times
        else:
            base, worth = UNITS[name]
    return base, worth
