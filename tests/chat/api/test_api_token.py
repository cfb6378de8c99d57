"""Test tokens: shown once, stored as a hash, and revoked at once."""

import datetime
import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from chat.models import AuditEvent


def make_token(*arguments: str) -> str:
    out = io.StringIO()
    call_command("api_token", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def test_prints_the_token_alone_and_keeps_its_hash(alice: User) -> None:
    token = make_token("alice")
    assert token.startswith("mrag_")
    stored = AuthToken.objects.get()
    assert token not in (stored.digest, stored.token_key)
    remaining = stored.expiry - timezone.now()
    assert datetime.timedelta(days=89) < remaining <= datetime.timedelta(days=90)
    event = AuditEvent.objects.get()
    assert event.action == "token.created"
    assert token not in event.payload


@pytest.mark.parametrize("scheme", ["Token", "Bearer", "bearer", "TOKEN"])
def test_the_token_works_until_it_is_revoked(alice: User, scheme: str) -> None:
    client = Client(headers={"authorization": f"{scheme} {make_token('alice')}"})
    assert client.post("/api/v1/query", "{}", content_type="application/json").status_code == 400
    make_token("alice", "--revoke")
    assert client.post("/api/v1/query", "{}", content_type="application/json").status_code == 401
    assert AuditEvent.objects.filter(action="token.revoked").count() == 1


def test_needs_an_active_account(alice: User) -> None:
    with pytest.raises(CommandError, match="no account"):
        make_token("nobody")
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="not active"):
        make_token("alice")
    assert not AuthToken.objects.exists()
