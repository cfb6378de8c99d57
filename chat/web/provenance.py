"""Tell an auditor how a turn came about, step by step.

All of it comes from the stored turn and its trace. A trace of an older release has less, and what
it lacks is left out.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from chat.caveats.notices import Notice
from chat.models import AuditEvent, Citation, Mode, Reason, Turn
from chat.pipeline.search import EXPLAINING
from chat.replays.corpus_changes import CHANGES, corpus_movement
from chat.replays.replay import GONE
from chat.selectors import documents_by_sha256, every_collection, pages_at
from chat.web.narrowing import narrowed_to
from chat.web.painting import locate
from chat.web.presentation import ShownTurn, shown_turns
from chat.web.refusals import WHY
from corpus.models import Document, Lifecycle
from corpus.selectors import places_without_pages

HASH_CHARS = 64  # a passage's key begins with its document's SHA-256
_PAGE = re.compile(r"_p(\d+)_")


@dataclass(frozen=True)
class FoundPassage:
    """A passage with its final rank and the rank at which it was first found."""

    rank: int
    found_at: int
    cosine: float
    name: str  # the document's title of today, with its page, or its place where it has no pages
    url: str


@dataclass(frozen=True)
class Look:
    """One search, and the gate's verdict on its passages."""

    what: str
    query: str
    passages: tuple[FoundPassage, ...]
    gate: str


@dataclass(frozen=True)
class UnshownStatement:
    """A statement that was written and not shown."""

    text: str
    why: str
    detail: str


@dataclass(frozen=True)
class Change:
    """Changes of a cited document since the answer."""

    document: Document
    notices: tuple[Notice, ...]
    events: tuple[tuple[AuditEvent, str], ...]
    moved: int  # citations whose text is no longer on the page

    @property
    def is_recalled(self) -> bool:
        return self.document.lifecycle == Lifecycle.WITHDRAWN

    @property
    def is_any(self) -> bool:
        return bool(self.notices or self.events or self.moved)


@dataclass(frozen=True)
class Provenance:
    shown: ShownTurn
    read_as: tuple[str, ...]  # how the question was understood, a sentence each
    looks: tuple[Look, ...]
    decided: tuple[str, ...]  # why it was answered or refused, a sentence each
    left: tuple[UnshownStatement, ...]
    changes: tuple[Change, ...]
    moved: str  # how the corpus as a whole has changed, in a sentence

    @property
    def is_unchanged(self) -> bool:
        return not any(change.is_any for change in self.changes)


def turn_provenance(turn: Turn, *, on: datetime.date) -> Provenance:
    """Tell how a turn of `selectors.audited_turns` came about, and what has changed up to a day.

    Includes collections that are not open to the reader, who is an auditor. Runs a fixed number of
    queries.
    """
    readable = every_collection()
    (shown,) = shown_turns([turn], on=on, readable=readable)
    return Provenance(
        shown=shown,
        read_as=tuple(_read_as(shown)),
        looks=_looks(turn.trace),
        decided=tuple(_decided(turn)),
        left=_left(turn.trace),
        changes=_changes(turn, shown),
        moved=corpus_movement(turn),
    )


def _read_as(shown: ShownTurn) -> Iterable[str]:
    turn, trace = shown.turn, shown.turn.trace
    if kinds := trace.get("identifiers"):
        yield f"It seemed to identify a patient ({', '.join(kinds)})."
    how = trace.get("follow_up") or {}
    if shown.standalone:
        by = {"rules": "by rules", "llm": "by the language model"}.get(how.get("by", ""), "")
        yield f"It goes on from the question before, and was read{' ' if by else ''}{by} as:"
        yield f"“{shown.standalone}”"
    if shown.plain:
        yield f"It was searched in plain words, too: “{shown.plain}”"
    if how.get("either"):
        yield "About the questions before nothing answers it, and by itself another guideline does."
    elif shown.is_within:
        yield "It was read in the documents that the conversation had shown."
    elif how.get("alone"):
        yield "It was read by itself, without the questions before it."
    if "unclear" in (trace.get("asked") or {}):
        yield "It was not clear which question before it goes on from."
    yield from _sentences(how.get("notes") or ())
    if narrowed := narrowed_to(turn):
        yield f"The search was narrowed to: {narrowed}."


def _looks(trace: Mapping[str, Any]) -> tuple[Look, ...]:
    searches: Sequence[Mapping[str, Any]] = trace.get("searches") or ()
    keys = {str(hit["chunk"]) for search in searches for hit in search.get("hits") or ()}
    documents = documents_by_sha256({key[:HASH_CHARS] for key in keys}) if keys else {}
    places = places_without_pages(keys) if keys else {}
    return tuple(
        Look(
            what=_what(search),
            query=str(search.get("query", "")),
            passages=tuple(_passage(hit, documents, places) for hit in search.get("hits") or ()),
            gate=_gate(search.get("gate") or {}),
        )
        for search in searches
    )


def _what(search: Mapping[str, Any]) -> str:
    if search.get("rights") == "hidden":
        return "Among what is not open to who asked, to explain the refusal"
    if search.get("scope", "in_force") != "in_force":
        return "Among what is no longer in force, to explain the refusal"
    if search.get("look") == EXPLAINING:
        return "Among all that was in force and open to who asked, to explain the refusal"
    return "Among what was in force and open to who asked"


def _passage(
    hit: Mapping[str, Any], documents: Mapping[str, Document], places: Mapping[str, str]
) -> FoundPassage:
    key = str(hit["chunk"])
    sha256, match = key[:HASH_CHARS], _PAGE.search(key)
    page = int(match.group(1)) if match else 1
    document = documents.get(sha256)
    source = reverse("chat:source", args=[sha256, page]) if document else ""
    return FoundPassage(
        rank=int(hit.get("rank", 0)),
        found_at=int(hit.get("found_at", 0)),
        cosine=float(hit.get("cosine", 0)),
        name=f"{document}, {places.get(key) or f'page {page}'}" if document else GONE,
        url=f"{source}?{urlencode({'chunk': key})}#cited" if source else "",
    )


def _gate(gate: Mapping[str, Any]) -> str:
    if not gate:
        return ""
    likely, needed = (_percent(float(gate[name])) for name in ("probability", "threshold"))
    if gate.get("reason") == Reason.NO_EVIDENCE:
        return "Nothing was found that could be judged, so the gate stayed shut."
    verb = "stayed shut" if gate.get("reason") else "opened"
    return (
        f"How likely what was found holds the answer: {likely}. Needed: {needed}. The gate {verb}."
    )


def _decided(turn: Turn) -> Iterable[str]:
    trace = turn.trace
    if not trace.get("searches"):
        yield "Nothing was searched."
    if verdicts := trace.get("verdicts"):
        passed = sum(not verdict.get("failed") for verdict in verdicts)
        yield f"Statements written: {len(verdicts)}. Those that passed every check: {passed}."
        if moved := sum(bool(verdict.get("found")) for verdict in verdicts):
            yield (
                "Statements whose own citation did not bear them out, and which were given the "
                f"citation of another statement that does: {moved}."
            )
    needed = (trace.get("answers") or {}).get("confidence_threshold")
    if turn.mode in (Mode.CONFIDENT, Mode.CONFIDENT_LITE) and needed is not None and verdicts:
        yield f"Confidence: {_percent(turn.confidence)}. Needed in this mode: {_percent(needed)}."
    if judged := trace.get("judgement"):
        yield _judged(judged)
    if failure := trace.get("failure"):
        yield f"A part failed: {failure}."
    yield from _sentences(trace.get("notes") or ())
    if turn.reason:
        yield f"It was refused: {Reason(turn.reason).label}."
    else:
        yield "It was answered."


def _judged(judged: Mapping[str, Any]) -> str:
    coverage = _percent(float(judged.get("coverage", 0)))
    scope = "within" if judged.get("in_scope") else "outside"
    against = ", and that something contradicts it" if judged.get("contradicts") else ""
    return (
        f"A language model said that it answers {coverage} of the question, {scope} what the "
        f"guidelines cover{against}."
    )


def _sentences(notes: Iterable[object]) -> Iterable[str]:
    return (f"{str(note).rstrip('.')}." for note in notes)


def _left(trace: Mapping[str, Any]) -> tuple[UnshownStatement, ...]:
    return tuple(
        UnshownStatement(
            text=str(verdict.get("text", "")),
            why=str(WHY.get(verdict["failed"], verdict["failed"])),
            detail=str(verdict.get("detail", "")),
        )
        for verdict in trace.get("verdicts") or ()
        if verdict.get("failed")
    )


def _changes(turn: Turn, shown: ShownTurn) -> tuple[Change, ...]:
    """Return the changes of each cited document. One query for events, and one for pages."""
    citations = [citation for claim in shown.claims for citation in claim.citations]
    pages = pages_at({(citation.document_id, citation.page) for citation in citations})
    cited = [(source.document, source.notices) for source in shown.sources]
    subjects = {f"document:{document.pk}": document.pk for document, _ in cited}
    since = AuditEvent.objects.filter(
        subject__in=subjects, at__gt=turn.created_at, action__in=CHANGES
    )
    events: dict[int, list[tuple[AuditEvent, str]]] = {document.pk: [] for document, _ in cited}
    for event in since.order_by("seq") if cited else ():
        events[subjects[event.subject]].append((event, CHANGES[event.action]))

    def has_moved(citation: Citation) -> bool:
        page = pages.get((citation.document_id, citation.page))
        place = (citation.start, citation.end)
        if not citation.quote:  # the quote was removed by retention
            return False
        return page is None or locate(page.text, place, citation.quote) is None

    return tuple(
        Change(
            document=document,
            notices=notices,
            events=tuple(events[document.pk]),
            moved=sum(has_moved(c) for c in citations if c.document_id == document.pk),
        )
        for document, notices in cited
    )


def _percent(share: float) -> str:
    """Round down, so that a share below a threshold does not look as if it had reached it."""
    return f"{int(share * 1000 + 1e-9) / 10:.1f} %"
