"""Statements labelled one by one: by two who don't see each other's, then by a third.

The only writer and reader of labels. The log has that somebody labelled, and not what: whoever
reads it may be the second one.
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
    """One statement: what each of the two said, and the third where they disagreed.

    Empty for what is not said yet.
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
        """What both said, else the third; empty while it is open."""
        if self.is_double and not self.is_disputed:
            return self.by_place[1]
        return self.by_place.get(THIRD, "")

    @property
    def said(self) -> list[str]:
        """By place, in words; empty where there is none."""
        found = (self.by_place.get(place) for place in (*SIDES, THIRD))
        return [str(SupportLabel(label).label) if label else "" for label in found]


@dataclass(frozen=True)
class Labelling:
    """How far a review's statements are: the `turn` of the user who looks, and what they see.

    `place` is 1, 2 or 3 where it is theirs to label the `due` ones now, else 0. `shown` is empty
    until both of the two have labelled.
    """

    done: int  # of the two
    place: int
    due: tuple[Claim, ...]
    shown: tuple[Labels, ...]


def labelling_of(review: Review, user: User) -> Labelling:
    """Return two queries. Whoever asked the question gets no say; rights are the caller's to
    check.
    """
    found, people = _read(review)
    done = len(people.keys() & set(SIDES))
    is_free = user.pk not in people.values() and review.turn.user_id != user.pk
    disputed = tuple(each.claim for each in found if each.is_disputed and not each.final)
    place = 0
    due: tuple[Claim, ...] = ()
    if is_free and review.turn.text_removed_at is None:
        if done < 2:
            place, due = (done + 1, tuple(each.claim for each in found))
        elif disputed:
            place, due = (THIRD, disputed)
    return Labelling(done, place if due else 0, due, tuple(found) if done == 2 else ())


def claims_label(review: Review, labels: Mapping[int, str], *, by: User) -> None:
    """Keep a label for each statement that is due, by its number (`Claim.pk`), for good.

    Raises `OwnTurn`, and `ReviewError` where it is not theirs to label now or a label is missing.
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
            raise ReviewError("A statement has no label.", hint="Label each; nothing was changed.")
        ClaimLabel.objects.bulk_create(
            ClaimLabel(review=review, claim_id=pk, place=state.place, label=label, by=by)
            for pk, label in labels.items()
        )
        payload = {"review": review.pk, "place": state.place, "statements": len(labels)}
        audit.record("review.labelled", actor=by, subject=f"turn:{review.turn_id}", payload=payload)


def _read(review: Review) -> tuple[list[Labels], dict[int, int]]:
    """Return the statements in order, and who labelled by place. A refusal has none."""
    if review.turn.status != TurnStatus.ANSWERED:
        return [], {}
    claims = list(
        Claim.objects.filter(turn=review.turn_id, kind=ClaimKind.ANSWER).order_by("index")
    )
    rows = list(ClaimLabel.objects.filter(review=review))
    said: dict[int, dict[int, str]] = {}
    for row in rows:
        said.setdefault(row.claim_id, {})[row.place] = row.label
    found = [Labels(claim, said.get(claim.pk, {})) for claim in claims]
    return found, {row.place: row.by_id for row in rows}


def labels_by_turn(turns: Iterable[Any] | None = None) -> dict[Any, list[Labels]]:
    """Return statements of each turn that two have labelled, in order; of the latest such review.

    Of all turns, or of those whose numbers are given. One query.
    """
    rows = ClaimLabel.objects.select_related("claim").order_by("review", "claim__index", "place")
    if turns is not None:
        rows = rows.filter(claim__turn__in=list(turns))
    said: dict[tuple[Any, int], dict[int, tuple[Claim, dict[int, str]]]] = {}
    for row in rows:
        of_review = said.setdefault((row.claim.turn_id, row.review_id), {})
        of_review.setdefault(row.claim_id, (row.claim, {}))[1][row.place] = row.label
    found: dict[Any, list[Labels]] = {}
    for (turn, _), claims in said.items():
        labels = [Labels(claim, by_place) for claim, by_place in claims.values()]
        if all(each.is_double for each in labels):
            found[turn] = labels
    return found
