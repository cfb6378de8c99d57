"""Lay out the statements of an answer: rows of one table together, every other by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from chat.models import Citation, ClaimKind
from chat.web.figures import ShownFigure
from chat.web.painting import corrections_of
from chat.web.statements.claims import ShownClaim
from chat.web.statements.tables import CitedTable


@dataclass(frozen=True)
class Part:
    """Rows of one table in their order on the page, or one statement that is no such row."""

    claims: tuple[ShownClaim, ...]

    @property
    def first(self) -> ShownClaim:
        return self.claims[0]

    @property
    def table(self) -> CitedTable | None:
        """The table that the statements are laid out as; None for the statement by itself."""
        return self.first.table if self.first.cells else None

    @property
    def has_several(self) -> bool:
        return len(self.claims) > 1

    @property
    def label(self) -> str:
        """The kind of statements that were added to the answer and are no further rows of it."""
        is_row = self.first.claim.kind in (ClaimKind.ANSWER, ClaimKind.ROW)
        return "" if is_row else str(self.first.claim.get_kind_display())

    @property
    def leads(self) -> tuple[str, ...]:
        """The lines above the table that all of its rows depend on."""
        return self.first.row.leads if self.first.row else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The footnotes of the rows, each once."""
        return tuple(
            dict.fromkeys(note for each in self.claims if each.row for note in each.row.notes)
        )

    @property
    def left_out(self) -> str:
        return next((each.left_out for each in self.claims if each.left_out), "")

    @property
    def goes_on(self) -> bool:
        """Whether it is under the same headings as the statement before it."""
        return min(self.claims, key=lambda each: each.claim.index).goes_on

    @property
    def figures(self) -> tuple[ShownFigure, ...]:
        return tuple(figure for each in self.claims for figure in each.figures)

    @property
    def population(self) -> str:
        """Whom all rows apply to; empty where each says it for itself."""
        every = {each.claim.population for each in self.claims}
        return every.pop() if len(every) == 1 else ""

    @cached_property
    def links(self) -> list[Citation]:
        """One citation for each page and what was corrected in it, of a row that matches if any."""
        by_place: dict[tuple[object, ...], Citation] = {}
        for each in sorted(self.claims, key=lambda each: not each.is_match):
            for cited in each.links:
                corrected = tuple(one.sentence for one in corrections_of(cited))
                by_place.setdefault((cited.document_id, cited.page, corrected), cited)
        return list(by_place.values())


def parts_of(claims: Iterable[ShownClaim]) -> list[Part]:
    """Return the statements in their order, adjoining rows under one table as one part."""
    parts: list[Part] = []
    for key, group in groupby(claims, key=_layout):
        rows = tuple(group)
        parts += [Part(_in_order(rows))] if key else [Part((each,)) for each in rows]
    return parts


def _layout(claim: ShownClaim) -> tuple[object, ...] | None:
    """Return what rows of one part have in common; None for what is laid out by itself."""
    if claim.table is None or not claim.cells:
        return None
    is_row = claim.claim.kind in (ClaimKind.ANSWER, ClaimKind.ROW)
    return (claim.table, claim.above, "" if is_row else claim.claim.kind)


def _in_order(rows: Sequence[ShownClaim]) -> tuple[ShownClaim, ...]:
    return tuple(sorted(rows, key=lambda row: row.start))
