"""Advise on each kind of refusal, and prepare the passages shown with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from chat.caveats.notices import Notice
from chat.models import Reason
from chat.models.answers import reference_line
from chat.rights import OpenTurn
from corpus.models import Document, Lifecycle
from corpus.positions import below_title, place_words

_WAIT = (
    "Your question was kept. What the search found is below: read it in its documents, or ask "
    "again in a minute."
)
_IN_FULL = (
    "It leaves something out that I can't tell. Ask it in full: the medicine or condition, the "
    "patient, and what you want to know."
)

# Why a statement was withheld, by the check that it failed.
WHY: dict[str, str] = {
    "citation": "it cites no passage that was found",
    "quote": "its quote is not in the passage",
    "numbers": "a number, a unit or how often is not what the guideline says",
    "medicines": "it names a medicine that the passage does not name",
    "routes": "it names another route than the passage",
    "groups": "it is about other patients than the passage",
    "polarity": "it says the opposite of the passage",
    "exchanged": "it exchanges two things of the passage",
    "language": "it puts into other words what a guideline says in another language",
    "qualifiers": "it leaves out of which patients the passage says it",
    "restated": "it says no more than the question",
    "entailment": "the passage does not clearly say it",
}

ADVICE: dict[Reason, str] = {
    Reason.NO_EVIDENCE: "Name the condition or medicine as the guideline would write it. If a "
    "guideline should exist, tell the topic's owner.",
    Reason.WEAK_EVIDENCE: "It may be in these passages: read them in their documents, or ask again "
    "with more detail: the medicine, the patient group, the setting.",
    Reason.ONLY_OUT_OF_DATE: "Do not act on the old text. Use what replaced it, or ask the topic's "
    "owner what applies now.",
    Reason.NOT_PERMITTED_EVIDENCE: "Ask corpus staff for access, or ask a colleague who "
    "knows this topic.",
    Reason.UNCLEAR_QUESTION: f"{_IN_FULL} It may be in these passages.",
    Reason.STOPPED: "Do not wait for it: call the person named above, or read the guidelines "
    "themselves.",
    Reason.OTHER_LANGUAGE: "Ask in a language that this site answers in. It may be in these "
    "passages.",
    Reason.OUT_OF_SCOPE: "Ask about care that the guidelines here cover, or use another source.",
    Reason.UNSUPPORTED_CLAIMS: "Read the nearest passages in their documents: no statement drawn "
    "from them passed the check against its source.",
    Reason.LOW_CONFIDENCE: "It may be in these passages: read them in their documents, or ask a "
    "narrower question.",
    Reason.CONFLICT: "Read both passages with their dates and issuers, and ask the topic's owner "
    "which one applies.",
    Reason.IDENTIFIERS_IN_QUESTION: "Ask again without names, dates of birth, addresses or record "
    "numbers. An age and a condition are enough.",
    Reason.SEARCH_UNAVAILABLE: "Your question was kept. Ask again in a minute, or open the "
    "guidelines themselves.",
    Reason.GATE_UNAVAILABLE: "Nothing can be answered until this is put right. Tell the people who "
    "run this system: the gate can't judge by the search model in use.",
    Reason.GENERATOR_UNAVAILABLE: _WAIT,
    Reason.VERIFIER_UNAVAILABLE: _WAIT,
    Reason.BUDGET_EXCEEDED: "Your question was kept. Ask a shorter one, or try again in a minute.",
}

# Advice when no passage is shown, which doesn't mention passages.
ADVICE_ALONE: dict[Reason, str] = ADVICE | {
    Reason.WEAK_EVIDENCE: "Ask again with more detail: the medicine, the patient group, the "
    "setting. Or open the guidelines themselves.",
    Reason.UNCLEAR_QUESTION: _IN_FULL,
    Reason.OTHER_LANGUAGE: "Ask in a language that this site answers in.",
    Reason.UNSUPPORTED_CLAIMS: "No statement drawn from the guidelines passed the check against "
    "its source. Open the guidelines themselves, or use another source.",
    Reason.LOW_CONFIDENCE: "Ask a narrower question, or use another source.",
    Reason.CONFLICT: "Ask the topic's owner which guideline applies.",
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

    @property
    def chunk(self) -> str:
        return str(self.stored.get("chunk", ""))

    @property
    def is_ended(self) -> bool:
        """Whether its guideline was withdrawn or superseded since: its text is not repeated."""
        return self.document.lifecycle in (Lifecycle.WITHDRAWN, Lifecycle.SUPERSEDED)

    def reference(self) -> str:
        """Where it stands, as a line of text."""
        place = place_words(self.page, below_title(self.section, self.title), self.position)
        return reference_line(self.title, self.version, self.document, place)


def nearest_passages(
    opened: OpenTurn, notices_of: Callable[[Document], tuple[Notice, ...]]
) -> tuple[Passage, ...]:
    """Return the stored passages that the reader may read, the first of a document with banners."""
    found: list[Passage] = []
    seen: set[str] = set()
    for raw, document in opened.nearest:
        sha256 = document.sha256
        notices = notices_of(document) if sha256 not in seen else ()
        seen.add(sha256)
        address = reverse("chat:source", args=[sha256, raw.get("page") or 1])
        found.append(
            Passage(
                title=str(raw.get("document", "")),
                version=str(raw.get("version", "")),
                page=int(raw.get("page", 1)),
                position=str(raw.get("position", "")),
                section=str(raw.get("section", "")),
                excerpt=tuple(raw.get("excerpt") or [str(raw.get("text", ""))[:PLAIN_EXCERPT]]),
                url=f"{address}?{urlencode({'chunk': raw.get('chunk', '')})}#cited",
                notices=notices,
                document=document,
                stored=raw,
            )
        )
    return tuple(found)
