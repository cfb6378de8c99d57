"""Write a question as it would be said: short forms spelled out, ages and spans as words. Pure.

The encoder and the readers were taught on sentences. What is typed stays beside it: rules on
medicines, patients and numbers read that, and both are searched for.
"""

from __future__ import annotations

from core.language.en.questions.limits import when_contraindicated
from core.language.en.short_forms.numbers import in_words
from core.language.words import MAX_CHARS, words
from retrieval.lexicon.terms import Found, Lexicon

_CAPITALS = 2  # of a form that guidelines use too, which stays beside its words: `HIV`, `CrCl`


def in_plain_words(text: str, known: Lexicon) -> str:
    """Return a question in plain words; as it is where nothing is short for anything."""
    text = in_words(known.signs_read(text[:MAX_CHARS]))
    said = f" {' '.join(words(text)).casefold()} "
    parts, at = [], 0
    for found in known.places(text):
        if plain := _plain(text, found, said):
            parts += [text[at : found.start], plain]
            at = found.end
    return when_contraindicated("".join([*parts, text[at:]]))


def _plain(text: str, found: Found, said: str) -> str:
    """Return what a form is written as; empty where it stays, or its words are there."""
    entry, typed = found.entries[0], text[found.start : found.end]
    if entry.same or entry.lay or f" {' '.join(words(entry.words)).casefold()} " in said:
        return ""
    is_used = max(_capitals(typed), _capitals(entry.short)) >= _CAPITALS
    shown = entry.short if typed.islower() else typed
    return f"{shown} ({entry.words})" if is_used else entry.words


def _capitals(text: str) -> int:
    return sum(letter.isupper() for letter in text)
