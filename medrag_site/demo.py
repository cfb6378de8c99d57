"""The demonstration: accounts, sample guidelines and four questions."""

from __future__ import annotations

import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User

from chat.ask import turn_ask
from chat.models import Channel, Turn
from chat.records.launch.allowed import LaunchingRecord
from chat.records.launch.people import account_link, linked_account
from chat.types import AskedQuestion
from corpus.models import Document
from medrag_site.groups import (
    AUDITORS,
    CLINICIANS,
    EVALUATORS,
    PERMISSIONS,
    PUBLISHERS,
    SAFETY,
    STAFF,
    groups_give,
)
from samples.record.server import CLIENT, PERSON, issuer_at

MANIFEST = settings.BASE_DIR / "samples" / "manifest.json"

# Answered from a table; answered from text; refused; refused because of a withdrawal.
QUESTIONS = (
    "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?",
    "What is the maximum dose of alteplase in stroke?",
    "What is the loading dose of phenytoin in status epilepticus?",
    "Can codeine linctus be given after tonsillectomy?",
)

CLINICIAN = "clinician"
# Name, role, groups; all but the clinician may enter the administration.
_DEMO: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("staff", "corpus staff", (STAFF, PUBLISHERS)),
    ("publisher", "second publisher", (PUBLISHERS,)),
    (CLINICIAN, "clinician", (CLINICIANS,)),
    ("auditor", "auditor", (AUDITORS,)),
    ("evaluator", "evaluator", (EVALUATORS,)),
    ("safety", "safety officer", (SAFETY,)),
)


RECORD_NAME = "Ward record (demonstration)"


def record_settings(port: int) -> dict[str, str]:
    """Let the demonstration's record open the site; return the settings that its processes need.

    The person who is signed in there is known here as the demonstration's clinician.
    """
    known = LaunchingRecord(issuer_at(port), RECORD_NAME, CLIENT)
    clinician = User.objects.get(username=CLINICIAN)
    if linked_account(known.issuer, PERSON) != clinician:
        account_link(clinician, record=known, person=PERSON)
    path = settings.DATA_DIR / "record.toml"
    path.write_text(
        f'[[record]]\nissuer = "{known.issuer}"\nname = "{known.name}"\n'
        f'client_id = "{known.client_id}"\n'
    )
    return {
        "MEDRAG_RECORD": f"infobutton=true launch={path}",
        "MEDRAG_FRAME_ANCESTORS": f"http://127.0.0.1:{port}",
    }


def samples_are_here(manifest: Path = MANIFEST) -> bool:
    """Tell whether every sample guideline is stored and indexed. Runs one query."""
    names = {path.name for path in (manifest.parent / "guidelines").iterdir()}
    indexed = Document.objects.filter(filename__in=names, indexed_at__isnull=False)
    return indexed.count() >= len(names)


def ask_all() -> list[Turn]:
    """Ask each demonstration question as the system; turns are stored and audited as usual."""
    return [
        turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND))
        for question in QUESTIONS
    ]


def demo_accounts(*, reset: bool = False) -> list[tuple[str, str, str]]:
    """Create the demonstration accounts; return name, role and password of each one created.

    An account that exists keeps its password and is left out, unless `reset`.
    """
    groups_give(PERMISSIONS)
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
