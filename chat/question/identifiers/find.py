"""All kinds of identifiers in a text, and the text without them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from chat.question.identifiers.contacts import addresses, emails, phones
from chat.question.identifiers.dates import births, births_beside_names
from chat.question.identifiers.names import names
from chat.question.identifiers.numbers import insurances, nationals, records
from chat.question.identifiers.references import references
from chat.question.identifiers.types import (
    HARMLESS,
    KINDS,
    NAMED,
    WALL,
    Identifier,
    Kind,
    Recogniser,
    Span,
)

# In this order: what was found is covered, so that a later rule can't read it as something else.
_RECOGNISERS: tuple[tuple[Kind, Recogniser], ...] = (
    (Kind.EMAIL, emails),
    (Kind.BIRTH, births),
    (Kind.INSURANCE, insurances),
    (Kind.NATIONAL, nationals),
    (Kind.RECORD, records),
    (Kind.PHONE, phones),
    (Kind.ADDRESS, addresses),
    (Kind.NAME, names),
    (Kind.BIRTH, births_beside_names),
)
# What stands alone once its neighbour is covered is found in a further round; more than one is
# needed only where a text was made for it, and such a text has to end too.
_MAX_ROUNDS = 5
_PLACEHOLDER = re.compile(rf"\[(?P<kind>{'|'.join(map(re.escape, KINDS))})\]")
_MARKS = str.maketrans(dict.fromkeys((WALL, NAMED, HARMLESS), " "))


def identifiers_in(text: str) -> tuple[Identifier, ...]:
    """Return what seems to identify a person, in the order of the text, never overlapping.

    `text` is as `clean_text` gives it: what is invisible may part a name. Placeholders that stand
    there already are left alone. Empty for an empty text. Linear in the length of the text.
    """
    covered = _cover_placeholders(text.translate(_MARKS))
    covered = _cover(covered, references(covered), HARMLESS)
    found: list[Identifier] = []
    for _ in range(_MAX_ROUNDS):
        more, covered = _round(covered)
        if not more:
            break
        found += more
    return tuple(sorted(found, key=lambda identifier: identifier.start))


def redacted(text: str, found: Sequence[Identifier]) -> str:
    """Return `text` with `[name]`, `[phone]` and so on in place of each of `found`."""
    parts, position = [], 0
    for identifier in found:
        parts += [text[position : identifier.start], f"[{identifier.kind}]"]
        position = identifier.end
    return "".join([*parts, text[position:]])


def _round(covered: str) -> tuple[list[Identifier], str]:
    found = []
    for kind, recogniser in _RECOGNISERS:
        spans = _apart(recogniser(covered))
        found += [Identifier(kind, start, end) for start, end in spans]
        covered = _cover(covered, spans, NAMED if kind is Kind.NAME else WALL)
    return found, covered


def _apart(spans: Iterable[Span]) -> list[Span]:
    """In order and none over another: of those that overlap the one that begins first is kept,
    made as long as all of them together."""
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
        return (NAMED if match["kind"] == Kind.NAME else WALL) * len(match.group())

    return _PLACEHOLDER.sub(mark, text)
