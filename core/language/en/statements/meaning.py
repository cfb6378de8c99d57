"""Label passages so that those with the same meaning have the same label. Pure.

Two passages are near-duplicates if they have the same words in the same order, below the same
title, headings and population. Differences without meaning are ignored: case, white space,
quotation marks, bullets, hyphens inside words, articles, British and American spelling, ways to
write a number or a unit, a closed list of synonyms; and in titles words such as "guideline" or a
year.

Similarity of vectors is not used: "5 mg" and "50 mg", "adults" and "children", "give" and "do not
give" are closer to each other than many a copy is to its original. Every word that is in no list
below counts, so that an unforeseen difference keeps two passages apart. Equal labels are an
equivalence: groups do not depend on the order of indexing.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

LABEL_DIGITS = 32

_UNITS = {
    "ug": "ug mcg microgram micrograms",
    "mg": "mg milligram milligrams",
    "g": "g gram grams",
    "kg": "kg kilogram kilograms",
    "ml": "ml mL millilitre millilitres milliliter milliliters",
    "l": "l L litre litres liter liters",
    "s": "s sec secs second seconds",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "day": "day days",
    "week": "week weeks wk wks",
    "month": "month months",
    "year": "year years yr yrs",
    "unit": "unit units",
    "iu": "iu IU",
    "ng": "ng nanogram nanograms",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "mmol": "mmol millimol millimole millimoles",
    "umol": "umol micromol micromole micromoles",
    "dl": "dl dL decilitre decilitres deciliter deciliters",
    "mmhg": "mmHg",
    "kpa": "kPa",
    "%": "% percent",
}
_SYNONYMS = {
    "give": "give administer",
    "given": "given administered",
    "giving": "giving administering",
    "start": "start commence initiate",
    "started": "started commenced initiated",
    "stop": "stop discontinue cease",
    "stopped": "stopped discontinued ceased",
    "patient": "patient patients person persons people",
    "maximum": "maximum max",
    "approximately": "approximately approx",
    "while": "while whilst",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_SYNONYM_OF = {name: word for word, names in _SYNONYMS.items() for name in names.split()}
_SPELLED_OUT = 4  # letters; a shorter unit counts only as a unit is written: `Mg` is no `mg`
_ARTICLES = frozenset(("a", "an", "the"))
# Nitric oxide, leukaemia, anorexia nervosa ...: in capitals they are no everyday words.
_ABBREVIATIONS = frozenset("NO ALL AN IT US AS OR AIDS".split())
# Words of a title about the document and not about its subject.
_ABOUT_DOCUMENTS = frozenset(
    "guideline guidelines guidance policy protocol procedure handbook manual document leaflet "
    "version edition revision revised draft final copy updated update nhs of for and in to "
    "( ) [ ] , .".split()
)
_DASHES = re.compile("[\u2010-\u2015\u2212]")
_QUOTES = re.compile("[\"'`\u2018-\u201f]")  # no primes: those are minutes and seconds
# A dash that begins a line; not U+2212, which is a minus, and not the first cell of a row.
_BULLETS = re.compile(
    "[\u2022\u2023\u25aa\u25ab\u25cf\u25e6\u2043]"
    "|^[^\\S\n]*[-\u2010-\u2015](?=[^\\S\n])(?![^\n]*\\|)",
    re.MULTILINE,
)
_LEADING_POINT = re.compile(r"(?<![\d.])\.(?=\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INNER_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+|\n|\S")
# Only what is written as a section's number ("3." or "3.1", then a capital), never a quantity.
_HEADING_NUMBER = re.compile(
    r"^\s*(?:\d+\.|\d+(?:\.\d+)+\.?)\s+(?=[A-Z][a-z]{2,})"
    r"(?!(?:Mcg|Units?|Years?|Months?|Weeks?|Days?|Hours?|Minutes?|Mins?)\b)"
)

_VERSION = re.compile(r"\b(?:v|ver|version)\.?\s*\d+(?:\.\d+)*|\b(?:19|20)\d\d\b", re.IGNORECASE)
_IZE = re.compile(r"(?<=[a-z]{3})is(e[ds]?|ing|ations?)$")


def meaning_label(
    text: str, *, title: str = "", section_path: Sequence[str] = (), population: str = ""
) -> str:
    """Return 32 hexadecimal digits, equal for two passages if and only if they say the same."""
    parts = [_words(text), _above(title, section_path), sorted(_words(population))]
    content = "\x1e".join("\x1f".join(part) for part in parts)
    return hashlib.sha256(content.encode()).hexdigest()[:LABEL_DIGITS]


def _above(title: str, section_path: Sequence[str]) -> list[str]:
    """Return the title and headings of a passage in normalised words, each once, sorted.

    Words about the document, versions and numbers of headings are left out.
    """
    matter = [w for w in _words(_VERSION.sub(" ", title)) if w not in _ABOUT_DOCUMENTS]
    headings = [_words(_HEADING_NUMBER.sub("", line)) for line in section_path]
    return sorted({" ".join(words) for words in (matter, *headings)} - {""})


def _words(text: str) -> list[str]:
    """Return the words, numbers and signs of a text, normalised, in order."""
    text = _BULLETS.sub(" ", _QUOTES.sub("", unicodedata.normalize("NFC", text)))
    text = _DASHES.sub("-", text).replace("µ", "u").replace("μ", "u")
    text = _THOUSANDS.sub("", _LEADING_POINT.sub("0.", text))
    tokens = _TOKEN.findall(_INNER_HYPHEN.sub(" ", text))
    words: list[str] = []
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if token in (".", ";", "\n"):  # the end of a sentence, an item or a row
            if words and words[-1] not in (".", ":"):
                words.append(".")
        elif token[0].isdigit():
            is_decimal = "." in token and after in _UNIT_OF
            words.append(token.rstrip("0").rstrip(".") if is_decimal else token)
        elif before[:1].isdigit() or before == "/":
            # A unit; an unknown one keeps its case if it is short.
            is_long = len(token) >= _SPELLED_OUT
            words.append(_word(token) if is_long else _UNIT_OF.get(token, token))
        elif not _is_article(token, before):
            words.append(_word(token))
    return words[:-1] if words and words[-1] == "." else words


@lru_cache(maxsize=20_000)  # most words of a passage occur in earlier ones
def _word(token: str) -> str:
    if token in _ABBREVIATIONS:
        return token
    word = token.casefold()
    if len(word) >= _SPELLED_OUT and word in _UNIT_OF:
        return _UNIT_OF[word]
    if len(word) >= 5:
        word = word.replace("ae", "e").replace("oe", "e").replace("sulph", "sulf")
    word = _IZE.sub(r"iz\1", word[:3] + word[3:].replace("our", "or"))
    return _SYNONYM_OF.get(word, word)


def _is_article(word: str, before: str) -> bool:
    """Tell whether a word is an article.

    A capital `A` is one only where a sentence begins, since there is a hepatitis A.
    """
    if word == "A":
        return before in ("", ".", ":", "\n")
    return word not in _ABBREVIATIONS and word.casefold() in _ARTICLES
