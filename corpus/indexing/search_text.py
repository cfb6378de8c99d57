"""Prepare text for PostgreSQL's full-text search. Pure; for indexed text and queries alike.

PostgreSQL's parser reads `.5 mg` as `5`, `mg`, takes `metformin/sitagliptin` and `mg/kg` for file
paths, `5-10` for `5` and `-10`, `b.d` for a host and `<65 to >` for markup; its English stop words
include "no" and "not". The result here is words and numbers between spaces that can't be misread,
with common variants of a term unified. Only the search vector is made from it, nothing that is
quoted, embedded or verified. A change here changes every document's vector: raise
`SEARCH_TEXT_REVISION`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from core.language.configurations import ENGLISH, SIMPLE, marks_of

SEARCH_TEXT_REVISION = 3

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "sigma tau upsilon phi chi psi omega"
).split()
_GREEK = dict(zip("αβγδεζηθικλμνξοπρςστυφχψω", _GREEK_NAMES, strict=True))
_GREEK |= {letter.upper(): name for letter, name in _GREEK.items()}
_FRACTIONS = str.maketrans(
    {"½": ".5", "¼": ".25", "¾": ".75", "⅓": ".33", "⅔": ".67", "⅛": ".125"}  # `2½` is 2.5
)
_OTHER_LATIN = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ł": "l", "đ": "d"}
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# One character that NFKC would glue to the number before it, or tear from it.
_POWER = re.compile("(?<=10)([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_GROUPED = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")

_MICRO = re.compile(r"(?<![^\W\d_])μ(?=(?:g|mol|l|m|s|kat|iu|u|v)\b)", re.IGNORECASE)
_LONE_GREEK = re.compile("(?<![Ͱ-Ͽ])[Α-Ωα-ω](?![Ͱ-Ͽ])")
_LETTER = r"[^\W\d_]"
_OVER_PAGES = re.compile(rf"-\n(?<={_LETTER}{{2}}-\n)(?={_LETTER})")
_ABBREVIATED = re.compile(r"\b[A-Za-z](?:\.[A-Za-z])+\b\.?")  # b.d., p.o.
_AMPERSAND = re.compile(r"\b([A-Za-z])\s?&\s?([A-Za-z])(?=s?\b)")  # A&E
_ION = re.compile(r"\b(Na|K|Li|Ca|Mg|H|NH4|Cl|HCO3)(?:\d?\+{1,2}|(?<=Cl)-|(?<=HCO3)-)(?![\w+])")
_LETTERED = re.compile(  # `a` and `i` are stop words
    r"\b(hepatitis|vitamin|influenza|ha?emophilia|group|strep|type|stage|grade|class|factor)"
    r"\s+([ai])\b",
    re.IGNORECASE,
)
_LETTER_NUMBER = re.compile(r"\b([A-Z]) (\d{1,3})\b(?![.,]\d)")  # vitamin B 12
_X_RAY = re.compile(r"\bx rays?\b", re.IGNORECASE)
_CONTRACTED = re.compile(r"\b[A-Za-z]+n['’]t\b")

_POWER_OF_TEN = re.compile(r"\b10(?:\^|\*\*?|E)([-+]?\d{1,2})\b")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_SPACED_THOUSANDS = re.compile(r" 000(?<=\d 000)(?!\d)")
_DECIMAL_COMMA = re.compile(r",(?<=\d,)(?=\d{1,2}\b(?!,))")
_LEADING_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
_TRAILING_ZEROS = re.compile(r"(?<![\w.])(\d+)(?:\.0+|(\.\d*?[1-9])0+)(?!\.?\d)")
_UNITS = (
    "mg mcg ug kg g ng ml dl l mmol umol micromol nmol pmol mol meq iu units? u mm cm kpa mmhg "
    "hours? hrs? h mins? minutes? days? weeks? months? years? yrs? bpm kcal x c"
).replace(" ", "|")
_GLUED_UNIT = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?)(?=(?:{_UNITS})\b)", re.IGNORECASE)
_POINT = re.compile(r"\.(?!(?<=\d\.)\d)")
_BETWEEN_DIGITS = re.compile(r"-(?<=\d-)(?=\d)")
_SYMBOLS = re.compile(r"[!\"#$%&'()*+,/:;<=>?@\[\\\]^_`{|}~’‘“”…—•°±×÷≤≥≈→←]")
_PLAIN = re.compile(r"[A-Za-z]+|[\d.]+")
_LETTERS_DIGITS = re.compile(rf"({_LETTER}{{2,}})(\d{{1,4}}[A-Za-z]?)")  # COVID19, IL6, IL1b

# The levels of the marks that a passage's search vector has for lexemes that weigh much: percent of
# the most that BM25 gives a lexeme, which is what it comes near to the more often the lexeme
# stands, `100 * tf / (tf + k1 * (1 - b + b * length / average length))`. With Lucene's k1 and b and
# a fixed average, so that a mark of a passage does not depend on what else is indexed.
STRONG = (65, 75, 80, 85, 90)

MAX_JOINED_CHARS = 40  # of a compound; what is longer is found by its parts

_ONE_WORD = {
    word: name
    for name, words in {
        "microgram": "ug mcg microgramme micrograms microgrammes",
        "micromol": "umol micromole micromoles micromols",
        "mg": "milligram milligrams milligramme milligrammes",
        "ml": "millilitre millilitres milliliter milliliters",
        "mmol": "millimole millimoles",
    }.items()
    for word in words.split()
}
# Stop words in small letters, in capitals a disease, an organisation, a route.
_CAPITALS = {"ALL": "termall", "AS": "termas", "IT": "termit", "ME": "termme", "WHO": "termwho"}


def normalise(text: str, configuration: str = ENGLISH) -> str:
    """Return words and numbers between single spaces, for `to_tsvector` with that configuration.

    Keeps order and case. Accepts any string; characters that PostgreSQL can't store become spaces.
    """
    return _words(_numbers(_terms(_characters(text))), configuration)


def indexed_text(context: str, text: str, configuration: str = ENGLISH) -> str:
    """Return the text to index for a passage, with its context twice.

    Repeating a field weights it: Robertson, Zaragoza and Taylor, Simple BM25 Extension to Multiple
    Weighted Fields, CIKM 2004.
    """
    return normalise(f"{context}\n{context}\n{text}", configuration)


def _characters(text: str) -> str:
    """Replace characters that look or mean the same by one."""
    if text.isascii():
        return text.replace("\x00", " ")
    text = _UNSTORABLE.sub(" ", text)
    text = _GROUPED.sub("", _POWER.sub(r"^\1", text)).translate(_FRACTIONS)
    text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return _LONE_GREEK.sub(_greek_name, _MICRO.sub("u", _INVISIBLE.sub("", text)))


def _greek_name(match: re.Match[str]) -> str:
    """Return `TNFα` as `TNF-alpha`, `β2` as `beta2`."""
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    name = _GREEK[match.group()]
    return f"{'-' if before.isalnum() else ''}{name}{'-' if after.isalpha() else ''}"


def _terms(text: str) -> str:
    """Join abbreviations with points and other terms that the parser would split."""
    text = _OVER_PAGES.sub("-", text)
    text = _ABBREVIATED.sub(lambda match: match.group().replace(".", "") + " ", text)
    text = _AMPERSAND.sub(r"\1and\2", text)
    text = _ION.sub(r" \1ion \1 ", text)
    text = _LETTERED.sub(r"\1 \1\2 \2", text)
    return _X_RAY.sub("x-ray", text)


def _numbers(text: str) -> str:
    """Make each number one token without a sign, apart from its unit."""
    text = _POWER_OF_TEN.sub(r"10e\1", text)
    text = _SPACED_THOUSANDS.sub("000", _THOUSANDS.sub("", text))
    text = _DECIMAL_COMMA.sub(".", text)
    text = _LEADING_POINT.sub("0.", text)
    text = _TRAILING_ZEROS.sub(r"\1\2", text)
    text = _GLUED_UNIT.sub(r"\1 ", text)
    return _LETTER_NUMBER.sub(r"\1\2 \1 \2", text)


def _words(text: str, configuration: str) -> str:
    if configuration == ENGLISH:
        text = _CONTRACTED.sub(" not ", text)
    text = _POINT.sub(" ", _BETWEEN_DIGITS.sub(" ", text))
    instead = _instead(configuration)
    written: list[str] = []
    for token in _SYMBOLS.sub(" ", text).split():
        other = instead.get(token) or instead.get(token.lower())
        if other:
            written.append(other)
        elif _PLAIN.fullmatch(token):
            written.append(token)
        else:
            written.extend(_forms(token, instead, configuration))
    return " ".join(written)


@cache
def _instead(configuration: str) -> dict[str, str]:
    """Map words, in lower and upper case, to the word to index in their place."""
    return _ONE_WORD | marks_of(configuration) | (_CAPITALS if configuration == ENGLISH else {})


def _forms(token: str, instead: dict[str, str], configuration: str) -> Iterator[str]:
    """Yield a word's indexed forms: `IL-6` as `IL6`, `IL` and `6`; `COVID19` as `COVID 19`."""
    parts = [part for part in token.split("-") if part]
    forms = [instead.get(part.lower(), part) for part in parts]
    if len(parts) > 1 and len(token) <= MAX_JOINED_CHARS:
        forms.insert(0, "".join(parts))
    elif match := _LETTERS_DIGITS.fullmatch(token.strip("-")):
        forms.extend(match.groups())
    for form in forms:
        yield from _accented(form, configuration)


def _accented(word: str, configuration: str) -> tuple[str, ...]:
    """Return the word without accents, and with them where the stemmer needs them."""
    if word.isascii():
        return (word,)
    plain = without_accents(word)
    return (plain,) if configuration in (ENGLISH, SIMPLE) or plain == word else (word, plain)


def without_accents(word: str) -> str:
    """Remove the accents of Latin letters; leave other scripts."""
    kept = [
        unicodedata.normalize("NFD", letter)[0]
        if unicodedata.normalize("NFD", letter)[0].isascii()
        else letter
        for letter in word.translate(_OTHER_LATIN)
    ]
    return "".join(kept)
