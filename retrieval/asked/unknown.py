"""Find words in a medicine's place that name no medicine, and tell whether passages have them."""

from __future__ import annotations

from collections.abc import Sequence, Set

from core.language.detection import DEFAULT, function_words
from core.language.en.medicines.names import drug_classes, drugs, words_in_place
from core.language.gloss import spoken_in
from core.language.words import MAX_CHARS, distinct, words
from retrieval.asked.spelling import is_slip, unlisted
from retrieval.prepared.site_lexicon import site_lexicon
from retrieval.types import Query

_LONG_ENOUGH = 6  # letters of a name beside a statement that may have it
_EVERYDAY = 3.3  # on the Zipf scale, logarithm of uses in 10^9 words: above all rare brands


def unknown_names(text: str) -> dict[str, str]:
    """Return the words in a medicine's place that name none, as typed: `Xyz` of `Xyz dose?`.

    Each with the words that the lexicon has for it, which are no medicine either (`full blood
    count` of `fbc weekly dose`); empty for a word that nothing knows. Everyday English is left out.
    Runs no query. Empty for another language than English.
    """
    if spoken_in(text) != DEFAULT:
        return {}
    known: dict[str, str] = {}
    for each in site_lexicon().every_in(text):
        known |= dict.fromkeys((part.lower() for part in words(each.short)), each.words)
    typed = words_in_place(text[:MAX_CHARS])
    strange = unlisted(
        word.lower()
        for word in typed
        if word.lower() not in function_words(DEFAULT) and not _is_everyday(word.lower())
    )
    return {
        word: known.get(word.lower(), "")
        for word in typed
        if word.lower() in known or word.lower() in strange
        if not _is_medicine(known.get(word.lower(), ""))
    }


def _is_medicine(meaning: str) -> bool:
    return bool(drugs(meaning) or drug_classes(meaning))


def medicines_not_known(query: Query, passages: Sequence[str]) -> tuple[str, ...]:
    """Return the unknown names in a question that no passage has, one slip apart at most."""
    if not (unknown := unknown_names(query.text)):
        return ()
    shown = {each.lower() for each in distinct(words("\n".join(passages)))}
    return tuple(word for word, meant in unknown.items() if not is_said(word, meant, shown))


def is_said(word: str, meant: str, shown: Set[str]) -> bool:
    """Tell whether lower-case words have a word, or all words of what it stands for."""
    ways = ([word.lower()], words(meant.lower()))
    return any(way and all(any(is_form(w, each) for each in shown) for w in way) for way in ways)


def is_form(word: str, shown: str) -> bool:
    """Tell whether a word shown is the word, its plural, or a longer one that is a slip away.

    A slip keeps the first letter and, as `is_slip` says, exchanges none.
    """
    if shown.removesuffix("s") == word.removesuffix("s"):
        return True
    is_long = min(len(word), len(shown)) >= _LONG_ENOUGH
    return is_long and word[0] == shown[0] and is_slip(word, shown)


def _is_everyday(word: str) -> bool:
    """Tell whether English has a word at least 2 times in a million, as it has no rare brand."""
    from wordfreq import zipf_frequency  # late: 60 MB

    return zipf_frequency(word, DEFAULT, wordlist="best") >= _EVERYDAY
