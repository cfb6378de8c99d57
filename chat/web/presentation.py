"""Prepare stored turns for page, API and terminal: claims, citations, sources and their state."""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from chat.caveats.cautions import ALLERGY, APPLICABILITY
from chat.caveats.notices import Notice, document_notices
from chat.models import Mode, Reason, Turn, TurnStatus
from chat.rights import OpenTurn, turns_open
from chat.selectors import collection_names
from chat.web.figures import Figures, pages_with_figures
from chat.web.narrowing import collections_asked, fields_asked, narrowed_to
from chat.web.painting import corrections_of
from chat.web.refusals import (
    ADVICE,
    ADVICE_ALONE,
    WHY,
    Passage,
    Pictured,
    nearest_passages,
    places_of_nearest,
    places_of_rows,
)
from chat.web.statements.claims import ShownClaim, quoted_rows, shown_claim, with_tables
from chat.web.statements.parts import Part, parts_of
from chat.web.statements.tables import cited_rows, table_pages
from core.language.en.threads.mentions import Carried, carried
from corpus.models import Document, Lifecycle
from corpus.stops import Stops, stops_held

CHECK_FIRST = gettext_lazy("Check the cited page before acting.")
ENDED: dict[str, str | Promise] = {
    Lifecycle.WITHDRAWN: gettext_lazy(
        "Do not use this answer: a guideline that it cites was withdrawn."
    ),
    Lifecycle.SUPERSEDED: gettext_lazy(
        "Do not use this answer: a guideline that it cites was superseded."
    ),
    "STOPPED": gettext_lazy(
        "Do not use this answer: answering from a guideline that it cites is stopped."
    ),
}
NOT_NAMED = gettext_lazy("a collection that is not open to you")
NOT_OPEN = gettext_lazy("This statement came from a guideline that is not open to you.")


@dataclass(frozen=True)
class Source:
    """A cited document in its state of today, and the version that was cited."""

    document: Document
    cited_version: str
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class ShownTurn:
    turn: Turn
    reason: str  # of a refusal, as it may be told to the reader
    claims: tuple[ShownClaim, ...]
    sources: tuple[Source, ...]
    nearest: tuple[Passage, ...]
    standalone: str  # the wording that was searched, if it may be shown and differs
    option: str
    advice: str
    owner: Mapping[str, str]
    confidence: float | None
    narrowed: str  # what the search was limited to; empty for a search of everything
    warnings: tuple[Mapping[str, Any], ...]  # as stored, with their `level`
    withheld: tuple[str, ...]  # why statements are not shown; only in the mode that says so
    hidden: int  # number of statements or passages that the reader may not read
    ended: str  # a sentence, if a cited document is withdrawn, superseded or stopped
    recalled: str  # the same as a code of warnings: `withdrawn`, `superseded`, `stopped`; or empty

    @property
    def reason_label(self) -> str:
        """The reason in words; empty for an answer."""
        return str(Reason(self.reason).label) if self.reason else ""

    @property
    def parts(self) -> list[Part]:
        """The statements as they are laid out, rows of one table together."""
        return parts_of(self.claims)

    @property
    def general_warnings(self) -> list[Mapping[str, Any]]:
        """The warnings that no statement has as its note."""
        noted = {note for claim in self.claims for note in claim.notes}
        return [warning for warning in self.warnings if warning["text"] not in noted]

    @property
    def is_refusal(self) -> bool:
        """Whether it is shown as a refusal: not where retention removed the text."""
        return self.turn.status == TurnStatus.ABSTAINED and not self.turn.removal

    @property
    def is_verbatim(self) -> bool:
        return all(claim.is_verbatim for claim in self.claims if not claim.is_hidden)

    @property
    def notices(self) -> tuple[tuple[Document, Notice], ...]:
        """Banners of the cited documents, then of the nearest ones, each document's once."""
        about: tuple[Source | Passage, ...] = (*self.sources, *self.nearest)
        return tuple((source.document, notice) for source in about for notice in source.notices)

    def stop_of(self, document: Document) -> str:
        """Return why answering from a document that is shown is stopped; empty if it is not."""
        told = (notice.text for about, notice in self.notices if about == document and notice.stop)
        return next(told, "")

    def numbers_of(self, document: Document) -> list[int]:
        """Return the numbers of the statements that cite a document."""
        return [
            claim.claim.index
            for claim in self.claims
            if any(citation.document_id == document.pk for citation in claim.citations)
        ]

    @property
    def is_for_several(self) -> bool:
        """Whether the statements are for different people, so that each has to say for whom."""
        return len({claim.claim.population for claim in self.claims if not claim.is_hidden}) > 1

    @property
    def again(self) -> str:
        """The self-contained question, to be asked again."""
        return self.standalone or self.turn.question

    @property
    def plain(self) -> str:
        """The wording in plain words that was searched too, if it may be shown and differs."""
        if self.turn.standalone and not self.standalone:
            return ""
        return str((self.turn.trace.get("asked") or {}).get("plain", ""))

    @property
    def carried(self) -> tuple[Carried, ...]:
        """The parts taken over from the question before."""
        return carried(self.turn.question, self.standalone)

    @property
    def is_alone(self) -> bool:
        """Whether it was read by itself, though there were questions before it."""
        return bool((self.turn.trace.get("follow_up") or {}).get("alone"))

    @property
    def is_within(self) -> bool:
        """Whether a whole question was read in the documents of its conversation only."""
        documents = (self.turn.trace.get("asked") or {}).get("documents")
        return bool(documents) and not (self.turn.standalone or self.is_either)

    @property
    def is_either(self) -> bool:
        """Whether by itself it has another answer than in its conversation, and was refused."""
        return bool((self.turn.trace.get("follow_up") or {}).get("either"))

    @property
    def kept(self) -> dict[str, str]:
        """How the search was narrowed, by field of the form."""
        return fields_asked(self.turn)

    @property
    def as_of(self) -> str:
        """A sentence with the day and time of the answer."""
        day = date_format(timezone.localtime(self.turn.created_at), gettext("j F Y, H:i"))
        return gettext("From guidelines in force on %(day)s.") % {"day": day}

    @property
    def plain_text(self) -> str:
        """The text for the copy button: statements with their references, and notes."""
        turn = self.turn
        lines = [self.ended] if self.ended else []
        lines += [turn.question]
        read_as = self.plain or self.standalone
        lines += [gettext("Read as: %(question)s") % {"question": read_as}] if read_as else []
        lines += (
            [gettext("Searched only: %(narrowed)s.") % {"narrowed": self.narrowed}]
            if self.narrowed
            else []
        )
        for claim in self.claims:
            lines += ["", *_copied(claim)]
        notes = [gettext("Note: %(text)s") % warning for warning in self.warnings]
        notes += [f"{document.title}: {notice.sentence}" for document, notice in self.notices]
        lines += ["", *notes] if notes else []
        check = "" if self.ended else f" {CHECK_FIRST}"
        return "\n".join([*lines, "", f"{self.as_of}{check}"])


@dataclass(frozen=True)
class _Reader:
    """The day, its stops, and the collections (primary keys) that the reader may see."""

    on: datetime.date
    stops: Stops
    readable: Set[int]
    names: Mapping[str, str]  # of the collections that searches were limited to, by slug

    def notices(self, document: Document) -> tuple[Notice, ...]:
        return document_notices(document, on=self.on, stops=self.stops, readable=self.readable)


def shown_turns(
    turns: Iterable[Turn], *, on: datetime.date, readable: Set[int], reader: int | None = None
) -> list[ShownTurn]:
    """Prepare turns from `selectors.turns_of` for the template.

    Runs one query, those of `turns_open`, and one more each if any turn shows a table row, or a
    passage that may have one, and if any was asked of a collection. `readable` are the collections
    that the reader may read today, by primary key; nothing of others is shown, even if it was shown
    before.
    `reader` is the user's primary key.
    """
    listed = list(turns)
    slugs = {slug for turn in listed for slug in collections_asked(turn)}
    names = dict.fromkeys(slugs, str(NOT_NAMED)) | collection_names(slugs, readable=readable)
    stops = stops_held()
    opened = turns_open(listed, readable, stops=stops, reader=reader)
    today = _Reader(on, stops, readable, names)
    claims = [[shown_claim(claim, each) for claim in each.turn.claims.all()] for each in opened]
    quoted = [row for of_turn in claims for row in quoted_rows(of_turn)]
    with_rows = {(row.document_id, row.page) for row in quoted}
    tables = table_pages(with_rows.union(*map(places_of_rows, opened)))
    rows = cited_rows(quoted, tables)
    cited = (citation for of_turn in claims for claim in of_turn for citation in claim.citations)
    places = {(citation.document_id, citation.page) for citation in cited}
    pages = pages_with_figures(places.union(*map(places_of_nearest, opened)))
    return [
        _shown(
            each,
            with_tables(each.standalone or each.turn.question, of_turn, rows),
            today,
            Pictured(tables, Figures(pages)),
        )
        for each, of_turn in zip(opened, claims, strict=True)
    ]


def _with_figures(claim: ShownClaim, figures: Figures) -> ShownClaim:
    shown = (figures.of(c.document, c.page, [c.quote]) for c in claim.citations)
    return replace(claim, figures=tuple(figure for each in shown for figure in each))


def _shown(
    opened: OpenTurn, claims: tuple[ShownClaim, ...], reader: _Reader, pictured: Pictured
) -> ShownTurn:
    claims = tuple(_with_figures(claim, pictured.figures) for claim in claims)
    turn, nearest = opened.turn, nearest_passages(opened, reader.notices, pictured)
    sources: dict[int, Source] = {}  # in the order of first citation
    for cited in (citation for claim in claims for citation in claim.citations):
        notices = reader.notices(cited.document)
        sources.setdefault(cited.document_id, Source(cited.document, cited.version, notices))
    return ShownTurn(
        turn=turn,
        reason=opened.reason,
        claims=_with_notes(claims, opened.warnings, reader.stops),
        sources=tuple(sources.values()),
        nearest=nearest,
        standalone=opened.standalone,
        option=opened.option,
        advice=str((ADVICE if nearest else ADVICE_ALONE)[Reason(opened.reason)])
        if turn.reason
        else "",
        owner=opened.owner or _whom_to_call(sources.values()),
        confidence=opened.confidence,
        narrowed=narrowed_to(turn, reader.names),
        warnings=tuple({**warning, "level": _level(warning)} for warning in opened.warnings),
        withheld=_withheld(opened),
        hidden=opened.hidden,
        ended=str(ENDED.get(opened.ended, "")),
        recalled=opened.ended.lower(),
    )


def _with_notes(
    claims: Sequence[ShownClaim], warnings: Iterable[Mapping[str, Any]], stops: Stops
) -> tuple[ShownClaim, ...]:
    """Add the stop of what a statement cites, and to the first that each is about allergies."""
    notes: dict[int, list[str]] = defaultdict(list)
    for claim in claims:
        stop = next(filter(None, (stops.of(cited.document) for cited in claim.citations)), None)
        if stop:
            told = gettext("Stopped: do not use this statement. Call %(contact)s.")
            notes[claim.claim.index].append(told % {"contact": stop.contact})
    visible = {claim.claim.index for claim in claims if not claim.is_hidden}
    for warning in warnings:
        about = sorted(visible.intersection(warning["claims"]))
        if warning["code"] == ALLERGY and about:
            notes[about[0]].append(str(warning["text"]))
    return tuple(replace(claim, notes=tuple(notes[claim.claim.index])) for claim in claims)


def _whom_to_call(sources: Iterable[Source]) -> Mapping[str, str]:
    """Return whom the first stop of what is cited names; empty without a stop."""
    stops = (notice.stop for source in sources for notice in source.notices if notice.stop)
    return next(({"name": "", "contact": stop.contact} for stop in stops), {})


def _level(warning: Mapping[str, Any]) -> str:
    """Return `note` for a warning on whom the answer is for, and `caution` for all others."""
    return "note" if warning["code"] == APPLICABILITY else "caution"


def _withheld(opened: OpenTurn) -> tuple[str, ...]:
    """Return why statements were not shown, by the check they failed, in the mode that says so."""
    if opened.turn.mode != Mode.STANDARD:
        return ()
    return tuple(str(WHY[failed]) for failed in opened.failed if failed in WHY)


def _copied(claim: ShownClaim) -> list[str]:
    """Return a statement as lines of text, with its headings and its references."""
    number = claim.claim.index
    if claim.is_hidden:
        return [f"{number}. {NOT_OPEN}"]
    label = f"{claim.beside}: " if claim.beside else ""
    lines = [f"{number}. {label}{claim.headed}"]
    lines += [claim.left_out] if claim.left_out else []
    for cited in claim.links:
        corrections = (correction.sentence for correction in corrections_of(cited))
        lines += ["   " + ", ".join([cited.reference(), *corrections])]
    return lines
