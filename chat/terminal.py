"""Show a stored turn and its cited pages as text in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils import timezone

from chat.audit import log as audit
from chat.caveats.notices import document_notices
from chat.models import Citation, Claim, Turn, TurnStatus
from chat.selectors import access_document, access_page, citations_read
from chat.web.presentation import CHECK_FIRST, ShownTurn, shown_turns
from chat.web.sources import Marks, marks_of_chunk, marks_of_citation
from chat.web.suggesting import respelled
from core.errors import MedragError
from corpus.access import readable_ids
from corpus.boxes import Span
from corpus.models import Page
from corpus.positions import place_words
from corpus.stops import stops_held

AROUND_CHARS = 400  # of the page, before the first marked words and behind the last
MARKS = "»", "«"  # around what is cited


def as_text(turn: Turn) -> str:
    """Return the answer with its citations, or the refusal with its advice."""
    readable = readable_ids(turn.user)
    (shown,) = shown_turns([turn], on=timezone.localdate(), readable=readable, reader=turn.user_id)
    lines = [f"Question: {turn.question}"]
    if read_as := shown.plain or shown.standalone:
        lines.append(f"  Read as: {read_as}")
    lines += [f"  {shown.ended}"] if shown.ended else []
    lines += [f"  Note: {document.title}: {notice.sentence}" for document, notice in shown.notices]
    lines += [f"  Note: {warning['text']}" for warning in shown.warnings]
    lines += _answer(shown) if turn.status == TurnStatus.ANSWERED else _refusal(shown)
    return "\n".join(lines)


def _answer(shown: ShownTurn) -> list[str]:
    lines = [f"  Option {shown.option}"] if shown.option else []
    for each in shown.claims:
        claim, label = each.claim, f"{each.beside}: " if each.beside else ""
        if not each.is_hidden:
            lines += [f"  {claim.index}. {label}{each.headed}", *_citations(claim)]
    not_shown = [f"  Withheld: {why}." for why in shown.withheld]
    return [*lines, *not_shown, *([] if shown.ended else [f"  {CHECK_FIRST}"])]


def _citations(claim: Claim) -> list[str]:
    """Return one line for each cited passage and page, the main quote first."""
    first: dict[tuple[int, int], Citation] = {}
    read = citations_read().select_related("document")
    for citation in read.filter(claim=claim):
        first.setdefault((citation.index, citation.page), citation)
    return [
        f"     [{cited.index}] {cited.reference()}: “{' '.join(cited.quote.split())}”"
        for cited in first.values()
    ]


def _refusal(shown: ShownTurn) -> list[str]:
    lines = [f"  No answer ({shown.reason}): {shown.reason_label}.", f"  {shown.advice}"]
    if meant := respelled(shown):
        lines.append(f"  Did you mean: {meant.question}")
    if shown.narrowed:
        lines.append(f"  Searched only: {shown.narrowed}.")
    lines += [f"  Withheld: {why}." for why in shown.withheld]
    if shown.nearest:
        lines.append("  Nearest passages, which are no answer:")
    for number, near in enumerate(shown.nearest, start=1):
        passage = near.stored
        state = "" if passage["lifecycle"] == "PUBLISHED" else f" ({passage['lifecycle'].lower()})"
        lines.append(f"     [{number}] {near.reference()}{state}")
        texts = () if near.is_ended else passage.get("excerpt", ())
        lines += [f"       “{' '.join(text.split())}”" for text in texts]
    if shown.owner:
        named = (shown.owner["name"], shown.owner["contact"])
        lines.append(f"  Ask: {', '.join(filter(None, named))}")
    return lines


def opened(turn: Turn, number: int, *, user: User | None) -> str:
    """Return the pages behind `[number]` of a turn: marked words in context, and addresses.

    Addresses are paths of the site. Opening is logged, as on the site. Raises MedragError where the
    number doesn't exist or the page is not open to the reader.
    """
    try:
        pages = list(_pages(turn, number, user))
    except Http404:
        raise MedragError("The document is no longer open to you.") from None
    if not pages:
        raise MedragError(f"The last answer has no citation [{number}].")
    return "\n\n".join(pages)


def _pages(turn: Turn, number: int, user: User | None) -> Iterator[str]:
    """Yield each page that a citation quotes; of a refusal, the passage's page."""
    if turn.status != TurnStatus.ANSWERED:
        for passage in turn.nearest[number - 1 : number] if number else ():
            page = _page(user, passage["sha256"], passage["page"])
            address = reverse("chat:source", args=[passage["sha256"], page.number])
            address = f"{address}?chunk={passage['chunk']}"
            place = place_words(page.number, passage["section"], passage.get("position", ""))
            marks = marks_of_chunk(passage["chunk"], page)
            yield _page_text(page, marks, f"{place}, {address}", user)
        return
    cited = citations_read().filter(claim__turn=turn, index=number).order_by("claim__index", "pk")
    for citation in {each.page: each for each in reversed(cited)}.values():
        page = _page(user, citation.sha256, citation.page, citation=citation.pk)
        address = reverse("chat:citation", args=[citation.pk])
        yield _page_text(
            page, marks_of_citation(citation, page), f"{citation.place}, {address}", user
        )


def _page(user: User | None, sha256: str, number: int, **citation: int) -> Page:
    """Return the page. Raises Http404."""
    page = access_page(access_document(user, sha256=sha256), number=number)
    with transaction.atomic():
        payload, subject = {"page": number, **citation}, f"document:{page.document_id}"
        audit.record("source.opened", actor=user, subject=subject, payload=payload)
    return page


def _page_text(page: Page, marks: Marks, where: str, user: User | None) -> str:
    document = page.document
    notices = document_notices(
        document, on=timezone.localdate(), stops=stops_held(), readable=readable_ids(user)
    )
    notes = [*(notice.sentence for notice in notices), *(c.sentence for c in marks.corrected)]
    spans = sorted([*marks.main, *marks.also])
    text = _amid(page.text, spans) if spans else f"No longer on the page: {marks.quote}"
    return "\n".join([f"{document}, {where}", *(f"  Note: {each}" for each in notes), text])


def _amid(text: str, spans: Sequence[Span]) -> str:
    """Return the marked words with surrounding whole words, and dots where text is left out."""
    start = max(0, spans[0][0] - AROUND_CHARS)
    end = min(len(text), max(end for _, end in spans) + AROUND_CHARS)
    start = text.find(" ", start, spans[0][0]) + 1 or spans[0][0] if start else 0
    end = text.rfind(" ", spans[-1][1], end) if end < len(text) else end
    parts, at = ["… " if start else ""], start
    for a, b in spans:
        if a >= at:
            parts += [text[at:a], MARKS[0], text[a:b], MARKS[1]]
            at = b
    return "".join([*parts, text[at : max(at, end)], " …" if end < len(text) else ""])
