"""The hospital's sign-in, as a site is set up for it, and what it leads to."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent
from tests.chat.sign_in.provider import Provider

START, BACK = "/sign-in/hospital/", "/sign-in/hospital/back/"


def sign_in(hospital: Provider, client: Client, there: str = "/conversations/") -> Any:
    sent = client.get(START, {"next": there})
    assert sent.status_code == 302, sent.content
    return client.get(BACK, hospital.authorise(sent["Location"]))


def is_in(client: Client) -> bool:
    return client.get("/conversations/").status_code == 200


def failures() -> list[dict[str, Any]]:
    found = AuditEvent.objects.filter(action="user.sign_in_failed").order_by("seq")
    return [json.loads(event.payload) for event in found]


def names_of(account: User) -> set[str]:
    return set(account.groups.values_list("name", flat=True))
