"""Normalise a text: numbers in digits, one spelling of signs and units. Pure."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from core.language.en.quantities.raised import without_marks
from core.language.en.quantities.types import written
from core.language.en.quantities.units import UNIT, UNITS

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("–—‐‑‒−﹣－", "-"),
        **dict.fromkeys("≥⩾≧", "≥"), **dict.fromkeys("≤⩽≦", "≤"),
        **dict.fromkeys("×✕✖", "×"), "μ": "µ", "º": "°", "˚": "°", "⁄": "/", "∕": "/", "·": ".",
        "％": "%", "’": "'", "＜": "<", "＞": ">", "²": "2 ", "³": "3 ",
        "½": " 1/2 ", "¼": " 1/4 ", "¾": " 3/4 ", "⅛": " 1/8 ", "⅓": " 1/3 ", "⅔": " 2/3 ",
        "℃": "°c", "℉": "°f", "㎎": "mg", "㎏": "kg", "㎖": "ml", "㎍": "µg",
        "\u200b": "", "\u2060": "", "\ufeff": "", "\u00ad": "", "\u200c": "", "\u200d": "",
    }
)  # fmt: skip
_POWER = re.compile("10(⁻?)⁺?([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_POWER_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_TENS_WORDS = "|".join(_TENS)
_WORTH = {word: number for number, word in enumerate(_SMALL)} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORDS = "|".join(sorted([*_WORTH, *_SCALES], key=len, reverse=True))
_NUMBER_WORDS = re.compile(
    rf"(?<![a-z0-9])(?:{'|'.join(_WORTH)})(?:(?:\s|-|\sand\s)(?:{_WORDS}))*(?![a-z])"
)
_BELOW = {"third": 3, "quarter": 4, "fifth": 5}
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8}
LABELS = (
    "type|stage|grade|class|phase|table|figure|step|chapter|category|group|schedule|chromosome|exon"
    "|trimester|level|page|version|day|week|month"
)
_NAMES = "|".join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))
_COUNTED = rf"(?=[\s-](?:{_NAMES})(?![a-z0-9])|\s(?:to|or|in|out)\s[\d\w])"
_ONE_TIME = r"(hour|day|week|month|year|minute|fortnight)(?![a-z])"
_BEFORE_A = (
    r"\b(within|inside|past|for|in|after|than|about|over|least|lasts?|lasting|under|until|before|to"
    r"|up to|nearly|almost|around|every)"
)
# Isotonic: 9 g of sodium chloride a litre.
_SALINE = re.compile(
    r"(?:0\.9\s?%\s?)?(half-?\s?)?(?<![a-z])(?:normal|physiological|isotonic)\ssaline(?:\s0\.9\s?%)?"
)
_COUNTABLE = r"(?:minute|hour|day|week|month|year|tablet|dose|unit|puff)s?"
_ORDINALS = {word: str(number) for number, word in enumerate(
    "first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1
)}  # fmt: skip


@lru_cache(maxsize=4096)
def levelled(text: str) -> str:
    """Return the text in lower case on one line; a cell's `|` and full stops stay."""
    text = without_marks(unicodedata.normalize("NFC", text))
    text = _POWER.sub(lambda m: "10^" + (m[1] + m[2]).translate(_POWER_DIGITS), text)
    text = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))", "", text)
    text = re.sub(r"[.·\s]?\b(kg|g|ml|l|h|min|day|d|m²)[⁻-][¹1](?!\d)", r"/\1", text, flags=re.I)
    text = re.sub(r"\^([^\s^]{1,3})\^", r"^\1", text.translate(_SIGNS))
    text = "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text.lower())
    text = " ".join(text.split())
    text = re.sub(r"\[\d+(?:\s?[,-]\s?\d+)*\]", " ", text)
    return _phrases(_words_to_digits(_digits(text)))


def ordinal_of(word: str) -> str:
    """Return the digits of `second` or `2nd`."""
    return _ORDINALS.get(word) or re.sub(r"\D", "", word)


def _digits(text: str) -> str:
    """Remove thousands separators, write decimals with a point and fractions as decimals."""
    text = re.sub(r"(?<=\d)\s?\*\*?\s?10\^", " × 10^", text)
    text = re.sub(r"(?<![^\s(\[<>≤≥=~/-])\.(?=\d)", "0.", text)
    text = re.sub(
        r"(?<![\d.,])([1-9]\d*)((?:,\d{3})+)(?![\d]|,\d)",
        lambda m: m[1] + m[2].replace(",", ""),
        text,
    )
    text = re.sub(
        r"(?<![\d.,])([1-9]\d{0,2})((?: 000)+)(?!\d)", lambda m: m[1] + m[2].replace(" ", ""), text
    )
    text = re.sub(r"(?<![\d,.])(\d+),(\d{1,2}|(?<=0,)\d{3,})(?!\d|,\d|\.\d)", r"\1.\2", text)
    return re.sub(r"(?<![\w/.-])(?:(\d{1,9})\s+)?\s?([1357])/([248])\s*(?![\d/])", _fraction, text)


def _fraction(match: re.Match[str]) -> str:
    whole, above, below = int(match[1] or 0), int(match[2]), int(match[3])
    if above >= below:
        return match[0]
    return f"{written(whole + Fraction(above, below))} "


def _words_to_digits(text: str) -> str:
    names = f"(?:{_NAMES})(?![a-z0-9])"
    compound = rf"(?<![a-z])({_TENS_WORDS})[\s-]({'|'.join(_ORDINALS)})(?![a-z])"
    text = re.sub(compound, lambda m: f"{_WORTH[m[1]] + int(_ORDINALS[m[2]])}th", text)
    text = re.sub(
        rf"(?<![a-z-])(?<!max )(?<!imum )(?<!est )(?:a\s)?single(?=[\s-]{names})", "1", text
    )
    text = re.sub(r"(?<![a-z-])half an?(?=\s)", "0.5", text)
    text = re.sub(r"(?<![a-z-])(?:a\s)?quarter of an?(?=\s)", "0.25", text)
    text = re.sub(r"(?<![a-z-])half[\s-](?=hour)", "0.5 ", text)
    text = re.sub(
        r"(?<![a-z])(two|three)[\s-](third|quarter|fifth)s?(?![a-z])",
        lambda m: f"{_WORTH[m[1]]}/{_BELOW[m[2]]}",
        text,
    )
    text = _NUMBER_WORDS.sub(_spelled, text)
    text = re.sub(r"(?<![\d.])(\d+) and a half(?![a-z])", r"\1.5", text)
    text = re.sub(rf"{_BEFORE_A} an? (?=(?:further )?{_ONE_TIME})", r"\1 1 ", text)
    text = re.sub(
        r"(?<![\d.])(\d{1,9}(?:\.\d{1,9})?)\s(hundred|thousand|million|billion)(?![a-z])",
        lambda m: written(Fraction(m[1]) * _SCALES[m[2]]),
        text,
    )
    return re.sub(
        rf"\b({LABELS})s?\s([ivx]+)(?![a-z])",
        lambda m: f"{m[1]} {_ROMAN[m[2]]}" if m[2] in _ROMAN else m[0],
        text,
    )


def _spelled(match: re.Match[str]) -> str:
    """Return a spelled number in digits; `one` alone only before something countable."""
    words = re.findall(r"[a-z]+", match[0])
    if words == ["one"] and not re.match(
        _COUNTED + r"|\sand\sa\shalf", match.string[match.end() : match.end() + 40]
    ):
        return match[0]
    groups = re.split(r"\sand\s", match[0])
    if len(groups) > 1 and not re.search("hundred|thousand", groups[0]):
        return " and ".join(str(_worth(re.findall("[a-z]+", group))) for group in groups)
    if len(words) > 1 and not _is_one_number(words):
        return " ".join(str(_worth([word])) for word in words)
    return str(_worth([word for word in words if word != "and"]))


def _is_one_number(words: list[str]) -> bool:
    """Tell whether words are one number: `twenty five` and `two hundred ten`, not `five ten`."""
    worths = [_WORTH[word] for word in words if word in _WORTH]
    return len(worths) < len([w for w in words if w != "and"]) or (
        len(worths) == 2 and worths[0] >= 20 and worths[1] < 10
    )


def _worth(words: list[str]) -> int:
    total = group = 0
    for word in words:
        if word in _WORTH:
            group += _WORTH[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in _SCALES:
            total, group = total + (group or 1) * _SCALES[word], 0
    return total + group


def _nth_day(match: re.Match[str]) -> str:
    return f"every {match[1] or {'third': 3, 'fourth': 4}[match[0].split()[1]]} days"


def _phrases(text: str) -> str:
    """Unify signs and phrases that are written in several ways."""
    text = re.sub(r"(?<=\d)\s?(?:per\s?cent|percent|pct)(?![a-z])", "%", text)
    text = re.sub(r"(?<=\d)\s+%", "%", text)
    text = re.sub(r"°\s(?=[cf](?![a-z]))", "°", text)
    text = re.sub(
        r"(?<=\d)\s?(?:degrees?|deg\.?|°)\s?(?:c(?:elsius|entigrade)?|(f)(?:ahrenheit)?)(?![a-z])",
        lambda m: "°f" if m[1] else "°c",
        text,
    )
    text = re.sub(r"(?:square|sq\.?)\s(?:metres?|meters?|m)(?![a-z])|m\^2", "m2", text)
    text = re.sub(r"cubic\s(?:millimetres?|millimeters?|mm)(?![a-z])|mm\^3", "mm3", text)
    text = re.sub(r"(?<![a-z])international\sunits?(?![a-z])", "iu", text)
    text = _SALINE.sub(lambda m: "saline 0.45%" if m[1] else "saline 0.9%", text)
    text = re.sub(r"mm\shg(?![a-z])|millimet(?:re|er)s?\sof\smercury", "mmhg", text)
    text = re.sub(r"(?<=\d)\s?[x×]\s?(?=10\^)", "×", text)
    text = re.sub(r"(?<=\d)×10\^(-?\d{1,2})(?!\d)", lambda m: f"e{m[1]}", text)
    text = re.sub(r"(?<![\w.×])(?<!× )10\^(-?\d{1,2})(?!\d)", lambda m: f"1e{m[1]}", text)
    text = re.sub(r"(?<=[a-z0-9µ%)])(?:\sper\s(?:each\s)?|\s?/\s?)(?=[a-z0-9])", "/", text)
    text = re.sub(
        r"(?<=[a-zµ%])\s(?:(?:for|in)\s)?(?:each|every|an?)\s(?=(?:hour|minute|kg|kilogram)(?![a-z]))"
        r"|(?<=[a-zµ%])\s(?:(?:for|in)\s)?(?:each|every)\s(?=(?:ml|millilit|l|lit(?:re|er)|dl)(?![a-z]))",
        "/",
        text,
    )
    text = re.sub(r"(?<![\d.])(\d{2,3})\sover\s(\d{2,3})(?![\d.])", r"\1/\2", text)
    text = re.sub(r"(?<=\d)\+[\s-](years?|months?|weeks?|days?)(?![a-z])", r" \1+", text)
    text = re.sub(r"(?<=\d)\s?&\s?(?=\d)", " and ", text)
    text = re.sub(
        rf"(?<![a-z])between\s(?:about\s)?(\d[\d.]*{UNIT}?)\sand\s(?=\d)", r"\1 to ", text
    )
    text = re.sub(
        rf"(?<![a-z])between\s((?:{LABELS})s?\s\d+)\sand\s(?:(?:{LABELS})s?\s)?(?=\d)",
        r"\1 to ",
        text,
    )
    text = re.sub(r"(?<=\d)-\s(?=(?:to|or)\s\d)", " ", text)  # `6- to 8-hourly`
    text = re.sub(r"(?<![a-z])first\s(?=(?:hour|day|week|month|year)(?![a-z]))", "first 1 ", text)
    text = re.sub(rf"(?<![a-z])({LABELS})s?\s(\d+)\s(?:to|-)\s\1s?\s(?=\d)", r"\1 \2 to ", text)
    text = re.sub(rf"(?<=\d)\s(or (?:more|fewer|less))\s({_COUNTABLE})(?![a-z])", r" \2 \1", text)
    text = re.sub(r"(?<![a-z])max\.(?=\s)", "max", text)
    text = re.sub(r"(?<=\d)\s?×\s?(?=[a-z])|(?<=\d)\s?x\s(?=uln|upper)", " times ", text)
    text = re.sub(r"(?<![a-z])(over|under)[\s-](?:the\s)?(\d{1,3})s(?![a-z])", r"\1 \2 years", text)
    text = re.sub(r"(?<![a-z])every (?:(\d+)(?:rd|th)|third|fourth) day(?![a-z])", _nth_day, text)
    text = text.replace("&gt;", ">").replace("&lt;", "<")
    return re.sub(r">\s?=|=\s?>", "≥", re.sub(r"<\s?=|=\s?<", "≤", text))
