"""A stored turn as JSON, as the API sends it and `manage.py ask --json` prints it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import prefetch_related_objects
from django.urls import reverse
from django.utils import timezone

from chat.caveats.notices import REVIEW_DUE
from chat.models import Citation, Feedback, Turn
from chat.selectors import cited_claims, pages_at, spans_of_chunks
from chat.web.figures import ShownFigure
from chat.web.painting import corrections_of, paint, standing_of
from chat.web.presentation import ShownTurn, shown_turns
from chat.web.refusals import Passage
from chat.web.statements.claims import ShownClaim
from corpus.access import readable_ids
from corpus.boxes import Spans
from corpus.figures import CHART, FIGURE
from corpus.models import Document, Page
from corpus.review.pictures import has_picture

Address = Callable[[str], str]  # makes a path of the site an absolute address


def turn_payload(turn: Turn, *, address: Address = str) -> dict[str, Any]:
    """Return a turn as its asker sees it: an answer with its claims, or a refusal with its reason.

    `reason`, `message` and `owner` are None for an answer; `nearest` is never a reference. Links
    are paths, unless `address` makes them absolute. Three queries, and those of `turns_payload`.
    """
    prefetch_related_objects([turn], cited_claims())
    (payload,) = turns_payload(
        [turn], readable=readable_ids(turn.user), reader=turn.user_id, address=address
    )
    return payload


def turns_payload(
    turns: Iterable[Turn],
    *,
    readable: Set[int],
    reader: int | None,
    address: Address = str,
) -> list[dict[str, Any]]:
    """Return turns from `chat.selectors` for a reader and the collections open to them, by key.

    Nothing of other collections is shown, even if it was shown before. At most five queries: for
    the nearest documents, their passages, tables of cited rows, pages and collections.
    """
    today = timezone.localdate()
    shown = shown_turns(turns, on=today, readable=readable, reader=reader)
    cited = [c for turn in shown for claim in turn.claims for c in claim.citations]
    near = [passage for turn in shown for passage in turn.nearest]
    pages = pages_at(
        {(citation.document_id, citation.page) for citation in cited}
        | {(passage.document.pk, passage.page) for passage in near}
    )
    spans = spans_of_chunks({passage.chunk for passage in near})
    return [_TurnJson(turn, pages, spans, address).answer() for turn in shown]


def message_payload(turn: Turn, answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with its question. No query if the feedback was fetched with the turn."""
    feedback: Feedback | None = getattr(turn, "feedback", None)
    return answer | {
        "question": turn.question,
        "asked_at": turn.created_at.isoformat(),
        "text_removed_at": turn.text_removed_at.isoformat() if turn.text_removed_at else None,
        "duration_ms": turn.duration_ms,
        "conversation": str(turn.conversation_id) if turn.conversation_id else None,
        "feedback": feedback_payload(feedback) if feedback else None,
    }


def feedback_payload(feedback: Feedback) -> dict[str, Any]:
    return {"helpful": feedback.helpful, "comment": feedback.comment}


def _message(shown: ShownTurn) -> str | None:
    label = shown.reason_label
    return (
        f"{label}. Searched only: {shown.narrowed}." if label and shown.narrowed else label or None
    )


def _warnings(shown: ShownTurn) -> list[dict[str, Any]]:
    """Return the warnings stored with the turn, then the notices on its documents."""
    about = [
        {
            "code": notice.code,
            "level": notice.level,
            "text": f"{document.title}: {notice.sentence}",
            "claims": shown.numbers_of(document),
            "documents": [
                document.sha256,
                *([notice.successor.sha256] if notice.successor else []),
            ],
            "page": None,
        }
        for document, notice in shown.notices
    ]
    return [*({"page": None, **warning} for warning in shown.warnings), *about]


def _row(claim: ShownClaim) -> dict[str, Any] | None:
    if claim.table is None or not claim.cells:
        return None
    return {
        "caption": claim.table.caption,
        "heads": list(claim.table.heads),
        "cells": list(claim.cells),
        "matches": claim.matches,
    }


def _figure(figure: ShownFigure) -> dict[str, Any]:
    return {
        "kind": CHART if figure.is_chart else FIGURE,
        "name": figure.label,
        "caption": figure.caption,
        "sha256": figure.document.sha256,
        "page": figure.page.number,
        "box": dict(zip(("x", "y", "width", "height"), figure.box, strict=True)),
    }


@dataclass(frozen=True)
class _TurnJson:
    """Converts a turn to JSON, with the pages and passages that its citations need."""

    shown: ShownTurn
    pages: Mapping[tuple[int, int], Page]  # by document and number
    spans: Mapping[tuple[int, str], list[tuple[int, int, int]]]  # of passages, by document and key
    address: Address

    def answer(self) -> dict[str, Any]:
        shown, turn = self.shown, self.shown.turn
        return {
            "status": str(turn.status),
            "reason": shown.reason or None,
            "message": _message(shown),
            "recalled": shown.recalled or None,
            "mode": str(turn.mode),
            "standalone": shown.standalone or None,
            "plain": shown.plain or None,
            "option": shown.option or None,
            "warnings": _warnings(shown),
            "withheld": list(shown.withheld),
            "owner": dict(shown.owner) or None,
            "claims": [self._claim(claim) for claim in shown.claims if not claim.is_hidden],
            "nearest": [self._passage(passage) for passage in shown.nearest],
            "hidden": shown.hidden,
            "confidence": shown.confidence,
            "turn": str(turn.pk),
        }

    def _claim(self, claim: ShownClaim) -> dict[str, Any]:
        return {
            "number": claim.claim.index,
            "text": claim.claim.text,
            "under": claim.under,
            "kind": str(claim.claim.kind),
            "left_out": claim.left_out or None,
            "row": _row(claim),
            "citations": [self._citation(cited) for cited in claim.citations],
            "figures": [_figure(figure) for figure in claim.figures],
        }

    def _citation(self, cited: Citation) -> dict[str, Any]:
        page = self.pages.get((cited.document_id, cited.page))
        return {
            **self._place(cited, page),
            "section_path": cited.section_path,
            "quote": cited.quote,
            "ocr_confidence": getattr(cited, "ocr_confidence", None),
            "corrected": [
                {"text": each.text, "read": each.read, "is_quoted": each.is_quoted}
                for each in corrections_of(cited)
            ],
            **self._painted(
                cited.document,
                cited.page,
                standing_of(cited, page).spans if page else (),
                f"{reverse('chat:citation', args=[cited.pk])}#cited",
                {"citation": cited.pk},
            ),
        }

    def _passage(self, passage: Passage) -> dict[str, Any]:
        stored = passage.stored
        spans = self.spans.get((passage.document.pk, passage.chunk), [])
        page = self.pages.get((passage.document.pk, passage.page))
        return {
            **self._place(passage, page),
            "section_path": stored.get("section_path", []),
            "text": "" if passage.is_ended else stored.get("text", ""),
            "excerpt": [] if passage.is_ended else stored.get("excerpt", []),
            "best": None if passage.is_ended else stored.get("best"),
            "figures": [] if passage.is_ended else [_figure(each) for each in passage.figures],
            **self._painted(
                passage.document,
                passage.page,
                [(start, end) for number, start, end in spans if number == passage.page],
                passage.url,
                {"chunk": passage.chunk},
            ),
        }

    def _place(self, source: Citation | Passage, page: Page | None) -> dict[str, Any]:
        return {
            "document": source.title,
            "reference": source.reference(),
            "version": source.version,
            **self._document(source.document),
            "page": source.page,
            "page_label": (page.label if page else "") or None,
            "position": source.position or None,
            "section": source.section,
        }

    def _document(self, document: Document) -> dict[str, Any]:
        """Return the document's state of today."""
        codes = {notice.code for about, notice in self.shown.notices if about == document}
        return {
            "sha256": document.sha256,
            "issuer": document.issuer,
            "journal": document.journal,
            "year": document.year,
            "population": document.population,
            "lifecycle": str(document.lifecycle),
            "effective_from": _day(document.effective_from),
            "review_by": _day(document.review_by),
            "overdue": REVIEW_DUE in codes,
            "stopped": self.shown.stop_of(document) or None,
        }

    def _painted(
        self, document: Document, number: int, spans: Spans, link: str, marked: Mapping[str, object]
    ) -> dict[str, Any]:
        """Return the boxes of spans on a page, and the page's addresses for people and programs."""
        page = self.pages.get((document.pk, number))
        size = {"width": page.width, "height": page.height} if page and page.width else None
        rects = paint(page.blocks, spans) if page else ()
        picture, query = "", urlencode(marked)
        if page and has_picture(document, page):
            picture = reverse("chat:page_image", args=[document.sha256, number])
        opened_by = reverse("api:page", args=[document.sha256, number])
        return {
            "boxes": [{name: float(side) for name, side in asdict(rect).items()} for rect in rects],
            "page_size": size,
            "link": self.address(link),
            "picture": self.address(picture) if picture else None,
            "token_link": self.address(f"{opened_by}?{query}"),
            "token_picture": self.address(f"{opened_by}/picture?{query}") if picture else None,
        }


def _day(date: datetime.date | None) -> str | None:
    return date.isoformat() if date else None
