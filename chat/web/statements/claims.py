"""Prepare the statements of an answer for a reader, those of tables with their rows' cells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy

from chat.caveats.cautions import BARRED
from chat.models import Citation, Claim, ClaimKind
from chat.rights import OpenTurn
from chat.web.figures import ShownFigure
from chat.web.statements.tables import (
    CitedRow,
    CitedTable,
    TableRow,
    is_verbatim,
    plain,
    rows_told_apart,
    table_row,
)
from core.language.words import CELLS
from corpus.positions import SECTIONS, headed

MATCH = gettext_lazy("Row that matches the question")
NOT_FOR_PATIENT = gettext_lazy("Not for this patient, by its own words")


@dataclass(frozen=True)
class ShownClaim:
    """A statement with its citations; `links` are the first citation of each passage.

    `is_verbatim`: the text is one quote with what the quote depends on, or a row with its labels.
    `is_hidden`: it cites a collection that the reader may no longer read; then none of it is shown,
    and `citations` is empty.
    """

    claim: Claim
    citations: tuple[Citation, ...]
    links: tuple[Citation, ...]
    is_verbatim: bool
    row: TableRow | None = None
    is_hidden: bool = False
    table: CitedTable | None = None  # the table of its first quote
    start: int = 0  # place of its row in the page's text
    cells: tuple[str, ...] = ()  # of its row, one for each of the table's heads, if all is quoted
    left_out: str = ""  # before the first row of a table: which of its rows are not shown
    is_match: bool = False  # a row that answers, and that the question tells from the others
    goes_on: bool = False  # under the same headings as the statement before it
    is_other: bool = False  # another row of a table that has such a row
    notes: tuple[str, ...] = ()  # warnings on it, told where it stands
    figures: tuple[ShownFigure, ...] = ()  # of its pages
    is_barred: bool = False  # it says of itself that it is not for the patient

    @property
    def under(self) -> str:
        """Headings of the statement, so that a dose is shown and copied with its medicine.

        With the caption of its table, unless the statement has it already.
        """
        if self.is_hidden:
            return ""
        return SECTIONS.join(filter(None, (self.claim.under, self.caption)))

    @property
    def caption(self) -> str:
        """Caption of its table, unless the statement or its headings have it already."""
        caption = self.table.caption if self.table and not self.is_hidden else ""
        is_said = caption in plain(self.claim.text) or caption in self.claim.under.split(SECTIONS)
        return "" if is_said else caption

    @property
    def above(self) -> tuple[str, ...]:
        """What stands above the statement: its headings, and the lines above its table."""
        return (self.under, *(self.row.leads if self.row else ()))

    @property
    def headed(self) -> str:
        """The text after its headings, in one line."""
        return headed(self.under, self.claim.text)

    @property
    def lines(self) -> list[str]:
        """The text's lines; each item of a list is a line."""
        return self.claim.text.splitlines()

    @property
    def beside(self) -> str:
        """Kind of a statement that was added to the answer; empty for one that answers.

        A row that answers is marked where other rows of its table are shown, and what is not for
        the patient in any case.
        """
        if self.is_barred:
            return str(NOT_FOR_PATIENT)
        if self.is_match:
            return str(MATCH)
        if self.claim.kind == ClaimKind.ROW and not self.is_other:
            return ""
        return "" if self.claim.kind == ClaimKind.ANSWER else str(self.claim.get_kind_display())

    @property
    def headed_cells(self) -> list[tuple[str, str]]:
        """The cells of its row with their heads; empty where they can't be had."""
        return (
            list(zip(self.table.heads, self.cells, strict=True))
            if self.table and self.cells
            else []
        )

    @property
    def matches(self) -> bool | None:
        """Whether it is a row that answers, among others; None where nothing tells them apart."""
        return True if self.is_match else False if self.is_other else None


def shown_claim(claim: Claim, opened: OpenTurn) -> ShownClaim:
    """Prepare one statement, hidden unless the reader may be shown it."""
    citations = tuple(claim.citations.all())
    if claim.index not in opened.claims:
        return ShownClaim(claim, (), (), is_verbatim=False, is_hidden=True)
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.index, citation)
    quotes = [citation.quote for citation in citations]
    verbatim = is_verbatim(claim.text, quotes)
    barred = (warning["claims"] for warning in opened.warnings if warning["code"] == BARRED)
    return ShownClaim(
        claim,
        citations,
        tuple(first.values()),
        is_verbatim=verbatim,
        row=table_row(quotes, claim.text) if verbatim else None,
        is_barred=any(claim.index in numbers for numbers in barred),
    )


def quoted_rows(claims: Iterable[ShownClaim]) -> list[Citation]:
    """Return the first citation of each statement that quotes a table row."""
    first = [claim.citations[0] for claim in claims if claim.citations]
    return [citation for citation in first if CELLS in f" {citation.quote}"]


def with_tables(
    question: str, claims: Sequence[ShownClaim], rows: Mapping[int, CitedRow]
) -> tuple[ShownClaim, ...]:
    """Add their tables to statements; the first of a table tells which rows are not shown."""
    row_of = [rows.get(claim.citations[0].pk) if claim.citations else None for claim in claims]
    shown: dict[CitedTable, set[int]] = defaultdict(set)
    of_table: dict[CitedTable, list[Claim]] = defaultdict(list)
    for claim, row in zip(claims, row_of, strict=True):
        if row:
            shown[row.table].add(row.start)
            of_table[row.table].append(claim.claim)
    matches, others = rows_told_apart(question, of_table.values())
    tabled = []
    for claim, row in zip(claims, row_of, strict=True):
        table, number = row.table if row else None, claim.claim.index
        left_out = table.without(shown.pop(table)) if table in shown else ""
        tabled.append(
            replace(
                claim,
                table=table,
                start=row.start if row else 0,
                cells=row.cells if row and claim.row and row.says(claim.row) else (),
                left_out=left_out,
                is_match=number in matches,
                is_other=number in others,
            )
        )
    pairs = zip(tabled, [None, *tabled], strict=False)
    return tuple(
        replace(claim, goes_on=bool(before and before.under and before.above == claim.above))
        for claim, before in pairs
    )
