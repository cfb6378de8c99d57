"""Provide the statements of passages in the form that answers quote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from django.db.models import Q

from chat.types import Quote, Unit
from core.language.en.quantities.measures import levelled, measures
from core.language.en.quantities.row_ranges import band_of, rows_in_range
from core.language.gloss import gloss, question_in_english
from corpus.figures import unordered_spans
from corpus.models import Document, Page, PassageStatement
from corpus.selectors import spans_withheld
from corpus.statements import STATEMENTS_VERSION, PageView, Statement, VerbatimSpan, statements_of
from corpus.statements.table_rows import filled_cells
from retrieval.types import Hit

_Table = tuple[int, int, int]  # document, page, where it starts
_Item = tuple[int, VerbatimSpan]  # document, main piece of a statement
# Document, lead-in, the same in English, page where it has none, section.
_List = tuple[int, tuple[VerbatimSpan, ...], str, int, tuple[str, ...]]
Withheld = Mapping[tuple[int, int], Sequence[tuple[int, int]]]  # `spans_withheld`
_Kept = tuple[Statement, int | None]  # with the key of its row, where it has one
_STORED = ("pk", "chunk", "text", "pieces", "kind", "caption", "table", "row")


def quotable_units(hits: Sequence[Hit], question: str) -> list[Unit]:
    """Return all units of the hits, in order of the hits and of reading.

    Where a number in the question selects rows of a table by their ranges, other rows are left out,
    and so are other bands of a list of weights or kidney functions, and its lead-in. A unit shared
    by overlapping passages is returned once, with the better passage. Runs two queries, one more
    for tables where the question has a number, none without hits.
    """
    seen: set[tuple[int, int, int, int]] = set()
    units: list[Unit] = []
    for unit in _units(hits, question):
        first = unit.quotes[0]
        place = (unit.hit.document_id, first.page, first.start, first.end)
        if place not in seen:
            seen.add(place)
            units.append(unit)
    return units


def units_by_passage(hits: Sequence[Hit], question: str) -> dict[str, tuple[Unit, ...]]:
    """Return the units of each hit by its key, including those it shares with others."""
    units_of: dict[str, list[Unit]] = {hit.key: [] for hit in hits}
    for unit in _units(hits, question):
        units_of[unit.hit.key].append(unit)
    return {key: tuple(units) for key, units in units_of.items()}


def _units(hits: Sequence[Hit], question: str) -> Iterator[Unit]:
    kept = statements_by_passage(hits)
    allowed = _rows_allowed(kept, hits, question)
    bands = _bands_allowed(kept, hits, question)
    for hit in hits:
        for statement, key in kept[hit.chunk_id]:
            rows = allowed.get(_table_of(hit, statement)) if statement.is_row else None
            in_band = bands.get((hit.document_id, statement.pieces[0]))
            if in_band is not False and (rows is None or statement.row in rows):
                yield Unit(
                    hit,
                    statement.text,
                    tuple(Quote(hit, p.page, p.start, p.end, p.text) for p in statement.pieces),
                    rows is not None or in_band is not None,
                    statement.caption,
                    statement.is_row,
                    key,
                )


def statements_by_passage(hits: Sequence[Hit]) -> dict[int, list[_Kept]]:
    """Return the statements of each passage by chunk id, with the keys of table rows.

    Those with a value in doubt that nobody has compared with its page are left out; those of
    documents that were cut by other rules are cut now. Runs two queries, one more where a passage
    has no stored statement, none without hits.
    """
    kept: dict[int, list[_Kept]] = {hit.chunk_id: [] for hit in hits}
    if not hits:
        return kept
    rows = PassageStatement.objects.filter(
        chunk__in=kept, chunk__document__statements_version=STATEMENTS_VERSION
    ).order_by("chunk", "index")
    for key, chunk, text, pieces, *rest in rows.values_list(*_STORED):
        statement = Statement(text, tuple(VerbatimSpan(*piece) for piece in pieces), *rest)
        kept[chunk].append((statement, key))
    silent = [hit for hit in hits if not kept[hit.chunk_id]]
    kept |= _made_now(silent) if silent else {}
    withheld = spans_withheld({hit.document_id for hit in hits})
    for hit in hits if withheld else ():
        every = kept[hit.chunk_id]
        kept[hit.chunk_id] = [
            each for each in every if not is_withheld(hit.document_id, each[0].pieces, withheld)
        ]
    return kept


def is_withheld(document: int, pieces: Iterable[VerbatimSpan | Quote], withheld: Withheld) -> bool:
    """Tell whether any of these pieces of a document's pages has a value in doubt."""
    return any(
        piece.start < end and start < piece.end
        for piece in pieces
        for start, end in withheld.get((document, piece.page), ())
    )


def _made_now(hits: Sequence[Hit]) -> dict[int, list[_Kept]]:
    """Extract the statements of documents that were cut before statements were stored."""
    documents = Document.objects.filter(pk__in={hit.document_id for hit in hits})
    old = documents.exclude(statements_version=STATEMENTS_VERSION)
    views: dict[int, dict[int, PageView]] = defaultdict(dict)
    pages = Page.objects.filter(document__in=old)
    for document, number, text, blocks, doubts in pages.values_list(
        "document", "number", "text", "blocks", "doubts"
    ):
        views[document][number] = PageView(text, blocks, unordered_spans(blocks, doubts))
    kept: dict[int, list[_Kept]] = {}
    for hit in hits:
        if hit.document_id in views:
            spans = [(span.page, span.start, span.end) for span in hit.spans]
            (made,) = statements_of([(hit.section_path, spans)], views[hit.document_id])
            kept[hit.chunk_id] = [(statement, None) for statement in made]
    return kept


def _rows_allowed(
    kept: Mapping[int, Sequence[_Kept]], hits: Sequence[Hit], question: str
) -> dict[_Table, set[int]]:
    """Return, by table, the rows whose ranges hold the question's numbers."""
    tables = {_table_of(hit, each) for hit in hits for each, _ in kept[hit.chunk_id] if each.is_row}
    in_english = question_in_english(question)
    if not tables or not measures(levelled(in_english)):
        return {}
    wanted = Q(pk__in=[])
    for document, page in {table[:2] for table in tables}:
        wanted |= Q(document=document, number=page)
    allowed = {}
    languages = {hit.document_id: hit.language for hit in hits}
    rows = Page.objects.filter(wanted).values_list("document", "number", "blocks")
    for document, page, blocks in rows:
        for block in blocks:
            table = (document, page, block["start"])
            if table not in tables or not block.get("table"):
                continue
            cells = filled_cells(row["cells"] for row in block["table"]["rows"])
            spoken = languages[document]
            header = [gloss(cell, spoken) for cell in block["table"]["header"]]
            cells = [[gloss(cell, spoken) for cell in row] for row in cells]
            numbers = rows_in_range(in_english, header, cells)
            if numbers is not None:
                allowed[table] = numbers
    return allowed


def _bands_allowed(
    kept: Mapping[int, Sequence[_Kept]], hits: Sequence[Hit], question: str
) -> dict[_Item, bool]:
    """Tell of the items of a list of bands whether a number of the question falls into them.

    Such a list is read as the rows of a table. False for its lead-in, which stands for all items,
    and for all items where no band holds the number. Empty for lists that no number decides.
    """
    lists: dict[_List, dict[VerbatimSpan, list[str] | None]] = defaultdict(dict)
    for hit in hits:
        for statement, _ in kept[hit.chunk_id]:
            if statement.kind == "list_item":
                own, *over = statement.pieces
                lead = " ".join(gloss(piece.text, hit.language) for piece in over)
                place = own.page if not over else 0
                key = (hit.document_id, tuple(over), lead, place, hit.section_path)
                lists[key][own] = band_of(gloss(own.text, hit.language), lead)
    allowed: dict[_Item, bool] = {}
    in_english = question_in_english(question) if lists else ""
    for (document, leads, lead, *_), items in lists.items():
        bands = {own: band for own, band in items.items() if band}
        numbers = rows_in_range(in_english, [lead], list(bands.values())) if bands else None
        if len(bands) > 1 and numbers is not None:
            out = leads if numbers else (*leads, *items)
            allowed |= {(document, piece): False for piece in out}
            allowed |= {(document, own): n in numbers for n, own in enumerate(bands)}
    return allowed


def _table_of(hit: Hit, statement: Statement) -> _Table:
    return hit.document_id, statement.pieces[0].page, statement.table or 0
