"""Find all kinds of identifiers in a text, and replace them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.language.en.identifiers.contacts import addresses, emails, phones
from core.language.en.identifiers.dates import births, births_near_names
from core.language.en.identifiers.names import names
from core.language.en.identifiers.numbers import insurances, nationals, records
from core.language.en.identifiers.references import references
from core.language.en.identifiers.types import (
    HARMLESS,
    KINDS,
    NAMED,
    WALL,
    Identifier,
    IdentifierKind,
    Recogniser,
    Span,
)

# In this order: each match is masked, so that a later rule can't take it for something else.
_RECOGNISERS: tuple[tuple[IdentifierKind, Recogniser], ...] = (
    (IdentifierKind.EMAIL, emails),
    (IdentifierKind.BIRTH, births),
    (IdentifierKind.INSURANCE, insurances),
    (IdentifierKind.NATIONAL, nationals),
    (IdentifierKind.RECORD, records),
    (IdentifierKind.PHONE, phones),
    (IdentifierKind.ADDRESS, addresses),
    (IdentifierKind.NAME, names),
    (IdentifierKind.BIRTH, births_near_names),
)
# A match may only be found once the text next to it is masked, in a further round. The limit is for
# hostile texts that would need many rounds.
_MAX_ROUNDS = 5
_PLACEHOLDER = re.compile(rf"\[(?P<kind>{'|'.join(map(re.escape, KINDS))})\]")
_MARKS = str.maketrans(dict.fromkeys((WALL, NAMED, HARMLESS), " "))


def identifiers_in(text: str) -> tuple[Identifier, ...]:
    """Return what seems to identify a person, in the order of the text, never overlapping.

    `text` must come from `clean_text`, since invisible characters could split a name. Existing
    placeholders are left alone. Empty for an empty text. Takes time linear in the text's length.
    """
    covered = _cover_placeholders(text.translate(_MARKS))
    covered = _cover(covered, references(covered), HARMLESS)
    identifiers: list[Identifier] = []
    for _ in range(_MAX_ROUNDS):
        more, covered = _round(covered)
        if not more:
            break
        identifiers += more
    return tuple(sorted(identifiers, key=lambda identifier: identifier.start))


def redacted(text: str, identifiers: Sequence[Identifier]) -> str:
    """Return `text` with a placeholder such as `[name]` or `[phone]` for each of `identifiers`."""
    parts, position = [], 0
    for identifier in identifiers:
        parts += [text[position : identifier.start], f"[{identifier.kind}]"]
        position = identifier.end
    return "".join([*parts, text[position:]])


def _round(covered: str) -> tuple[list[Identifier], str]:
    identifiers = []
    for kind, recogniser in _RECOGNISERS:
        spans = _apart(recogniser(covered))
        identifiers += [Identifier(kind, start, end) for start, end in spans]
        covered = _cover(covered, spans, NAMED if kind is IdentifierKind.NAME else WALL)
    return identifiers, covered


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Merge overlapping spans; return them in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _cover(text: str, spans: Iterable[Span], mark: str) -> str:
    parts, position = [], 0
    for start, end in _apart(spans):
        parts += [text[position:start], mark * (end - start)]
        position = end
    return "".join([*parts, text[position:]])


def _cover_placeholders(text: str) -> str:
    def mark(match: re.Match[str]) -> str:
        return (NAMED if match["kind"] == IdentifierKind.NAME else WALL) * len(match.group())

    return _PLACEHOLDER.sub(mark, text)
