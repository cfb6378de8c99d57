"""Keep a statement that answered in a thread from answering what it says nothing about.

`Trough came back 1.4` after the dose for a clearance of 45 is read together with it, so that the
row of that dose looks as certain as before. It answers again only if it speaks of a trough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chat.models import Citation, ClaimKind, Conversation
from chat.question.understand import REMEMBERED
from chat.types import Unit
from core.language.en.statements.topics import topic_words
from core.language.en.threads.added import added_topics
from core.language.gloss import question_in_english
from retrieval.analysis import by_every_name

Place = tuple[str, int, int]  # SHA-256, page and first character of a statement


@dataclass(frozen=True)
class Told:
    """Where the statements stand that answered, and the stems of what a follow-up brings."""

    places: frozenset[Place] = frozenset()
    adds: frozenset[str] = frozenset()

    def answers_no_more(self, unit: Unit) -> bool:
        """Tell whether a statement answered before and speaks of nothing that is new."""
        quote = unit.quotes[0]
        if not self.adds or (quote.hit.sha256, quote.page, quote.start) not in self.places:
            return False
        read = unit.in_english
        above = read.above[:-1]  # what the whole document is about tells nothing of a statement
        return self.adds.isdisjoint(topic_words(" ".join((read.text, *above))))

    def as_dict(self) -> dict[str, Any]:
        return {"places": sorted(map(list, self.places)), "adds": sorted(self.adds)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Told:
        places = ((sha256, page, start) for sha256, page, start in stored.get("places", ()))
        return cls(frozenset(places), frozenset(stored.get("adds", ())))


NOTHING_TOLD = Told()


def told_before(question: str, earlier: Sequence[str], conversation: Conversation | None) -> Told:
    """Return what the latest turns answered, for a follow-up as it is typed.

    Runs one query where the follow-up brings something new.
    """
    typed = by_every_name(question_in_english(question))
    adds = added_topics(typed, [by_every_name(question_in_english(text)) for text in earlier])
    if conversation is None or not adds:
        return NOTHING_TOLD
    turns = conversation.turns.filter(text_removed_at=None).order_by("-created_at", "-pk")
    latest = list(turns.values_list("pk", flat=True)[:REMEMBERED])
    answered = Citation.objects.filter(
        claim__turn__in=latest, claim__kind__in=(ClaimKind.ANSWER, ClaimKind.ROW)
    )
    return Told(frozenset(answered.values_list("sha256", "page", "start")), adds)
