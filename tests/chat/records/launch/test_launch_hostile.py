"""Launches that must be refused, each on a page that says why, with nothing of a patient kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.contrib.auth.models import User
from django.test import Client

from chat.models import AuditEvent
from chat.records.launch.allowed import launch_from
from chat.records.launch.refusals import SENTENCES
from samples.record.resources import observation
from samples.record.server import PERSON
from tests.chat.records.launch.launching import BACK, START, begun, launched, linked
from tests.chat.records.launch.record_server import RecordServer
from tests.tables import rows

Hostile = Callable[[RecordServer, Client], Any]


def with_start(**sent: str) -> Hostile:
    return lambda server, client: client.get(START, {"iss": server.base, "launch": "l-well"} | sent)


def with_config(**changed: Any) -> Hostile:
    def hostile(server: RecordServer, client: Client) -> Any:
        server.config = changed
        return client.get(START, {"iss": server.base, "launch": "l-well"})

    return hostile


def with_claims(**wrong: Any) -> Hostile:
    def hostile(server: RecordServer, client: Client) -> Any:
        server.wrong = wrong
        return launched(server, client)

    return hostile


def with_grant(**granted: Any) -> Hostile:
    def hostile(server: RecordServer, client: Client) -> Any:
        server.granted = granted
        return launched(server, client)

    return hostile


def with_back(**sent: str) -> Hostile:
    def hostile(server: RecordServer, client: Client) -> Any:
        way = {name: v for name, v in (server.authorise(begun(server, client)) | sent).items() if v}
        return client.get(BACK, way)

    return hostile


def unnamed_issuer(server: RecordServer, client: Client) -> Any:
    """Return as from a record that says it always names itself (RFC 9207), without a name."""
    server.config = {"authorization_response_iss_parameter_supported": True}
    return launched(server, client)


def replayed_state(server: RecordServer, client: Client) -> Any:
    way = server.authorise(begun(server, client))
    client.get(BACK, way)
    return client.get(BACK, way)


def replayed_code(server: RecordServer, client: Client) -> Any:
    way = server.authorise(begun(server, client))
    client.get(BACK, way)
    other = server.authorise(begun(server, client))
    return client.get(BACK, other | {"code": way["code"]})


def anothers_state(server: RecordServer, client: Client) -> Any:
    return client.get(BACK, server.authorise(begun(server, Client())))


def anothers_code(server: RecordServer, client: Client) -> Any:
    """Return with a code that was given to another browser's launch: its verifier differs."""
    stolen = server.authorise(begun(server, Client(), "l-well"))
    mine = server.authorise(begun(server, client))
    return client.get(BACK, mine | {"code": stolen["code"]})


def late_state(server: RecordServer, client: Client) -> Any:
    way = server.authorise(begun(server, client))
    session = client.session
    states = session["socialaccount_states"]
    session["socialaccount_states"] = {k: (s, at - 601, p) for k, (s, at, p) in states.items()}
    session.save()
    return client.get(BACK, way)


def expired_code(server: RecordServer, client: Client) -> Any:
    way = server.authorise(begun(server, client))
    server.codes.clear()
    return client.get(BACK, way)


def foreign_key(server: RecordServer, client: Client) -> Any:
    server.key = rsa.generate_private_key(65537, 2048)
    return launched(server, client)


def unknown_key(server: RecordServer, client: Client) -> Any:
    way = server.authorise(begun(server, client))
    token = server.id_token(server.codes[way["code"]]["nonce"])
    server.granted = {"id_token": token}
    server.kid = "rotated away"
    return client.get(BACK, way)


def used_token(server: RecordServer, client: Client) -> Any:
    server.wrong = {"jti": "one"}
    launched(server, client)
    return launched(server, client)


def another_patient(server: RecordServer, client: Client) -> Any:
    server.patients["p-kidneys"].append(observation("p-well", "33914-3", 95, "mL/min"))
    return launched(server, client)


def another_patient_itself(server: RecordServer, client: Client) -> Any:
    server.patients["p-kidneys"][0]["id"] = "p-well"
    return launched(server, client)


def of_nobody(server: RecordServer, client: Client) -> Any:
    del server.patients["p-kidneys"][1]["subject"]
    return launched(server, client)


def away(server: RecordServer, client: Client) -> Any:
    server.status = {"Patient/": 500}
    return launched(server, client)


def moved(path: str) -> Hostile:
    """Return a launch with an address that sends on to one that would answer."""

    def hostile(server: RecordServer, client: Client) -> Any:
        server.moved = {path: f"{path}?moved"}
        response = client.get(START, {"iss": server.base, "launch": "l-kidneys"})
        if response.status_code == 302:
            response = client.get(BACK, server.authorise(response["Location"]))
        assert path in server.heard
        assert f"{path}?moved" not in server.heard
        return response

    return hostile


def deactivated(server: RecordServer, client: Client) -> Any:
    User.objects.update(is_active=False)
    return launched(server, client)


NOW = int(time.time())
HOSTILE: dict[str, tuple[Hostile, str]] = {
    "no issuer": (with_start(iss=""), "issuer"),
    "an issuer that is not allowed": (with_start(iss="https://evil.example.org/fhir"), "issuer"),
    "an issuer below one that is": (with_start(iss="http://127.0.0.1/fhir/../x"), "issuer"),
    "no launch": (with_start(launch=""), "launch"),
    "a long launch": (with_start(launch="x" * 2001), "launch"),
    "no PKCE": (with_config(code_challenge_methods_supported=["plain"]), "configuration"),
    "plain http": (with_config(token_endpoint="http://record.example.org/t"), "configuration"),
    "no keys": (with_config(jwks_uri=None), "configuration"),
    "no issuer of tokens": (with_config(issuer=None), "configuration"),
    "a redirect of discovery": (moved("/fhir/.well-known/smart-configuration"), "away"),
    "a redirect of the code": (moved("/token"), "away"),
    "a redirect of the keys": (moved("/keys"), "away"),
    "a redirect of the patient": (moved("/fhir/Patient/p-kidneys"), "away"),
    "no state": (with_back(state=""), "state"),
    "an unknown state": (with_back(state="made-up"), "state"),
    "a replayed state": (replayed_state, "state"),
    "another browser's state": (anothers_state, "state"),
    "a late state": (late_state, "state"),
    "another issuer in the way back": (with_back(iss="https://evil.example.org"), "state"),
    "no issuer in the way back": (unnamed_issuer, "state"),
    "no code": (with_back(code="", error="access_denied"), "denied"),
    "a replayed code": (replayed_code, "code"),
    "another browser's code": (anothers_code, "code"),
    "an expired code": (expired_code, "code"),
    "a wrong issuer": (with_claims(iss="https://evil.example.org"), "token"),
    "a wrong audience": (with_claims(aud="another-client"), "token"),
    "a wrong nonce": (with_claims(nonce="another"), "token"),
    "no nonce": (with_claims(nonce=None), "token"),
    "no subject": (with_claims(sub=None), "token"),
    "another party": (with_claims(azp="another-client"), "token"),
    "an expired token": (with_claims(iat=NOW - 900, exp=NOW - 600), "clock"),
    "a token of tomorrow": (with_claims(iat=NOW + 86_400, exp=NOW + 86_500), "clock"),
    "a foreign key": (foreign_key, "token"),
    "a key that was rotated away": (unknown_key, "token"),
    "a used token": (used_token, "token"),
    "no token on who it is": (with_grant(id_token=None), "token"),
    "a patient as user": (with_claims(fhirUser="https://r.example.org/Patient/1"), "person"),
    "no patient": (with_grant(patient=None), "patient"),
    "a patient that is a path": (with_grant(patient="../Practitioner/1"), "patient"),
    "facts of another patient": (another_patient, "other patient"),
    "another patient": (another_patient_itself, "other patient"),
    "facts of nobody": (of_nobody, "other patient"),
    "no answer on the patient": (away, "away"),
    "a leaver": (deactivated, "deactivated"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_launch_is_refused_with_the_reason(
    server: RecordServer, alice: User, name: str
) -> None:
    hostile, reason = HOSTILE[name]
    linked(server, alice)
    client = Client()
    response = hostile(server, client)
    assert response.status_code in (400, 403, 503), name
    page = response.content.decode()
    said = str(SENTENCES[reason]).replace("'", "&#x27;")
    assert said in page
    assert "evil.example.org" not in page
    assert "launched_patient" not in client.session
    assert "launched_person" not in client.session


def test_what_a_record_led_to_is_in_the_log(server: RecordServer, client: Client) -> None:
    with_claims(aud="another-client")(server, client)
    with_start(iss="https://evil.example.org")(server, client)  # as anybody can
    refused = AuditEvent.objects.filter(action="launch.refused")
    assert [event.payload for event in refused] == ['{"reason":"token","record":"Ward record"}']


def test_a_record_vouches_for_nobody_of_single_sign_on(
    server: RecordServer, client: Client, alice: User
) -> None:
    SocialAccount.objects.create(user=alice, provider=server.base, uid=PERSON)
    assert launched(server, client)["Location"] == "/sign-in/?next=/launch/link"


@pytest.mark.parametrize(("written", "said"), rows(__file__, "wrong_settings.jsonl"))
def test_settings_are_read_strictly(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        launch_from(written)
