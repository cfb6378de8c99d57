"""Keep one launched patient in the session: the newest, of one account, for a limited time.

The session is a row of the database; its cookie holds a key alone. Neither the access token nor the
patient's id is kept.
"""

from __future__ import annotations

import datetime
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy

from chat.records.launch.allowed import LaunchingRecord
from chat.records.views import FACTS
from chat.web.patients import LaunchedPatient, PatientFact

PATIENT, PERSON = "launched_patient", "launched_person"  # keys in the session
PERSON_S = 600  # to sign in and link
_SOURCES = {
    "Patient": gettext_lazy("patient's details"),
    "Observation": gettext_lazy("result"),
    "AllergyIntolerance": gettext_lazy("allergies"),
    "Condition": gettext_lazy("conditions"),
    "MedicationRequest": gettext_lazy("prescription"),
}


def patient_end(request: HttpRequest) -> None:
    """Forget the patient of an earlier launch, and who launched."""
    request.session.pop(PATIENT, None)
    request.session.pop(PERSON, None)


def patient_keep(
    request: HttpRequest, issuer: str, facts: Sequence[PatientFact], unknown: Sequence[str]
) -> None:
    """Keep the facts of a new launch, for nobody yet."""
    request.session[PATIENT] = {
        "id": str(uuid.uuid4()),
        "issuer": issuer,
        "at": time.time(),
        "account": None,
        "facts": [asdict(fact) | {"day": fact.day and str(fact.day)} for fact in facts],
        "unknown": list(unknown),
    }


def patient_open(request: HttpRequest, account: User) -> str:
    """Give the kept patient to an account; return the address of the page, empty if none waits."""
    kept = request.session.get(PATIENT)
    if not kept or kept["account"] is not None or _is_over(kept):
        return ""
    request.session[PATIENT] = kept | {"account": account.pk}
    return reverse("launched", args=[kept["id"]])


def patient_of(request: HttpRequest, launch: uuid.UUID) -> LaunchedPatient | None:
    """Return the patient of this launch; None if it ended, or is another account's."""
    kept: dict[str, Any] | None = request.session.get(PATIENT)
    if not kept or kept["id"] != str(launch) or kept["account"] != request.user.pk:
        return None
    record = settings.RECORD.launch.record(kept["issuer"])
    if record is None or _is_over(kept):
        patient_end(request)
        return None
    opened = datetime.datetime.fromtimestamp(kept["at"], datetime.UTC)
    facts = tuple(_fact(**each) for each in kept["facts"])
    unknown = tuple(str(FACTS[each]) for each in kept["unknown"])
    return LaunchedPatient(
        reverse("launched_ask", args=[launch]), record.name, opened, facts, unknown
    )


def _is_over(kept: dict[str, Any]) -> bool:
    return bool(time.time() - kept["at"] > 60 * settings.RECORD.launch.facts_minutes)


def _fact(day: str | None, source: str, **rest: Any) -> PatientFact:
    known = datetime.date.fromisoformat(day) if day else None
    return PatientFact(day=known, source=str(_SOURCES[source]), **rest)


def person_keep(request: HttpRequest, issuer: str, person: str) -> None:
    """Keep who launched until somebody signs in, in a session that is nobody's."""
    request.session[PERSON] = {"issuer": issuer, "person": person, "at": time.time()}


def person_kept(request: HttpRequest) -> tuple[LaunchingRecord, str] | None:
    """Return record and person who launched, if that was within `PERSON_S`."""
    kept = request.session.get(PERSON)
    if not kept or time.time() - kept["at"] > PERSON_S:
        return None
    record = settings.RECORD.launch.record(kept["issuer"])
    return (record, kept["person"]) if record else None
