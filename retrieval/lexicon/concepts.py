"""Map the words of a text to concepts, whichever name of a concept they use. Pure.

Names come from UMLS rows or from a lexicon, whose short forms share a concept with their words. Of
names that begin at the same place the longest counts, as in `Lexicon`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.errors import MedragError
from core.language.words import words
from retrieval.lexicon.terms import MAX_WORDS, Entry, Lexicon

MAX_NAMES = 500_000  # each takes about a kilobyte; the whole of UMLS has many times as many
_COLUMNS = 18  # of MRCONSO.RRF; a bar stands behind the last
_CUI, _LAT, _TS, _ISPREF, _STR, _SUPPRESS = 0, 1, 2, 6, 14, 16
_MOST_EXACT = 5  # letters of a name that is found in capitals alone, such as ALL


class ConceptsUnreadable(MedragError):
    """The file of concepts is missing, malformed or too large."""


@dataclass(frozen=True)
class Concepts:
    """All known names, as a lexicon whose words are concept identifiers."""

    names: Lexicon

    @property
    def fingerprint(self) -> str:
        return self.names.fingerprint

    def of(self, text: str) -> frozenset[str]:
        """Return the concept identifiers that the text names; of a long text, in its beginning."""
        return frozenset(expansion.words for expansion in self.names.every_in(text))


def concepts_of_rows(lines: Iterable[str]) -> Concepts:
    """Build concepts from rows of MRCONSO.RRF: English names that are not suppressed, by CUI.

    UMLS Reference Manual, section 3.3.4. A name shared by several concepts goes to the one that
    prefers it (TS, ISPREF), else to the first identifier. Raises ConceptsUnreadable with the number
    of the bad line.
    """
    best: dict[str, tuple[bool, bool, str, str]] = {}
    for row in _rows(lines):
        form = _form(row[_STR])
        preference = (row[_TS] != "P", row[_ISPREF] != "Y", row[_CUI], row[_STR])
        if _is_name(row[_STR]) and preference < best.get(form, (True, True, "~", "")):
            best[form] = preference
            if len(best) > MAX_NAMES:
                raise ConceptsUnreadable(
                    f"The rows of concepts have more than {MAX_NAMES} names.",
                    hint="Keep the vocabularies and kinds that guidelines speak of.",
                )
    entries = (Entry(name, cui, exact=_is_short(name)) for *_, cui, name in best.values())
    return Concepts(Lexicon(tuple(entries)))


def concepts_of_lexicon(lexicon: Lexicon) -> Concepts:
    """Build concepts from a lexicon: a form, its words and their other names are one concept."""
    meant = {_form(e.short): _form(e.words) for e in lexicon.entries}
    names = {_form(e.words): Entry(e.words, _last(_form(e.words), meant)) for e in lexicon.entries}
    for entry in lexicon.entries:
        form = _form(entry.short)
        names[form] = Entry(entry.short, _last(form, meant), exact=entry.exact)
    return Concepts(Lexicon(tuple(names.values())))


def _last(form: str, meant: Mapping[str, str]) -> str:
    """Follow a form to what it finally stands for; in a cycle, to the first by name."""
    seen: list[str] = []
    while form in meant and form not in seen:
        seen.append(form)
        form = meant[form]
    return min(seen[seen.index(form) :]) if form in seen else form


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    for number, line in enumerate(lines, start=1):
        row = line.rstrip("\r\n").split("|")
        if len(row) not in (_COLUMNS, _COLUMNS + 1):
            raise ConceptsUnreadable(
                f"Line {number} of the concepts has {len(row)} columns, not {_COLUMNS}.",
                hint="Give rows of MRCONSO.RRF as UMLS has them.",
            )
        if row[_LAT] == "ENG" and row[_SUPPRESS] == "N":
            yield row


def _is_name(text: str) -> bool:
    """Tell whether a name is specific enough to look for: one or two lower-case letters are not."""
    parts = words(text)
    letters = "".join(parts)
    is_long = len(letters) > 2 or _is_short(text)
    return 0 < len(parts) <= MAX_WORDS and is_long and any(map(str.isalpha, letters))


def _is_short(name: str) -> bool:
    return 1 < len(name) <= _MOST_EXACT and name.isupper() and len(words(name)) == 1


def _form(text: str) -> str:
    return " ".join(words(text)).casefold()
