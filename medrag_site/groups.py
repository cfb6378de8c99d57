"""Define the groups that give people their rights.

A site may change its groups. `migrate` therefore gives each right of PERMISSIONS only once, and
records it (`GivenRight`): a right that the site has since removed stays removed, one that it added
stays, and so does a group that it deleted or renamed.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from medrag_site.models import GivenRight

CLINICIANS, STAFF, PUBLISHERS, AUDITORS = "Clinicians", "Corpus staff", "Publishers", "Auditors"
EVALUATORS, REVIEWERS = "Evaluators", "Reviewers"
INTEGRATORS, ADMINISTRATORS = "Integrators", "Administrators"
SAFETY = "Safety officers"

_READ_CORPUS = tuple(
    f"corpus.view_{model}"
    for model in ("collection", "document", "page", "chunk", "job", "encoder", "source")
)
_READ_EVALUATION = tuple(
    f"evaluation.view_{model}"
    for model in (
        "questionset",
        "question",
        "questionrun",
        "questionresult",
        "dayfigures",
        "driftalert",
        "retractioncheck",
        "retractionalert",
    )
)
_REVIEW = tuple(f"chat.{right}_review" for right in ("view", "add", "change"))
_READ_ANSWERS = tuple(f"chat.view_{model}" for model in ("turn", "claim", "citation", "feedback"))
PERMISSIONS: dict[str, tuple[str, ...]] = {
    CLINICIANS: (),  # asking needs an account and no rights
    STAFF: (
        *_READ_CORPUS,
        *_READ_EVALUATION,
        "corpus.add_document",
        "corpus.change_document",
        "corpus.add_collection",
        "corpus.change_collection",
        *(f"retrieval.{right}_lexiconentry" for right in ("view", "add", "change", "delete")),
    ),
    PUBLISHERS: (*_READ_CORPUS, "corpus.change_document", "corpus.publish_document"),
    EVALUATORS: (
        *_READ_EVALUATION,
        "evaluation.add_questionset",
        "evaluation.add_questionrun",
        "evaluation.change_questionrun",  # to cancel and resume it
        *(f"chat.{right}_experiment" for right in ("view", "add", "change")),  # start, stop
    ),
    AUDITORS: (
        *_READ_CORPUS,
        *_READ_EVALUATION,
        *_READ_ANSWERS,
        *(f"chat.view_{model}" for model in ("auditevent", "conversation", "calibrationrecord")),
        "chat.view_experiment",
        *_REVIEW,
        "chat.export_review",
        *(f"chat.{right}_auditevent" for right in ("verify", "sign", "export")),
        "chat.replay_turn",
        "chat.export_turn",
        "retrieval.view_lexiconentry",
    ),
    REVIEWERS: (*_READ_ANSWERS, *_REVIEW),  # clinicians who judge answers that others got
    SAFETY: (  # who may stop answering at once
        *_READ_CORPUS,
        *_READ_ANSWERS,
        *(f"corpus.{right}_answeringstop" for right in ("view", "add", "change")),
    ),
    # Programs that upload documents through the API; people publish them.
    INTEGRATORS: (*_READ_CORPUS, "corpus.add_document", "corpus.change_document"),
    # They can give only the groups that they are in: see medrag_site.admin.
    ADMINISTRATORS: (
        *(f"auth.{right}_user" for right in ("view", "add", "change")),
        "auth.view_group",
        *(f"axes.{right}_accessattempt" for right in ("view", "delete")),  # to unlock
    ),
}


@dataclass(frozen=True)
class Standing:
    """How a group differs from this release: `lacks` and `besides` are labels of rights."""

    name: str
    people: int
    exists: bool
    lacks: tuple[str, ...]
    besides: tuple[str, ...]


@transaction.atomic
def groups_sync() -> tuple[str, ...]:
    """Create new groups, give new rights, and return the names of the groups left alone.

    A group is left alone if it existed before rights were recorded and lacks some: they may be new,
    or have been removed. `groups_give` gives them.
    """
    given = set(GivenRight.objects.values_list("group", "right"))
    left_alone = []
    for name, labels in PERMISSIONS.items():
        group = Group.objects.filter(name=name).first()
        is_known = (name, "") in given
        new = [label for label in labels if (name, label) not in given]
        if is_known and group is not None:
            _add(group, new)
        elif not is_known and group is None:
            _add(Group.objects.create(name=name), new)
        elif group is not None and set(labels) - _labels(group):
            left_alone.append(name)
        _record(name, new if is_known else ["", *new])
    return tuple(left_alone)


@transaction.atomic
def groups_give(names: Iterable[str]) -> None:
    """Give these groups all their rights of this release; rights that they have besides stay."""
    for name in names:
        group, _ = Group.objects.get_or_create(name=name)
        _add(group, PERMISSIONS[name])
        _record(name, ["", *PERMISSIONS[name]])


def groups_standing() -> list[Standing]:
    """Compare each group with this release, in the order of PERMISSIONS."""
    standings = []
    for name, labels in PERMISSIONS.items():
        group = Group.objects.filter(name=name).first()
        has = set() if group is None else _labels(group)
        people = 0 if group is None else group.user_set.count()
        lacks, besides = sorted(set(labels) - has), sorted(has - set(labels))
        standings.append(Standing(name, people, group is not None, tuple(lacks), tuple(besides)))
    return standings


def _add(group: Group, labels: Collection[str]) -> None:
    """Give a group rights. Raises KeyError for a right that no migration has created."""
    codenames = [label.split(".")[1] for label in labels]
    permissions = Permission.objects.filter(codename__in=codenames).select_related("content_type")
    by_label = {f"{each.content_type.app_label}.{each.codename}": each for each in permissions}
    group.permissions.add(*(by_label[label] for label in labels))


def _record(name: str, labels: Iterable[str]) -> None:
    rows = [GivenRight(group=name, right=label) for label in labels]
    GivenRight.objects.bulk_create(rows, ignore_conflicts=True)


def _labels(group: Group) -> set[str]:
    held = group.permissions.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in held}
