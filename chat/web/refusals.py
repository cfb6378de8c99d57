"""Advise on each kind of refusal, and prepare the passages shown with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from chat.caveats.notices import Notice
from chat.models import Reason
from chat.models.answers import reference_line
from chat.rights import OpenTurn
from chat.web.figures import Figures, Place, ShownFigure
from chat.web.statements.excerpts import ExcerptPart, excerpt_parts, may_be_row
from chat.web.statements.tables import Pages
from corpus.models import Document, Lifecycle
from corpus.positions import below_title, place_words

_WAIT = gettext_lazy(
    "Your question was kept. What the search found is below: read it in its documents, or ask "
    "again in a minute."
)
_IN_FULL = gettext_lazy(
    "Something is missing that can't be worked out. Ask it in full: the medicine or condition, "
    "the patient, and what you want to know."
)

# Why a statement was withheld, by the check that it failed.
WHY: dict[str, str | Promise] = {
    "citation": gettext_lazy("it cites no passage that was found"),
    "quote": gettext_lazy("its quote is not in the passage"),
    "numbers": gettext_lazy("a number, a unit or how often is not what the guideline says"),
    "medicines": gettext_lazy("it names a medicine that the passage does not name"),
    "routes": gettext_lazy("it names another route than the passage"),
    "groups": gettext_lazy("it is about other patients than the passage"),
    "polarity": gettext_lazy("it says the opposite of the passage"),
    "exchanged": gettext_lazy("it exchanges two things of the passage"),
    "language": gettext_lazy("it puts into other words what a guideline says in another language"),
    "qualifiers": gettext_lazy("it leaves out of which patients the passage says it"),
    "restated": gettext_lazy("it says no more than the question"),
    "entailment": gettext_lazy("the passage does not clearly say it"),
}

ADVICE: dict[Reason, str | Promise] = {
    Reason.NO_EVIDENCE: gettext_lazy(
        "Name the condition or medicine as the guideline would write it. If a "
        "guideline should exist, tell the topic's owner."
    ),
    Reason.WEAK_EVIDENCE: gettext_lazy(
        "It may be in these passages: read them in their documents, or ask again "
        "with more detail: the medicine, the patient group, the setting."
    ),
    Reason.ONLY_OUT_OF_DATE: gettext_lazy(
        "Do not act on the old text. Use what replaced it, or ask the topic's "
        "owner what applies now."
    ),
    Reason.NOT_PERMITTED_EVIDENCE: gettext_lazy(
        "Ask corpus staff for access, or ask a colleague who knows this topic."
    ),
    Reason.UNCLEAR_QUESTION: gettext_lazy(
        "Something is missing that can't be worked out. Ask it in full: the medicine or condition, "
        "the patient, and what you want to know. It may be in these passages."
    ),
    Reason.STOPPED: gettext_lazy(
        "Do not wait for it: call the person named above, or read the guidelines themselves."
    ),
    Reason.OTHER_LANGUAGE: gettext_lazy(
        "Ask in a language that this site answers in. It may be in these passages."
    ),
    Reason.OUT_OF_SCOPE: gettext_lazy(
        "Ask about care that the guidelines here cover, or use another source."
    ),
    Reason.UNSUPPORTED_CLAIMS: gettext_lazy(
        "Read the nearest passages in their documents: no statement drawn "
        "from them passed the check against its source."
    ),
    Reason.LOW_CONFIDENCE: gettext_lazy(
        "It may be in these passages: read them in their documents, or ask a narrower question."
    ),
    Reason.CONFLICT: gettext_lazy(
        "Read both passages with their dates and issuers, and ask the topic's owner "
        "which one applies."
    ),
    Reason.IDENTIFIERS_IN_QUESTION: gettext_lazy(
        "Ask again without names, dates of birth, addresses or record "
        "numbers. An age and a condition are enough."
    ),
    Reason.SEARCH_UNAVAILABLE: gettext_lazy(
        "Your question was kept. Ask again in a minute, or open the guidelines themselves."
    ),
    Reason.GATE_UNAVAILABLE: gettext_lazy(
        "Nothing can be answered until this is put right. Tell the people who "
        "run this system: the gate can't judge by the search model in use."
    ),
    Reason.GENERATOR_UNAVAILABLE: _WAIT,
    Reason.VERIFIER_UNAVAILABLE: _WAIT,
    Reason.BUDGET_EXCEEDED: gettext_lazy(
        "Your question was kept. Ask a shorter one, or try again in a minute."
    ),
}

# Advice when no passage is shown, which doesn't mention passages.
ADVICE_ALONE: dict[Reason, str | Promise] = ADVICE | {
    Reason.WEAK_EVIDENCE: gettext_lazy(
        "Ask again with more detail: the medicine, the patient group, the "
        "setting. Or open the guidelines themselves."
    ),
    Reason.UNCLEAR_QUESTION: _IN_FULL,
    Reason.OTHER_LANGUAGE: gettext_lazy("Ask in a language that this site answers in."),
    Reason.UNSUPPORTED_CLAIMS: gettext_lazy(
        "No statement drawn from the guidelines passed the check against "
        "its source. Open the guidelines themselves, or use another source."
    ),
    Reason.LOW_CONFIDENCE: gettext_lazy("Ask a narrower question, or use another source."),
    Reason.CONFLICT: gettext_lazy("Ask the topic's owner which guideline applies."),
    Reason.GENERATOR_UNAVAILABLE: ADVICE[Reason.SEARCH_UNAVAILABLE],
    Reason.VERIFIER_UNAVAILABLE: ADVICE[Reason.SEARCH_UNAVAILABLE],
}

PLAIN_EXCERPT = 280  # characters of a passage that has no excerpt


@dataclass(frozen=True)
class Passage:
    """A passage shown with a refusal, neither an answer nor a reference."""

    title: str
    version: str
    page: int
    position: str
    section: str
    excerpt: tuple[str, ...]  # its best statements; of older turns the beginning of the passage
    url: str
    notices: tuple[Notice, ...]
    document: Document  # in its state of today
    stored: Mapping[str, Any]  # of `Turn.nearest`
    is_stopped: bool = False  # answering from its guideline: its text is not repeated
    parts: tuple[ExcerptPart, ...] = ()  # the excerpt, rows of one table together
    figures: tuple[ShownFigure, ...] = ()  # of its page

    @property
    def chunk(self) -> str:
        return str(self.stored.get("chunk", ""))

    @property
    def is_ended(self) -> bool:
        """Whether its guideline was stopped, withdrawn or superseded: its text isn't repeated."""
        ended = (Lifecycle.WITHDRAWN, Lifecycle.SUPERSEDED)
        return self.is_stopped or self.document.lifecycle in ended

    def reference(self) -> str:
        """Where it stands, as a line of text."""
        section = below_title(self.section, self.title)
        place = place_words(self.page, section, self.position, say=gettext)
        return reference_line(self.title, self.version, self.document, place)


@dataclass(frozen=True)
class Pictured:
    """What pages have beside their text, to be shown with it."""

    tables: Pages
    figures: Figures


def places_of_nearest(opened: OpenTurn) -> set[Place]:
    """Return the documents and pages of the stored passages that the reader may read."""
    return {(document.pk, int(raw.get("page", 1))) for raw, document in opened.nearest}


def places_of_rows(opened: OpenTurn) -> set[Place]:
    """Return those of `places_of_nearest` whose excerpts may have rows of tables."""
    return {
        (document.pk, int(raw.get("page", 1)))
        for raw, document in opened.nearest
        if any(map(may_be_row, raw.get("excerpt") or ()))
    }


def nearest_passages(
    opened: OpenTurn, notices_of: Callable[[Document], tuple[Notice, ...]], pictured: Pictured
) -> tuple[Passage, ...]:
    """Return the stored passages that the reader may read, the first of a document with banners."""
    passages: list[Passage] = []
    seen: set[str] = set()
    for raw, document in opened.nearest:
        sha256 = document.sha256
        notices = notices_of(document)
        is_stopped = any(notice.stop for notice in notices)
        text, number = str(raw.get("text", "")), int(raw.get("page", 1))
        address = reverse("chat:source", args=[sha256, raw.get("page") or 1])
        page = pictured.tables.get((document.pk, number))
        excerpt = tuple(raw.get("excerpt") or [text[:PLAIN_EXCERPT]])
        passages.append(
            Passage(
                title=str(raw.get("document", "")),
                version=str(raw.get("version", "")),
                page=number,
                position=str(raw.get("position", "")),
                section=str(raw.get("section", "")),
                excerpt=excerpt,
                url=f"{address}?{urlencode({'chunk': raw.get('chunk', '')})}#cited",
                notices=notices if sha256 not in seen else (),
                document=document,
                stored=raw,
                is_stopped=is_stopped,
                parts=excerpt_parts(excerpt, page.blocks if page else (), raw.get("best")),
                figures=pictured.figures.of(document, number, [text]),
            )
        )
        seen.add(sha256)
    return tuple(passages)
