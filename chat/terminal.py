"""A stored turn as text for a terminal."""

from __future__ import annotations

from chat.models import Citation, Claim, ClaimKind, Turn, TurnStatus
from chat.web.narrowing import narrowed_to
from chat.web.presentation import CHECK_FIRST, withheld
from corpus.positions import place_words


def as_text(turn: Turn) -> str:
    """The answer with its citations, or the refusal with what was nearest. Two queries."""
    lines = [f"Question: {turn.question}"]
    if turn.standalone:
        lines.append(f"  Read as: {turn.standalone}")
    lines += [f"  Note: {warning['text']}" for warning in turn.warnings]
    lines += _answer(turn) if turn.status == TurnStatus.ANSWERED else _refusal(turn)
    return "\n".join(lines)


def _answer(turn: Turn) -> list[str]:
    lines = [f"  Option {turn.option}"] if turn.option else []
    for claim in turn.claims.prefetch_related("citations"):
        beside = "" if claim.kind == ClaimKind.ANSWER else f"{claim.get_kind_display()}: "
        lines += [f"  {claim.index}. {beside}{claim.under}: {claim.text}", *_citations(claim)]
    return [*lines, *_withheld(turn), f"  {CHECK_FIRST}"]


def _withheld(turn: Turn) -> list[str]:
    return [f"  Withheld: {statement.why}." for statement in withheld(turn)]


def _citations(claim: Claim) -> list[str]:
    """One line per cited passage and page, with what is quoted first."""
    first: dict[tuple[int, int], Citation] = {}
    for citation in claim.citations.all():
        first.setdefault((citation.index, citation.page), citation)
    return [
        f"     [{cited.index}] {cited.title}, {cited.place}: “{' '.join(cited.quote.split())}”"
        for cited in first.values()
    ]


def _refusal(turn: Turn) -> list[str]:
    lines = [f"  No answer ({turn.reason}): {turn.get_reason_display()}."]
    if narrowed := narrowed_to(turn):
        lines.append(f"  Searched only: {narrowed}.")
    lines += _withheld(turn)
    if turn.nearest:
        lines.append("  Nearest passages, which are no answer:")
    for passage in turn.nearest:
        state = "" if passage["lifecycle"] == "PUBLISHED" else f" ({passage['lifecycle'].lower()})"
        place = place_words(passage["page"], passage["section"], passage.get("position", ""))
        lines.append(f"     - {passage['document']}{state}, {place}")
        lines += [f"       “{' '.join(text.split())}”" for text in passage.get("excerpt", ())]
    if turn.owner:
        lines.append(f"  Ask: {turn.owner['name']}, {turn.owner['contact']}")
    return lines
