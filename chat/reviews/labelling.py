"""Store and read labels of single statements, by two people independently, then by a third.

Labels are written and read here alone. The log has who labelled, but not the labels, since its
reader may be the second person.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from chat.audit import log as audit
from chat.models import Claim, ClaimKind, ClaimLabel, Review, SupportLabel, TurnStatus
from chat.reviews.services import OwnTurn, ReviewError

SIDES, THIRD = (1, 2), 3
_TOO_LATE = "Somebody else was faster, or you labelled these already."


@dataclass(frozen=True)
class Labels:
    """The labels of one statement by place: of the two, and of the third if they disagree.

    A missing place is not labelled yet.
    """

    claim: Claim
    by_place: Mapping[int, str]

    @property
    def is_double(self) -> bool:
        return all(place in self.by_place for place in SIDES)

    @property
    def is_disputed(self) -> bool:
        return self.is_double and self.by_place[1] != self.by_place[2]

    @property
    def final(self) -> str:
        """The label on which both agree, else the third's; empty while undecided."""
        if self.is_double and not self.is_disputed:
            return self.by_place[1]
        return self.by_place.get(THIRD, "")

    @property
    def said(self) -> list[str]:
        """The labels in words, by place; empty where one is missing."""
        labels = (self.by_place.get(place) for place in (*SIDES, THIRD))
        return [str(SupportLabel(label).label) if label else "" for label in labels]


@dataclass(frozen=True)
class Labelling:
    """Progress of a review's labels, for one user.

    `place` is 1, 2 or 3 if the user is to label the `due` statements now, else 0. `shown` is empty
    until both of the first two have labelled.
    """

    done: int  # how many of the first two have labelled
    place: int
    due: tuple[Claim, ...]
    shown: tuple[Labels, ...]


def labelling_of(review: Review, user: User) -> Labelling:
    """Return the progress of a review's labels for a user. Two queries.

    The asker of the question has no place. The caller must check rights.
    """
    statements, people = _read(review)
    done = len(people.keys() & set(SIDES))
    is_free = user.pk not in people.values() and review.turn.user_id != user.pk
    disputed = tuple(each.claim for each in statements if each.is_disputed and not each.final)
    place = 0
    due: tuple[Claim, ...] = ()
    if is_free and review.turn.text_removed_at is None:
        if done < 2:
            place, due = (done + 1, tuple(each.claim for each in statements))
        elif disputed:
            place, due = (THIRD, disputed)
    return Labelling(done, place if due else 0, due, tuple(statements) if done == 2 else ())


def claims_label(review: Review, labels: Mapping[int, str], *, by: User) -> None:
    """Store a label for each statement that is due, by `Claim.pk`. Labels are never changed.

    Raises `OwnTurn`, and `ReviewError` if the user has no place now or a label is missing.
    """
    if review.turn.user_id == by.pk:
        raise OwnTurn
    with transaction.atomic():
        Review.objects.select_for_update(of=("self",)).get(pk=review.pk)
        state = labelling_of(review, by)
        if not state.place:
            raise ReviewError(_TOO_LATE, hint="Nothing was changed.")
        if labels.keys() != {claim.pk for claim in state.due} or not all(
            label in SupportLabel.values for label in labels.values()
        ):
            raise ReviewError(
                "A statement has no label.", hint="Nothing was changed. Label every statement."
            )
        ClaimLabel.objects.bulk_create(
            ClaimLabel(review=review, claim_id=pk, place=state.place, label=label, by=by)
            for pk, label in labels.items()
        )
        payload = {"review": review.pk, "place": state.place, "statements": len(labels)}
        audit.record("review.labelled", actor=by, subject=f"turn:{review.turn_id}", payload=payload)


def _read(review: Review) -> tuple[list[Labels], dict[int, int]]:
    """Return a review's statements in order, and its labelling users by place.

    A refusal has no statements.
    """
    if review.turn.status != TurnStatus.ANSWERED:
        return [], {}
    claims = list(
        Claim.objects.filter(turn=review.turn_id, kind=ClaimKind.ANSWER).order_by("index")
    )
    rows = list(ClaimLabel.objects.filter(review=review))
    label_at: dict[int, dict[int, str]] = {}
    for row in rows:
        label_at.setdefault(row.claim_id, {})[row.place] = row.label
    labels = [Labels(claim, label_at.get(claim.pk, {})) for claim in claims]
    return labels, {row.place: row.by_id for row in rows}


def labels_by_turn(turns: Iterable[Any] | None = None) -> dict[Any, list[Labels]]:
    """Return the labels of each turn that two people have labelled, in order of the statements.

    From a turn's latest such review. Of all turns, or of those whose keys are given. One query.
    """
    rows = ClaimLabel.objects.select_related("claim").order_by("review", "claim__index", "place")
    if turns is not None:
        rows = rows.filter(claim__turn__in=list(turns))
    by_review: dict[tuple[Any, int], dict[int, tuple[Claim, dict[int, str]]]] = {}
    for row in rows:
        of_review = by_review.setdefault((row.claim.turn_id, row.review_id), {})
        of_review.setdefault(row.claim_id, (row.claim, {}))[1][row.place] = row.label
    doubled: dict[Any, list[Labels]] = {}
    for (turn, _), claims in by_review.items():
        labels = [Labels(claim, by_place) for claim, by_place in claims.values()]
        if all(each.is_double for each in labels):
            doubled[turn] = labels
    return doubled
