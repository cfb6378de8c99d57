"""Collect a question set from questions that clinicians asked here."""

from __future__ import annotations

import datetime
from collections import Counter
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
        labels = labelled.get(turn.pk)
        item = _labelled_item(turn, labels) if labels else _item(turn)
        items.setdefault(_question(turn).casefold(), item)
    if not items:
        raise NothingToCollect(
            "No question of these days matches. Nothing was stored.", hint="Choose other days."
        )
    facts = SetFacts(wanted.name, source=f"asked here, {wanted.first} to {wanted.last}")
    return question_set_store(QuestionsRead(FORM, tuple(items.values())), facts, by=by)


def _question(turn: Turn) -> str:
    return turn.standalone or turn.question


def _item(turn: Turn) -> Item:
    feedback = getattr(turn, "feedback", None)
    claims = list(turn.claims.all())
    is_gold = bool(feedback and feedback.helpful and claims)
    cited = (citation.sha256 for claim in claims for citation in claim.citations.all())
    return Item(
        key=str(turn.pk),
        question=_question(turn),
        kind=ItemKind.ANSWERABLE if is_gold else ItemKind.UNLABELLED,
        gold_answer="\n".join(claim.text for claim in claims) if is_gold else "",
        relevant=tuple(dict.fromkeys(cited)) if is_gold else (),
        category=_category(turn),
    )


def _labelled_item(turn: Turn, labels: list[Labels]) -> Item:
    """Return an item with the supported claims as gold, and the count of each label as category."""
    supported = {each.claim.pk for each in labels if each.final == SupportLabel.SUPPORTED}
    claims = [claim for claim in turn.claims.all() if claim.pk in supported]
    counts = Counter(each.final or "undecided" for each in labels)
    return Item(
        key=str(turn.pk),
        question=_question(turn),
        kind=ItemKind.ANSWERABLE if claims else ItemKind.UNLABELLED,
        gold_answer="\n".join(claim.text for claim in claims),
        gold_claims=tuple(claim.text for claim in claims),
        relevant=tuple(dict.fromkeys(c.sha256 for claim in claims for c in claim.citations.all())),
        category=", ".join(
            f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items())
        ),
    )


def _category(turn: Turn) -> str:
    feedback = getattr(turn, "feedback", None)
    if feedback is not None:
        return "helpful" if feedback.helpful else "not helpful"
    return turn.reason.lower().replace("_", " ") or "answered"
