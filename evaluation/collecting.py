"""Collect a question set from questions that clinicians asked here."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import User
from django.db.models import Prefetch, Q

from chat.models import (
    Channel,
    Citation,
    Claim,
    ClaimKind,
    ClaimLabel,
    SupportLabel,
    Turn,
    TurnStatus,
)
from chat.reviews.labelling import Labels, labels_by_turn
from core.errors import MedragError
from evaluation.models import QuestionSet
from evaluation.question_set_services import SetFacts, question_set_store
from evaluation.question_sets.types import Item, ItemKind, QuestionsRead

FORM = "collected"
MAX_ITEMS = 1000


class Which(StrEnum):
    """Which questions to collect, by feedback, outcome or review."""

    NOT_HELPFUL = "not helpful"
    HELPFUL = "helpful"
    REFUSED = "refused"
    LABELLED = "labelled by reviewers"
    ALL = "all"


_CHOSEN = {
    Which.NOT_HELPFUL: Q(feedback__helpful=False),
    Which.HELPFUL: Q(feedback__helpful=True),
    Which.REFUSED: Q(status=TurnStatus.ABSTAINED),
    Which.LABELLED: Q(pk__in=ClaimLabel.objects.filter(place=2).order_by().values("claim__turn")),
    Which.ALL: Q(),
}


class NothingToCollect(MedragError):
    """No question matches."""


@dataclass(frozen=True)
class Collected:
    """Which questions to collect: of the days `first` to `last`, inclusive, the latest first."""

    name: str
    which: Which
    first: datetime.date
    last: datetime.date
    limit: int = 100


def question_set_collect(wanted: Collected, *, by: User | None) -> QuestionSet:
    """Store the matching questions as a set. Raises NothingToCollect, DuplicateQuestionSet.

    An answer that its asker called helpful becomes the gold answer, with the cited documents as
    relevant ones. Of an answer that reviewers labelled, the claims that they finally found
    supported become the gold claims. All other questions are unlabelled. A follow-up is stored as
    it was understood. Questions of evaluations and blocked questions are left out. Reading takes
    four queries.
    """
    matching = Turn.objects.filter(
        _CHOSEN[wanted.which],
        text_removed_at=None,
        created_at__date__gte=wanted.first,
        created_at__date__lte=wanted.last,
    )
    shown = Claim.objects.filter(kind=ClaimKind.ANSWER).order_by("index")
    citations = Prefetch("citations", Citation.objects.order_by("pk"))
    turns = (
        matching.exclude(channel=Channel.EVALUATION)
        .exclude(reason="IDENTIFIERS_IN_QUESTION")
        .select_related("feedback")
        .prefetch_related(Prefetch("claims", shown.prefetch_related(citations)))
        .order_by("-created_at", "-pk")
    )
    items: dict[str, Item] = {}
    chosen = list(turns[: min(wanted.limit, MAX_ITEMS)])
    labelled = labels_by_turn(turn.pk for turn in chosen)
    for turn in chosen:
        item = _item(turn, labelled.get(turn.pk, ()))
        items.setdefault(item.question.casefold(), item)
    if not items:
        raise NothingToCollect(
            "No question of these days matches. Nothing was stored.", hint="Choose other days."
        )
    facts = SetFacts(wanted.name, source=f"asked here, {wanted.first} to {wanted.last}")
    return question_set_store(QuestionsRead(FORM, tuple(items.values())), facts, by=by)


def _item(turn: Turn, labels: Sequence[Labels]) -> Item:
    """Return an item: of a labelled answer the supported claims are gold, else a helpful answer."""
    feedback = getattr(turn, "feedback", None)
    claims = list(turn.claims.all())
    if labels:
        supported = {each.claim.pk for each in labels if each.final == SupportLabel.SUPPORTED}
        claims = [claim for claim in claims if claim.pk in supported]
        counts = sorted(Counter(each.final or "undecided" for each in labels).items())
        category = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts)
    elif feedback is None:
        claims, category = [], turn.reason.lower().replace("_", " ") or "answered"
    else:
        claims = claims if feedback.helpful else []
        category = "helpful" if feedback.helpful else "not helpful"
    texts = tuple(claim.text for claim in claims)
    return Item(
        key=str(turn.pk),
        question=turn.standalone or turn.question,
        kind=ItemKind.ANSWERABLE if claims else ItemKind.UNLABELLED,
        gold_answer="\n".join(texts),
        gold_claims=texts if labels else (),
        relevant=tuple(dict.fromkeys(c.sha256 for claim in claims for c in claim.citations.all())),
        category=category,
    )
