"""Get a patient's context by SMART App Launch 2.2: discovery, code flow with PKCE, ID token.

Uses django-allauth's client, state and decoding of tokens, as single sign-on does. The access token
is returned and kept nowhere.
"""

from __future__ import annotations

import re
import secrets
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.internal import statekit
from allauth.socialaccount.providers.oauth2.client import OAuth2Client, OAuth2Error
from allauth.socialaccount.providers.oauth2.utils import generate_code_challenge
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.urls import reverse
from requests import RequestException

from chat.records.launch.allowed import LaunchingRecord
from chat.records.launch.refusals import LaunchRefused
from chat.sign_in.oidc import CONFIG_S, ClockError, ProviderError, TokenError, claims_checked
from core.endpoint_settings import is_guarded

RESOURCES = "Patient Observation AllergyIntolerance MedicationRequest Condition".split()
WHO = "openid fhirUser"
SCOPES = " ".join(("launch", WHO, *(f"patient/{each}.rs" for each in RESOURCES)))
MAX_CHARS = 2000  # of `launch`
_STATES = "record"  # in the session, apart from those of single sign-on
_ADDRESSES = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_JSON = {"Accept": "application/json"}
_ID = re.compile(r"[A-Za-z0-9.-]{1,64}")  # of a FHIR resource
_BY_KEY = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ASSERTION_S = 300  # the standard: at most five minutes


@dataclass(frozen=True)
class Granted:
    """What a record granted: who launches and, unless only that was asked, of which patient."""

    record: LaunchingRecord
    person: str  # `sub` at the record
    patient: str = field(default="", repr=False)
    token: str = field(default="", repr=False)


def configuration(record: LaunchingRecord) -> dict[str, Any]:
    """Return the record's configuration, fetched if it is not known. Raises LaunchRefused."""
    name = f"launch.config.{record.issuer}"
    found: Any = cache.get(name)
    if found is not None:
        return dict(found)
    try:
        with get_adapter().get_requests_session() as http:
            response = http.get(f"{record.issuer}/.well-known/smart-configuration", headers=_JSON)
            found = response.json() if response.status_code == 200 else None
    except (RequestException, ValueError, RecursionError) as error:
        raise LaunchRefused("away") from error
    if not isinstance(found, dict):
        raise LaunchRefused("away")
    methods = found.get("code_challenge_methods_supported")
    texts = [found.get(each) for each in ("issuer", *_ADDRESSES)]
    if (
        not all(isinstance(each, str) for each in texts)
        or not all(is_guarded(found[each]) for each in _ADDRESSES)
        or "S256" not in (methods if isinstance(methods, list) else ())
    ):
        raise LaunchRefused("configuration")
    cache.set(name, found, CONFIG_S)
    return found


def way_to(request: HttpRequest, record: LaunchingRecord, *, launch: str) -> str:
    """Return the record's address of authorization, and note the launch in the session.

    Without `launch` only who the person is will be asked. Raises LaunchRefused.
    """
    config = configuration(record)
    challenge, nonce = generate_code_challenge(), secrets.token_urlsafe(24)
    state = {"issuer": record.issuer, "nonce": nonce, "of_patient": bool(launch)}
    state["verifier"] = challenge.pop("code_verifier")
    client = _client(request, record, config)
    client.state = statekit.stash_state(request, provider_id=_STATES, state=state)
    more = {"aud": record.issuer, "nonce": nonce, **challenge}
    more |= {"launch": launch} if launch else {}
    scopes = [SCOPES if launch else WHO]
    return str(client.get_redirect_url(config["authorization_endpoint"], scopes, more))


def way_back(request: HttpRequest) -> Granted:
    """Exchange the code for what the record grants. Raises LaunchRefused."""
    state = statekit.unstash_state(
        request, provider_id=_STATES, state_id=request.GET.get("state", "")
    )
    record = settings.RECORD.launch.record(state["issuer"]) if state else None
    if state is None or record is None:
        raise LaunchRefused("state")
    config = configuration(record)
    named = bool(config.get("authorization_response_iss_parameter_supported"))
    default = None if named else config["issuer"]
    if request.GET.get("iss", default) != config["issuer"]:  # RFC 9207: of another record
        raise LaunchRefused("state")
    if "code" not in request.GET:
        raise LaunchRefused("denied")
    tokens = _tokens(request, record, config, state["verifier"])
    person = _person(tokens, record, config, nonce=state["nonce"])
    if not state["of_patient"]:
        return Granted(record, person)
    patient, token = tokens.get("patient"), tokens["access_token"]
    if not isinstance(patient, str) or not _ID.fullmatch(patient) or not isinstance(token, str):
        raise LaunchRefused("patient", record=record.name)
    return Granted(record, person, patient, token)


def _client(request: HttpRequest, record: LaunchingRecord, config: dict[str, Any]) -> OAuth2Client:
    return OAuth2Client(
        request,
        record.client_id,
        record.secret,
        "POST",
        config["token_endpoint"],
        request.build_absolute_uri(reverse("launch_back")),
        headers=_JSON,
        basic_auth=bool(record.secret),
    )


def _tokens(
    request: HttpRequest, record: LaunchingRecord, config: dict[str, Any], verifier: str
) -> dict[str, Any]:
    proof = {}
    if record.key:
        assertion = _assertion(record, record.key, config["token_endpoint"])
        proof = {"client_assertion_type": _BY_KEY, "client_assertion": assertion}
    client = _client(request, record, config)
    try:
        return dict(client.get_access_token(request.GET["code"], verifier, proof))
    except OAuth2Error as error:
        raise LaunchRefused("code") from error
    except (RequestException, KeyError, TypeError, ValueError, RecursionError) as error:
        raise LaunchRefused("away") from error


def _assertion(record: LaunchingRecord, key: jwt.PyJWK, audience: str) -> str:
    """Return a token that proves the site's key, for one use (RFC 7523)."""
    now = int(time.time())
    claims = {"iss": record.client_id, "sub": record.client_id, "aud": audience, "iat": now}
    claims |= {"exp": now + ASSERTION_S, "jti": str(uuid.uuid4())}
    return jwt.encode(claims, key.key, key.algorithm_name, headers={"kid": key.key_id})


def _person(
    tokens: dict[str, Any], record: LaunchingRecord, config: dict[str, Any], *, nonce: str
) -> str:
    whom = {"issuer": config["issuer"], "client_id": record.client_id, "nonce": nonce}
    try:
        claims = claims_checked(tokens, config["jwks_uri"], **whom)
    except ProviderError as error:
        kinds = {ClockError: "clock", TokenError: "token"}
        raise LaunchRefused(kinds.get(type(error), "away"), record=record.name) from error
    if {"Patient", "RelatedPerson"} & set(str(claims.get("fhirUser", "")).split("/")):
        raise LaunchRefused("person", record=record.name)
    return str(claims["sub"])
