"""Show a small table whole: one row of it may be the wrong one, and the right one next to it.

Which of its rows a question is about can be told only by what the question says of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from django.db.models import Q

from chat.caveats.neighbours import hit_of
from chat.checks.agreement import is_of_other_variety
from chat.evidence.quotable import statements_by_passage
from chat.models import ClaimKind
from chat.reader.types import Read
from chat.types import DraftClaim, Quote, Unit
from core.language.en.clinical_terms import conditions
from core.language.en.medicines.names import drugs
from core.language.en.patients.people import apart, people_of
from core.language.en.quantities.measures import Interval, levelled, measures
from core.language.en.questions.asked import Denials, asked_medicines
from core.language.en.statements.topics import topic_words
from core.language.en.statements.wording import share_a_name
from core.language.gloss import question_in_english
from core.language.words import CELLS
from corpus.models import Chunk
from retrieval.analysis import by_every_name

MOST_ROWS = 8  # of a table that is shown whole
MOST_HOLDING = 2  # further rows that hold the asked number: bands that overlap at their ends
_ORDINAL = re.compile(r"\b(?:first|second|third)\b")  # of choices

_Table = tuple[int, int, int]  # document, page, where it starts
_Place = tuple[int, int, int]  # document, page, where a row starts


def with_whole_tables(claims: Sequence[DraftClaim], question: str) -> tuple[DraftClaim, ...]:
    """Return the claims with the other rows of their tables, in the order of each table.

    Where the question is about a medicine, without rows that name only others, or another salt,
    form or brand: another row's dose is soon taken for that of the medicine. Of a table whose first
    cells group rows, only the groups of the claims; and no row for those who have what the question
    says that its patient lacks.

    A table stands where its first row stood. The rows added are of kind ROW, verbatim, and still to
    be verified. Tables of more than `MOST_ROWS` quotable rows stay as they are, and so do claims in
    a language model's words, and rows that a number of the question falls into: there another row
    is a wrong dose. Runs two queries if a claim is another row, one more where a passage has no
    stored statement, else none.
    """
    own = {_place(claim): claim for claim in claims if _is_open_row(claim)}
    if not own:
        return tuple(claims)
    tables = _tables(own.values())
    in_english = question_in_english(question)
    every_name, denials = by_every_name(in_english), Denials.of(in_english)
    medicines = asked_medicines(every_name)
    table_of = {place: table for table, rows in tables.items() for place in rows}
    shown: list[DraftClaim] = []
    done: set[_Table] = set()
    for claim in claims:
        table = table_of.get(_place(claim)) if _is_open_row(claim) else None
        if table is None or len(tables[table]) > MOST_ROWS:
            shown.append(claim)
        elif table not in done:
            done.add(table)
            rows = [own.get(place, row) for place, row in sorted(tables[table].items())]
            groups = _groups(rows, claims)
            shown += [
                row
                for row in rows
                if row in claims
                or (
                    _is_about(medicines, row)
                    and not is_of_other_variety(every_name, medicines, unit_of(row))
                    and (not groups or _first_cell(row) in groups)
                    and not denials.exclude(row.in_english.text, context="", heading="", caption="")
                )
            ]
    return tuple(shown)


def holding_rows(claim: DraftClaim, read: Iterable[Read], question: str) -> tuple[DraftClaim, ...]:
    """Return the other rows of a row's table that a number of the question falls into, as read.

    None where there are more than two: then the number does not choose. Rows whose first cell names
    other conditions than the question are none of them.
    """
    asked = {name for name, _ in conditions(question)}
    heads = claim.quotes[1:2]
    units = [
        each.unit
        for each in read
        if each.unit.is_row
        and each.unit.holds_asked_number
        and each.unit.quotes[0] != claim.quotes[0]
        and (each.unit.quotes[1:2], each.unit.caption) == (heads, claim.caption)
        and each.unit.quotes[0].page == claim.quotes[0].page
        and not _is_of_others(each.unit.text, asked)
    ]
    if len(units) > MOST_HOLDING:
        return ()
    return tuple(
        DraftClaim(unit.text, unit.quotes, caption=unit.caption, holds_asked_number=True)
        for unit in sorted(units, key=lambda unit: unit.quotes[0].start)
    )


def _is_of_others(row: str, asked: Set[str]) -> bool:
    """Tell whether a row's first cell names conditions, and none that is asked about."""
    named = {name for name, _ in conditions(row.partition("; ")[0])}
    return bool(asked and named) and named.isdisjoint(asked)


def _groups(rows: Sequence[DraftClaim], claims: Sequence[DraftClaim]) -> frozenset[str]:
    """Return the groups of the rows that are claims, where first cells group rows; else none."""
    first = [_first_cell(row) for row in rows]
    if len(set(first)) in (1, len(first)):
        return frozenset()
    return frozenset(_first_cell(row) for row in rows if row in claims)


def _first_cell(row: DraftClaim) -> str:
    return row.text.partition("; ")[0]


def rows_asked_for(question: str, rows: Sequence[str]) -> frozenset[int]:
    """Return the places of the rows that a question tells apart from the others of a table. Pure.

    By words that not all rows have; rows for nobody of the question, or whose first cell has
    another range of one of its values, don't count. Empty where the question fits several alike, as
    one for an antibiotic fits all choices.
    """
    question = question_in_english(question)
    patient = people_of(question)
    ranges = [_measures(row.partition("; ")[0]) for row in rows]
    within = [_meet(_measures(question), each) for each in ranges]
    open_to = [
        apart(patient, people_of(row)) is None and fits is not False
        for row, fits in zip(rows, within, strict=True)
    ]
    words = [_words(row) for row in rows]
    common = frozenset.intersection(*words) if words else frozenset()
    own = frozenset(drugs(question)) - asked_medicines(question)  # allergies and the like
    wanted = _words(question) - common - topic_words(" ".join(own))
    counts = [len(wanted & own) if fits else 0 for own, fits in zip(words, open_to, strict=True)]
    if most := max(counts, default=0):
        return frozenset(place for place, count in enumerate(counts) if count == most)
    if all(open_to) or open_to.count(True) != 1:
        return frozenset()  # of two that fit, one would be the wrong one
    return frozenset((open_to.index(True),))


def _measures(text: str) -> list[Interval]:
    """Return the values of a text that have a unit; an age in whole years is all of that year."""
    level = levelled(text)
    ages = people_of(text).ages
    return [*ages, *(m.interval for m in measures(level) if m.interval.unit and not ages)]


def _meet(ours: Sequence[Interval], theirs: Sequence[Interval]) -> bool | None:
    """Tell whether values of one unit meet; None where no two have the same unit."""
    pairs = [(own, other) for own in ours for other in theirs if own.unit == other.unit]
    return any(own.meets(other) for own, other in pairs) if pairs else None


def _words(text: str) -> frozenset[str]:
    return topic_words(text) | frozenset(_ORDINAL.findall(text.lower()))


def _is_about(medicines: frozenset[str], row: DraftClaim) -> bool:
    named = frozenset(drugs(row.in_english.text))
    return not medicines or not named or share_a_name(medicines, named)


def is_row(claim: DraftClaim) -> bool:
    """Tell whether a claim quotes a row of a table."""
    return bool(claim.quotes) and CELLS in f" {claim.quotes[0].text}"


def unit_of(claim: DraftClaim) -> Unit:
    """Return the statement that a claim quotes, as rules read it."""
    hit = claim.quotes[0].hit
    return Unit(
        hit, claim.text, claim.quotes, caption=claim.caption, is_row=is_row(claim)
    ).in_english


def _is_open_row(claim: DraftClaim) -> bool:
    """Tell whether a claim is a row as its table has it, which no number of the question chose."""
    return is_row(claim) and not claim.read_as and not claim.holds_asked_number


def _place(claim: DraftClaim) -> _Place:
    quote = claim.quotes[0]
    return quote.hit.document_id, quote.page, quote.start


def _tables(claims: Iterable[DraftClaim]) -> dict[_Table, dict[_Place, DraftClaim]]:
    """Return all quotable rows of the tables on the pages of the claims, by table and place."""
    bases = {_place(claim)[:2]: claim.quotes[0].hit for claim in claims}
    known = {claim.quotes[0].hit.chunk_id: claim.quotes[0].hit for claim in claims}
    near = Q(pk__in=[])
    for document, page in bases:
        near |= Q(document=document, spans__contains=[[page]])  # or a place of this number
    of_document = {hit.document_id: hit for hit in bases.values()}
    chunks = Chunk.objects.filter(near, disabled_at=None).order_by("document", "index")
    hits = [known.get(row.pk) or hit_of(row, of_document[row.document_id]) for row in chunks]
    kept = statements_by_passage(hits)
    rows_of: dict[_Table, dict[_Place, DraftClaim]] = {}
    rows = ((hit, each) for hit in hits for each, _ in kept[hit.chunk_id] if each.is_row)
    for passage, row in rows:
        quotes = tuple(Quote(passage, p.page, p.start, p.end, p.text) for p in row.pieces)
        claim = DraftClaim(row.text, quotes, kind=ClaimKind.ROW, caption=row.caption)
        if _place(claim)[:2] in bases:
            table = (*_place(claim)[:2], row.table or 0)
            rows_of.setdefault(table, {}).setdefault(_place(claim), claim)
    return rows_of
