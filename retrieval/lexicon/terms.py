"""Map short and lay forms to the words of guidelines. Pure.

A clinician types MAP, DKA or heart attack where a guideline may write the words. The words join the
search, and a passage with all of them counts as holding the typed form. Synonyms such as adrenaline
and epinephrine apply in both directions, as do British and American spellings
(`retrieval.lexicon.spellings`), both to the question's words and to the words added to them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from core.language.en.clinical_terms import REVISION as CONDITIONS_REVISION
from core.language.en.clinical_terms import sufferers
from core.language.en.medicines.names import brand_words, drugs
from core.language.en.short_forms.defined import defined_in
from core.language.en.short_forms.numbers import REVISION as NUMBERS_REVISION
from core.language.en.short_forms.table import is_beside, members_of_classes
from core.language.words import MAX_CHARS, WORD
from retrieval.lexicon.spellings import REVISION, respelled
from retrieval.types import Expansion

MAX_SHORT_CHARS, MAX_SHORT_WORDS = 40, 5
MAX_WORDS_CHARS, MAX_WORDS = 120, 12
MAX_BESIDE_CHARS = 300
MAX_EXPANSIONS = 12  # of one question, the first ones: each widens the search

_BETWEEN = re.compile(r"[\s\-\u2010\u2011]+|\.\s?")  # between the words of one form
_SIGNED = re.compile(r"[^\w\s'’&/.,()\u2010\u2011-]|^[-.]")
_PLURAL = re.compile(r"(?<=\w\w)['’]?s\Z")


@dataclass(frozen=True)
class Entry:
    """One meaning of a form.

    `exact`: matched as written, capitals included. `same`: a synonym, both ways. `beside`: words in
    lower case, one of which the text must have besides; `anticoag*` stands for any ending.
    """

    short: str
    words: str
    exact: bool = False
    lay: bool = False
    same: bool = False
    beside: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A form where it stands in a text, and its meanings there: several only for synonyms."""

    start: int
    end: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Lexicon:
    """Entries by the words of their forms; of two that begin at one place the longer counts.

    Of several meanings of a form the one counts that most words beside it speak for, else the one
    that needs none; where two are as likely, none does.

    A brand that no entry has stands for its ingredients (`core.language.en.medicines`).
    """

    entries: tuple[Entry, ...] = ()
    _by_words: dict[tuple[str, ...], tuple[Entry, ...]] = field(
        init=False, repr=False, compare=False
    )
    _lengths: dict[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)
    _signed: tuple[tuple[re.Pattern[str], str], ...] = field(init=False, repr=False, compare=False)
    fingerprint: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        by_words: dict[tuple[str, ...], tuple[Entry, ...]] = {}
        for entry in sorted(self.entries, key=_order):
            if not _SIGNED.search(entry.short):  # `+ve`: `core.language.en.short_forms.numbers`
                key = tuple(_folded(entry.short))
                by_words[key] = (*by_words.get(key, ()), entry)
        for entry in sorted((e for e in self.entries if e.same), key=_order):
            back, key = _turned(entry), tuple(_folded(entry.words))
            known = by_words.setdefault(key, ())
            # What is a form of its own already stands for what its entry says.
            if all(e.same for e in known):
                by_words[key] = (*known, back)
        lengths: dict[str, set[int]] = {}
        for key in by_words:
            lengths.setdefault(_singular(key[0]), set()).add(len(key))
        ordered = {word: tuple(sorted(sizes, reverse=True)) for word, sizes in lengths.items()}
        object.__setattr__(self, "_by_words", by_words)
        signed = [e for e in self.entries if _SIGNED.search(e.short) and not e.beside]
        signed.sort(key=lambda e: (-len(e.short), e.short))
        patterns = ((_exactly(e.short), e.words) for e in signed)
        object.__setattr__(self, "_lengths", ordered)
        object.__setattr__(self, "_signed", tuple(patterns))
        object.__setattr__(self, "fingerprint", _fingerprint(self.entries))

    def found_in(self, text: str) -> tuple[Expansion, ...]:
        """Return the known forms in a text whose words it doesn't have yet, each once, in order.

        They are followed by synonyms and spellings of the text's words and of the words just added,
        and by the conditions of its adjectives (`septic patient`); these have `same` set.
        """
        text = text[:MAX_CHARS]
        typed = tuple(islice(self._new(text, text, same=False), MAX_EXPANSIONS))
        meant = " ; ".join([text, *(each.words for each in typed)])
        names = islice(self._new(meant, "", same=True), MAX_EXPANSIONS)
        ill = [Expansion(*each, same=True) for each in dict.fromkeys(sufferers(text))]
        meant = " ; ".join([meant, *(each.words for each in ill)])
        return (*typed, *names, *ill, *respelled(meant))

    def every_in(self, text: str) -> tuple[Expansion, ...]:
        """Return every known form in a text, each once, in order, whatever else the text says."""
        return tuple(dict.fromkeys(self._every(text[:MAX_CHARS])))

    def signs_read(self, text: str) -> str:
        """Return a text with its forms that have signs in words: `K+`, `+ve`."""
        for pattern, words in self._signed:
            text = words.join(pattern.split(text))
        return text

    def _new(self, text: str, known: str, *, same: bool) -> Iterator[Expansion]:
        """Yield the expansions of `text`, each once, except those whose words occur in `known`."""
        known, seen = f" {' '.join(_folded(known))} ", set[tuple[str, str]]()
        for expansion in dict.fromkeys(self._every(text)):
            words = " ".join(_folded(expansion.words))
            key = (" ".join(_folded(expansion.short)) if same else "", words)
            if expansion.same is same and f" {words} " not in known and key not in seen:
                seen.add(key)
                yield expansion

    def _every(self, text: str) -> Iterator[Expansion]:
        for found in self.places(text):
            typed = text[found.start : found.end]
            for entry in found.entries:
                yield Expansion(typed, entry.words, lay=entry.lay, same=entry.same)

    def places(self, text: str) -> Iterator[Found]:
        """Yield each known form of a text, in order, with what it means beside the other words."""
        tokens = list(WORD.finditer(text))
        folded = [token.group().casefold() for token in tokens]
        spelled_out = defined_in(text)  # `PE (pre-eclampsia)` needs no entry
        # Where all is typed in capitals, they tell MAP from a map no more.
        is_shouted = len(tokens) > 3 and text.upper() == text
        place = 0
        while place < len(tokens):
            match = self._at(text, tokens, folded, place, is_shouted=is_shouted)
            if match is None:
                token = tokens[place]
                if generic := brand_words(folded[place]):
                    yield Found(*token.span(), (Entry(token.group(), generic, lay=True),))
                place += 1
                continue
            entries, size = match
            start, end = tokens[place].start(), tokens[place + size - 1].end()
            place += size
            if text[start:end] not in spelled_out:
                yield Found(start, end, entries)

    def _at(
        self,
        text: str,
        tokens: list[re.Match[str]],
        folded: list[str],
        place: int,
        *,
        is_shouted: bool,
    ) -> tuple[tuple[Entry, ...], int] | None:
        for size in self._lengths.get(_singular(folded[place]), ()):
            part = tokens[place : place + size]
            if len(part) < size or not _is_one(text, part):
                continue
            around = [*folded[:place], *folded[place + size :]]
            typed = [token.group() for token in part]
            if entries := self._of(typed, around, is_shouted=is_shouted):
                return entries, size
        return None

    def _of(
        self, typed: list[str], around: Sequence[str], *, is_shouted: bool
    ) -> tuple[Entry, ...]:
        """Return the entries of the typed words or of their singular; several only for synonyms."""
        for form in (typed, [*typed[:-1], _PLURAL.sub("", typed[-1])]):
            entries = self._by_words.get(tuple(word.casefold() for word in form), ())
            fitting = [
                e
                for e in entries
                if not e.exact or (WORD.findall(e.short) == form and not is_shouted)
            ]
            if meant := _meant(fitting, around):
                return meant
        return ()


def _exactly(form: str) -> re.Pattern[str]:
    """Match a form with signs, whatever its case; not within another one, or a number."""
    return re.compile(rf"(?<![\w+-]){re.escape(form)}(?![\w+])", re.IGNORECASE)


def _meant(entries: Sequence[Entry], around: Sequence[str]) -> tuple[Entry, ...]:
    """Return the entries of the meaning that the words around speak for; empty if none is clear."""
    spoken_for = [
        (sum(is_beside(e.beside, word) for word in around), e) for e in entries if e.beside
    ]
    most = max((count for count, _ in spoken_for), default=0)
    if most:
        best = [entry for count, entry in spoken_for if count == most]
        return tuple(best) if len({entry.words for entry in best}) == 1 else ()
    plain = [entry for entry in entries if not entry.beside]
    if len(plain) > 1 and not all(entry.same for entry in plain):
        plain = [entry for entry in plain if entry.exact] or plain[:1]
    return tuple(plain)


def spelled_out(text: str, expansions: Iterable[Expansion]) -> str:
    """Return the text with each form followed by its words in brackets, for an encoder.

    Leaves out synonyms and spellings, which encoders know.
    """
    for each, place in reversed(_placed(text, [e for e in expansions if not e.same])):
        text = f"{text[: place.end()]} ({each.words}){text[place.end() :]}"
    return text


def by_every_name(text: str, expansions: Iterable[Expansion]) -> str:
    """Return the text spelled out, then repeated with each synonym in place of the name.

    And with each member of a class whose words name one medicine alone: LMWH is no heparin only.
    """
    every = list(expansions)
    whole = spelled_out(text, every)
    members = members_of_classes()
    names = [
        replace(each, words=member)
        for each in every
        if not each.same and drugs(each.words)
        for member in members.get(each.short.casefold(), ())
    ]
    named = (_renamed(whole, each) for each in (*names, *(e for e in every if e.same)))
    return "; ".join(dict.fromkeys([whole, *named]))


def _renamed(text: str, name: Expansion) -> str:
    return re.sub(rf"(?<!\w){re.escape(name.short)}(?!\w)", lambda _: name.words, text)


def in_clinical_words(text: str, expansions: Iterable[Expansion]) -> str:
    """Return the text with each lay form replaced by its clinical words."""
    for each, place in reversed(_placed(text, [e for e in expansions if e.lay])):
        text = f"{text[: place.start()]}{each.words}{text[place.end() :]}"
    return text


def _placed(text: str, expansions: Iterable[Expansion]) -> list[tuple[Expansion, re.Match[str]]]:
    """Return each form with its first occurrence, in order of the text."""
    placed = [
        (each, place)
        for each in expansions
        if (place := re.search(rf"(?<!\w){re.escape(each.short)}(?!\w)", text))
    ]
    return sorted(placed, key=lambda pair: pair[1].start())


def entry_fault(short: str, words: str, *, same: bool = False, beside: str = "") -> tuple[str, str]:
    """Return the invalid field of an entry and a sentence saying why; both empty if it is valid."""
    forms, meant = _folded(short), _folded(words)
    if not forms or len(short) > MAX_SHORT_CHARS or len(forms) > MAX_SHORT_WORDS:
        return (
            "short",
            f"Give 1 to {MAX_SHORT_WORDS} words of {MAX_SHORT_CHARS} characters at most.",
        )
    if len(short) < 2 and not beside:
        return "short", "A single letter stands for too many things: say beside which words."
    if not meant or len(words) > MAX_WORDS_CHARS or len(meant) > MAX_WORDS:
        return "words", f"Give 1 to {MAX_WORDS} words of {MAX_WORDS_CHARS} characters at most."
    if f" {' '.join(forms)} " in f" {' '.join(meant)} ":
        return "words", "The words must not hold what is typed: they are added to it."
    if same and min(map(len, (*forms, *meant))) < 2:
        return "words", "A single letter stands for too many things to be a part of a name."
    return "", ""


def _folded(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]


def _singular(word: str) -> str:
    return _PLURAL.sub("", word)


def _is_one(text: str, tokens: list[re.Match[str]]) -> bool:
    gaps = itertools.pairwise(tokens)
    return all(_BETWEEN.fullmatch(text, before.end(), after.start()) for before, after in gaps)


def _turned(entry: Entry) -> Entry:
    return replace(entry, short=entry.words, words=entry.short)


def _order(entry: Entry) -> tuple[str, str, bool, bool, bool, tuple[str, ...]]:
    return (entry.short, entry.words, entry.exact, entry.lay, entry.same, entry.beside)


def _fingerprint(entries: Iterable[Entry]) -> str:
    """Return 16 hex digits over all entries and the versions of the rules beside them."""
    rules = [REVISION, NUMBERS_REVISION, CONDITIONS_REVISION]
    content = json.dumps([*rules, *(_order(entry) for entry in sorted(entries, key=_order))])
    return hashlib.sha256(content.encode()).hexdigest()[:16]
