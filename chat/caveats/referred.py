"""Show the table that an answer refers to: `dose by weight, Table 1` alone gives no dose."""

from __future__ import annotations

import re
from collections.abc import Sequence

from django.db.models import Q

from chat.caveats.neighbours import hit_of
from chat.caveats.tables import MOST_ROWS
from chat.checks.agreement import Asked, in_agreement
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim, Unit
from core.language.en.statements.references import tables_referred
from core.language.gloss import question_in_english
from corpus.models import Chunk, PassageStatement
from retrieval.analysis import by_every_name
from retrieval.types import Hit

_MOST_HELD = 2  # rows that hold one value: bands that overlap at their ends


def referred_rows(claims: Sequence[DraftClaim], question: str) -> dict[int, tuple[DraftClaim, ...]]:
    """Return the rows of tables that claims refer to, by the place of the claim.

    Only rows for the question's patient: those that its numbers fall into, or else all of a small
    table, as kind ROW. Still to be verified. Runs five queries where a claim refers to a table that
    none quotes.
    """
    found: dict[int, tuple[DraftClaim, ...]] = {}
    captions = [(each.quotes[0].hit.document_id, each.caption or each.text) for each in claims]
    for place, claim in enumerate(claims):
        hit = claim.quotes[0].hit
        is_answer = claim.kind is ClaimKind.ANSWER
        for name in tables_referred(claim.in_english.text) if is_answer else ():
            if not any(of == hit.document_id and _is_of(name, text) for of, text in captions):
                found[place] = _rows(name, hit, question)
                captions.append((hit.document_id, name))
    return {place: rows for place, rows in found.items() if rows}


def _rows(name: str, hit: Hit, question: str) -> tuple[DraftClaim, ...]:
    of_table = PassageStatement.objects.filter(
        Q(caption__istartswith=name) | Q(caption="", text__istartswith=name),
        chunk__document=hit.document_id,
        chunk__disabled_at=None,
    )
    chunks = Chunk.objects.filter(pk__in=of_table.values("chunk")).order_by("index")
    hits = [hit if row.pk == hit.chunk_id else hit_of(row, hit) for row in chunks]
    in_english = question_in_english(question)
    units = in_agreement(
        Asked.of(in_english, by_every_name(in_english)),
        [
            unit
            for unit in quotable_units(hits, question)
            if unit.is_row and _is_of(name, unit.caption or unit.text)
        ],
    )
    held = [unit for unit in units if unit.holds_asked_number]
    if held:
        return tuple(_claim(unit, ClaimKind.ANSWER) for unit in held[:_MOST_HELD])
    return tuple(_claim(unit, ClaimKind.ROW) for unit in units if len(units) <= MOST_ROWS)


def _is_of(name: str, caption: str) -> bool:
    return re.match(rf"{re.escape(name)}\b", caption, re.IGNORECASE) is not None


def _claim(unit: Unit, kind: ClaimKind) -> DraftClaim:
    return DraftClaim(
        unit.text,
        unit.quotes,
        kind=kind,
        caption=unit.caption,
        holds_asked_number=unit.holds_asked_number,
    )
