"""Guess the language of a question by a vote of stop words. Pure.

Covers the languages that PostgreSQL can search by words. A question is short and full of Latin and
Greek terms: what is not clearly in another language counts as English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from core.language.words import WORD

DEFAULT = "en"
MIN_WORDS = 4  # of a text in Latin script; a shorter one stays with the default
MIN_VOTES = 3  # `no bleeding, do they need` has two words of Portuguese
MAX_WORDS = 300

_STOP_WORDS = {
    "ca": "el la els les de del i en què és són com per amb una no quin quina quan dels aquest",
    "da": "og i det er en den til på som med for af ikke hvad hvor hvordan hvilken skal kan ved"
    " hos",
    "de": "der die das und ist ein eine nicht mit für bei von wie was wann welche welcher dem den"
    " kann soll werden auf zu im",
    "en": "the of and is a an in to for with what which when how should be are on at or by can do"
    " does that it not from as this",
    "es": "el la los las de del y en que es un una por con para qué cuál cómo cuándo se no son debe"
    " puede dosis",
    "et": "ja on ei see et kas mis kui kuidas või oma ning mida milline millal tuleb",
    "eu": "eta da zer nola noiz bat ez dira zein baino izan egin dago du",
    "fi": "ja on ei se että mikä miten milloin kun tai ovat mitä voi pitää kanssa",
    "fr": "le la les de des du et est un une dans pour avec que quelle quel quand comment il elle"
    " ne pas sont chez faut par sur doit",
    "ga": "an na agus is ar le go do cad conas cathain ag tá bhfuil don den",
    "hu": "a az és hogy nem mi milyen mikor hogyan van egy kell mely vagy ha esetén",
    "id": "yang dan di ke dari untuk dengan apa bagaimana kapan adalah pada tidak ini itu dapat",
    "it": "il lo la gli le di del della e è un una in per con che quale quali come quando non si"
    " sono nel deve può",
    "lt": "ir yra kas kaip kada ar ne su į iš tai kad bei kokia koks ką",
    "nl": "de het een en is van in op met voor bij niet wat welke wanneer hoe moet kan zijn aan dat"
    " te",
    "no": "og i det er en et den til på som med for av ikke hva hvor hvordan hvilken skal kan ved"
    " hos",
    "pt": "o a os as de do da dos das e em que é um uma para com por qual quais como quando não se"
    " são deve pode no na",
    "ro": "și de la în cu este un o care cum când nu pentru din ce sunt pe ale trebuie",
    "sr": "i je u na se da za sa koji koja kako kada šta ne od su li",
    "sv": "och i det är en ett den till på som med för av inte vad hur när vilken ska kan vid hos",
    "tr": "ve bir bu ne nasıl için ile mi mı mu de da olan hangi zaman nedir var",
}
_SETS = {code: frozenset(words.split()) for code, words in _STOP_WORDS.items()}

# Where the script says it, or nearly; Serbian and Nepali have letters and words of their own.
_SCRIPTS = {
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "el": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "hy": re.compile(r"[\u0530-\u058f]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "ta": re.compile(r"[\u0b80-\u0bff]"),
    "yi": re.compile(r"[\u0590-\u05ff]"),
}
_SERBIAN = re.compile(r"[ђјљњћџ]", re.IGNORECASE)
_NEPALI = re.compile(r"(?:छ|छन्|हुन्छ|गर्ने|भएको)(?!\w)")


@lru_cache(maxsize=1024)
def language(text: str, *, default: str = DEFAULT) -> str:
    """Return an ISO 639-1 code; the default for a short, mixed or unknown text."""
    letters = [letter for letter in text[:5000] if letter.isalpha()]
    if by_script := _by_script("".join(letters), text[:5000]):
        return by_script
    typed = [word.casefold() for word in WORD.findall(text)[:MAX_WORDS]]
    return _voted(typed, default) if len(typed) >= MIN_WORDS else default


def prevailing(texts: Iterable[str]) -> str:
    """Return the language of most texts, such as the pages of a document; English for none."""
    counts = Counter(language(text) for text in texts)
    return min(counts, key=lambda code: (-counts[code], code != DEFAULT, code), default=DEFAULT)


def base_of(code: str) -> str:
    """Return the language of a code such as `de`, `pt-BR` or `de_CH`, in lower case."""
    return code.strip().lower().replace("_", "-").split("-")[0]


def function_words(code: str) -> frozenset[str]:
    """Return a language's stop words in lower case; empty for a language without a list."""
    return _SETS.get(code, frozenset())


def _by_script(letters: str, text: str) -> str:
    """Return the language of the script that most letters belong to; empty for Latin script."""
    for code, pattern in _SCRIPTS.items():
        if 2 * len(pattern.findall(letters)) > len(letters):
            if code == "ru" and _SERBIAN.search(text):
                return "sr"
            return "ne" if code == "hi" and _NEPALI.search(text) else code
    return ""


def _voted(typed: list[str], default: str) -> str:
    """Return the language with the most votes; a word of several languages splits its vote."""
    votes: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for word in typed:
        speakers = [code for code, words in _SETS.items() if word in words]
        for code in speakers:
            votes[code] += 1 / len(speakers)  # type: ignore[assignment]
            hits[code] += 1
    best = min(_SETS, key=lambda code: (-round(votes[code], 6), code != default, code))
    clear = hits[best] >= MIN_VOTES and votes[best] > votes[default]
    return best if clear else default
