"""Launch the site as a record does, and follow it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from chat.records.launch.people import account_link
from samples.record.server import PERSON
from tests.chat.records.launch.record_server import RecordServer

START, BACK, LINK = "/launch", "/launch/back", "/launch/link"


def begun(server: RecordServer, client: Client, launch: str = "l-kidneys") -> str:
    """Begin a launch; return the address at the record."""
    sent = client.get(START, {"iss": server.base, "launch": launch})
    assert sent.status_code == 302, sent.content.decode()
    return str(sent["Location"])


def launched(server: RecordServer, client: Client, launch: str = "l-kidneys", **more: Any) -> Any:
    return client.get(BACK, server.authorise(begun(server, client, launch)), **more)


def linked(server: RecordServer, account: User) -> None:
    record = settings.RECORD.launch.record(server.base)
    assert record
    account_link(account, record=record, person=PERSON)
