"""The groups that give people their rights, and accounts to try the system with."""

import secrets

from django.contrib.auth.models import Group, Permission, User
from django.db import transaction

CLINICIANS, STAFF, PUBLISHERS, AUDITORS = "Clinicians", "Corpus staff", "Publishers", "Auditors"
EVALUATORS, REVIEWERS = "Evaluators", "Reviewers"

_READ_CORPUS = tuple(
    f"corpus.view_{model}"
    for model in ("collection", "document", "page", "chunk", "job", "encoder")
)
_READ_EVALUATION = tuple(
    f"evaluation.view_{model}"
    for model in (
        "testset",
        "run",
        "itemscore",
        "questionset",
        "question",
        "questionrun",
        "questionresult",
    )
)
_REVIEW = tuple(f"chat.{right}_review" for right in ("view", "add", "change"))
_READ_ANSWERS = tuple(f"chat.view_{model}" for model in ("turn", "claim", "citation", "feedback"))
PERMISSIONS: dict[str, tuple[str, ...]] = {
    CLINICIANS: (),  # to ask takes an account and nothing more
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
    ),
    AUDITORS: (
        *_READ_CORPUS,
        *_READ_EVALUATION,
        *_READ_ANSWERS,
        *(f"chat.view_{model}" for model in ("auditevent", "conversation", "calibrationrecord")),
        *_REVIEW,
        "chat.export_review",
        *(f"chat.{right}_auditevent" for right in ("verify", "sign", "export")),
        "chat.replay_turn",
        "retrieval.view_lexiconentry",
    ),
    REVIEWERS: (*_READ_ANSWERS, *_REVIEW),  # clinicians who judge what others were answered
}

# name, what the person does, groups; all but the clinician work in the administration
_DEMO: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("staff", "corpus staff", (STAFF, PUBLISHERS)),
    ("publisher", "second publisher", (PUBLISHERS,)),
    ("clinician", "clinician", (CLINICIANS,)),
    ("auditor", "auditor", (AUDITORS,)),
    ("evaluator", "evaluator", (EVALUATORS,)),
)


def ensure_groups() -> None:
    """Make the groups with exactly their permissions; a second call changes nothing."""
    with transaction.atomic():
        for name, labels in PERMISSIONS.items():
            group, _ = Group.objects.get_or_create(name=name)
            group.permissions.set([_permission(label) for label in labels])


def demo_accounts(*, reset: bool = False) -> list[tuple[str, str, str]]:
    """Make the demonstration accounts and return (name, role, password) of each one made.

    An account that exists keeps its password and is left out, unless `reset`.
    """
    ensure_groups()
    made: list[tuple[str, str, str]] = []
    for name, role, groups in _DEMO:
        user, is_new = User.objects.get_or_create(
            username=name, defaults={"is_staff": groups != (CLINICIANS,)}
        )
        if is_new or reset:
            password = secrets.token_urlsafe(12)
            user.set_password(password)
            user.save(update_fields=["password"])
            user.groups.set(Group.objects.filter(name__in=groups))
            made.append((name, role, password))
    return made


def _permission(label: str) -> Permission:
    app, codename = label.split(".")
    return Permission.objects.get(content_type__app_label=app, codename=codename)
