"""CDS Hooks: calls that must be refused, each with a sentence and before any search."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.utils import timezone
from pydantic import ValidationError
from pytest_django import Settings

from chat.models import AuditEvent, SpentToken
from chat.records.trust import hooks_from
from medrag_site.configuration.site import Record
from medrag_site.processes.tasks import prune
from tests.chat.records.hook_calls import (
    AUDIENCE,
    EC,
    ISSUER,
    RSA,
    bundle,
    call,
    claims,
    observed,
    order,
    patient,
    send,
    signed,
)

SIGN = "order-sign"
OF_ANOTHER = {"subject": {"reference": "Patient/p-2"}}
pytestmark = pytest.mark.django_db


def by_hmac() -> str:
    """Return a token with the public key as the secret, which `jwt.encode` refuses to make."""
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    head = {"alg": "HS256", "typ": "JWT", "kid": "rsa"}
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=")
        for part in (head, claims(SIGN))
    ]
    signer = jwt.get_algorithm_by_name("HS256")
    seal = base64.urlsafe_b64encode(signer.sign(b".".join(parts), public)).rstrip(b"=")
    return b".".join((*parts, seal)).decode()


def sealed(said: Any) -> str:
    """Sign what `jwt.encode` refuses to."""
    return jwt.api_jws.encode(json.dumps(said).encode(), EC, "ES384", headers={"kid": "ec"})


def altered() -> str:
    head, _, seal = signed(claims(SIGN)).split(".")
    other = base64.urlsafe_b64encode(json.dumps(claims(SIGN)).encode()).rstrip(b"=").decode()
    return f"{head}.{other}.{seal}"


TOKENS: dict[str, tuple[Callable[[], str], str]] = {
    "no JWT": (lambda: "mrag_0123456789", "no signed JWT"),
    "three parts of nothing": (lambda: "a.b.c", "no signed JWT"),
    "too long": (lambda: "a" * 9000, "too long"),
    "other issuer": (lambda: signed(claims(SIGN, iss="https://evil.example.org/")), "(`iss`)"),
    "issuer is a list": (lambda: sealed(claims(SIGN, iss=[ISSUER])), "(`iss`)"),
    "no object": (lambda: sealed([1]), "no signed JWT"),
    "other audience": (lambda: signed(claims(SIGN, aud="https://x.example.org")), "(`aud`)"),
    "audience of another service": (lambda: signed(claims("patient-view")), "(`aud`)"),
    "audience of the list": (lambda: signed(claims(SIGN, aud=AUDIENCE)), "(`aud`)"),
    "expired": (lambda: signed(claims(SIGN, exp=int(time.time()) - 61)), "expired"),
    "issued later": (lambda: signed(claims(SIGN, iat=int(time.time()) + 120)), "not valid yet"),
    "valid for a day": (lambda: signed(claims(SIGN, exp=int(time.time()) + 86_400)), "an hour"),
    "without exp": (lambda: signed(claims(SIGN, exp=None)), "`exp`"),
    "without iat": (lambda: signed(claims(SIGN, iat=None)), "`iat`"),
    "without jti": (lambda: signed(claims(SIGN, jti=None)), "`jti`"),
    "empty jti": (lambda: signed(claims(SIGN, jti="")), "`jti`"),
    "alg none": (
        lambda: jwt.encode(claims(SIGN), "", "none", headers={"kid": "ec"}),
        "`alg`",
    ),
    "HS256 with the public key": (by_hmac, "`alg`"),
    "algorithm of another kind of key": (
        lambda: signed(claims(SIGN), EC, "ES384", kid="rsa"),
        "`alg`",
    ),
    "algorithm that its key does not name": (
        lambda: signed(claims(SIGN), ec.generate_private_key(ec.SECP256R1()), "ES256"),
        "`alg`",
    ),
    "another key": (
        lambda: signed(claims(SIGN), ec.generate_private_key(ec.SECP384R1())),
        "signature",
    ),
    "altered": (altered, "signature"),
    "unknown kid": (lambda: signed(claims(SIGN), kid="other"), "`kid`"),
    "no kid": (lambda: jwt.encode(claims(SIGN), EC, "ES384"), "`kid`"),
    "own jku": (
        lambda: signed(claims(SIGN), kid="mine", jku="https://evil.example.org/keys"),
        "`kid`",
    ),
}


@pytest.mark.parametrize(("make", "reason"), TOKENS.values(), ids=TOKENS.keys())
def test_a_token_that_is_not_right_is_refused(
    record: Client, make: Callable[[], str], reason: str
) -> None:
    response = send(record, SIGN, call(SIGN, "Enoxaparin"), token=make())
    assert response.status_code == 401
    assert reason in response.json()["detail"]
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert not AuditEvent.objects.exists()
    assert not SpentToken.objects.exists()


@pytest.mark.parametrize("algorithm", ["ES384", "RS256", "RS384", "PS512"])
def test_the_standards_algorithms_are_taken(record: Client, algorithm: str) -> None:
    key, kid = (EC, "ec") if algorithm == "ES384" else (RSA, "rsa")
    token = signed(claims(SIGN, aud=[f"{AUDIENCE}/{SIGN}"]), key, algorithm, kid=kid)
    assert send(record, SIGN, call(SIGN), token=token).status_code == 200
    again = send(record, SIGN, call(SIGN), token=token)
    assert again.status_code == 401
    assert "used before" in again.json()["detail"]


def test_a_minute_of_leeway_is_given(record: Client) -> None:
    late = signed(claims(SIGN, exp=int(time.time()) - 30))
    early = signed(claims(SIGN, iat=int(time.time()) + 30))
    assert [send(record, SIGN, call(SIGN), token=t).status_code for t in (late, early)] == [200] * 2


def test_keys_are_fetched_from_the_issuers_address(record: Client, settings: Settings) -> None:
    """Over HTTP on loopback; the settings' file takes https alone."""
    served = Path(settings.RECORD.hooks.callers[0][1]).parent
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/keys.json"
        hooks = replace(settings.RECORD.hooks, callers=((ISSUER, address),))
        settings.RECORD = settings.RECORD.model_copy(update={"hooks": hooks})
        assert send(record, SIGN, call(SIGN)).status_code == 200
        unknown = send(record, SIGN, call(SIGN), token=signed(claims(SIGN), kid="other"))
        assert unknown.status_code == 401
        server.shutdown()
    gone = replace(hooks, callers=((ISSUER, address.replace("keys.json", "gone.json")),))
    settings.RECORD = settings.RECORD.model_copy(update={"hooks": gone})
    away = send(record, SIGN, call(SIGN))
    assert away.status_code == 503
    assert "keys" in away.json()["detail"]


def test_spent_tokens_are_forgotten_once_they_have_ended(record: Client) -> None:
    send(record, SIGN, call(SIGN))
    prune()
    assert SpentToken.objects.count() == 1
    SpentToken.objects.update(ends=timezone.now() - timedelta(seconds=1))
    prune()
    assert not SpentToken.objects.exists()


def test_nobody_calls_without_a_token(record: Client) -> None:
    for response in (
        record.get("/cds-services"),
        record.post("/cds-services/order-sign", "{}", content_type="application/json"),
        record.post("/cds-services/order-sign", headers={"authorization": "Basic YTpi"}),
    ):
        assert response.status_code == 401


BODIES: dict[str, tuple[Any, int, str]] = {
    "not JSON": ("hook=order-sign", 400, "not valid JSON"),
    "not UTF-8": (b'{"hook": "\xff"}', 400, "not valid JSON"),
    "a list": ([], 400, "Expected a dictionary"),
    "oversize": (json.dumps({"x": "a" * 1024**2}), 413, "too large"),
    "nested too deep": ("[" * 100_000, 400, "not valid JSON"),
    "wrong hook": (call("patient-view"), 400, "`hook`"),
    "no instance": (call(SIGN) | {"hookInstance": "1"}, 400, "#/hookInstance"),
    "context is text": (call(SIGN) | {"context": "x"}, 400, "#/context"),
    "prefetch is a list": (call(SIGN) | {"prefetch": []}, 400, "#/prefetch"),
    "no prefetch": (call(SIGN) | {"prefetch": {}}, 412, "`patient`"),
    "another patient": (call(SIGN, patient=patient(id="p-2")), 400, "another patient"),
    "a result of another patient": (
        call(SIGN, egfr=bundle(observed("33914-3", 20, "mL/min", **OF_ANOTHER))),
        400,
        "another patient",
    ),
    "an order of another patient": (
        call(SIGN) | {"context": {"draftOrders": bundle(order("1", "Warfarin", **OF_ANOTHER))}},
        400,
        "another patient",
    ),
    "no drafts": (call(SIGN) | {"context": {"patientId": "p-4711"}}, 400, "`context.draftOrders`"),
    "too many orders": (call(SIGN, *(f"Medicine {n}" for n in range(31))), 400, "More than 30"),
}


@pytest.mark.parametrize(("body", "status", "reason"), BODIES.values(), ids=BODIES.keys())
def test_a_body_that_is_no_call_is_refused(
    record: Client, body: Any, status: int, reason: str
) -> None:
    response = send(record, SIGN, body)
    assert response.status_code == status
    assert reason in response.content.decode()
    assert not AuditEvent.objects.exists()


def test_selections_have_to_be_references(record: Client) -> None:
    body = call("order-select", "Enoxaparin")
    for wrong in (None, "MedicationRequest/1", [{"id": 1}]):
        body["context"]["selections"] = wrong
        assert send(record, "order-select", body).status_code == 400


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"card": "x", "outcome": "accepted"},
        {"card": "4f0c0a9e-26b5-4a0c-9bb0-3b1f3c3e7f10", "outcome": "ignored"},
        {"card": "4f0c0a9e-26b5-4a0c-9bb0-3b1f3c3e7f10", "outcome": "accepted"},
    ],
)
def test_feedback_of_another_form_is_refused_whole(record: Client, said: Any) -> None:
    good = {
        "card": "4f0c0a9e-26b5-4a0c-9bb0-3b1f3c3e7f10",
        "outcome": "accepted",
        "outcomeTimestamp": "2026-11-29T09:00:00Z",
    }
    response = send(record, SIGN, {"feedback": [good, said]}, end="/feedback")
    assert response.status_code == 400
    assert not AuditEvent.objects.exists()


def test_an_unknown_service_is_named_as_such(record: Client) -> None:
    response = send(record, "order-dispatch", {})
    assert response.status_code == 404
    assert "order-select" in response.json()["detail"]


FILES = {
    "audience without https": 'audience = "http://a.org/cds-services"\naccount = "a"',
    "audience of another path": 'audience = "https://a.org/api"\naccount = "a"',
    "no account": f'audience = "{AUDIENCE}"',
    "no caller": f'audience = "{AUDIENCE}"\naccount = "a"',
    "unknown key": f'audience = "{AUDIENCE}"\naccount = "a"\nsecret = "x"',
    "keys without https": f'audience = "{AUDIENCE}"\naccount = "a"\n[[caller]]\n'
    f'issuer = "{ISSUER}"\nkeys = "http://record.example.org/keys"',
    "issuer without https": f'audience = "{AUDIENCE}"\naccount = "a"\n[[caller]]\n'
    'issuer = "record"\nkeys = "https://record.example.org/keys"',
    "no file of keys": f'audience = "{AUDIENCE}"\naccount = "a"\n[[caller]]\n'
    f'issuer = "{ISSUER}"\nkeys = "/nowhere.json"',
}


@pytest.mark.parametrize("written", FILES.values(), ids=FILES.keys())
def test_a_file_of_settings_that_is_wrong_is_refused(written: str, tmp_path: Path) -> None:
    path = tmp_path / "hooks.toml"
    path.write_text(written)
    with pytest.raises((ValidationError, ImproperlyConfigured), match=re.escape(str(path))):
        Record(hooks=str(path))  # type: ignore[arg-type]


def test_a_file_with_a_private_key_is_refused(tmp_path: Path) -> None:
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps({"keys": [jwt.algorithms.ECAlgorithm.to_jwk(EC, as_dict=True)]}))
    caller = {"issuer": ISSUER, "keys": str(keys)}
    with pytest.raises(ValueError, match="public keys"):
        hooks_from({"audience": AUDIENCE, "account": "a", "caller": [caller]})
