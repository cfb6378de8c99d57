"""Test access tokens of the hospital's provider at `/mcp`: whom they act as, which are refused."""

import base64
from typing import Any

import jwt
import pytest
from allauth.socialaccount.models import SocialAccount
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from chat.api.requests import OF_A_TOOL
from chat.models import AuditEvent
from tests.chat.api.api_calls import SEARCH, assert_problem, post
from tests.chat.guidelines import publish_guideline
from tests.chat.mcp.messages import METADATA, PATH, assert_error, bearer, send, tool_called
from tests.chat.sign_in.provider import Provider

pytestmark = pytest.mark.usefixtures("ada")

AUDIENCE = "https://testserver/mcp"
FOUND = {"query": "demonstracillin"}


@pytest.fixture
def ada(hospital: Provider, settings: LazySettings) -> User:
    """Return a person who has signed in by the hospital's provider, whose tokens are accepted."""
    settings.OIDC_AUDIENCE = hospital.audience = AUDIENCE
    ada = User.objects.create_user("ada")
    SocialAccount.objects.create(user=ada, provider=hospital.issuer, uid="s-1")
    return ada


def test_the_metadata_names_the_provider(hospital: Provider) -> None:
    for path in (METADATA, METADATA + PATH):
        said = Client().get(path, secure=True).json()
        assert said["resource"] == AUDIENCE
        assert said["authorization_servers"] == [hospital.issuer]
        assert said["scopes_supported"] == ["ask", "read"]
    header = send(Client(), "tools/list")["WWW-Authenticate"]
    assert f'resource_metadata="http://testserver{METADATA}{PATH}"' in header


def test_an_access_token_acts_as_its_person(hospital: Provider, settings: LazySettings) -> None:
    guideline, client = publish_guideline(), bearer(hospital.access_token())
    assert tool_called(client, "search_guidelines", FOUND)["structuredContent"]["results"]
    page = {"sha256": guideline.sha256, "number": 1}
    assert_error(tool_called(client, "open_source", page), 403)  # it lacks `read`
    entra = bearer(hospital.access_token(scope=None, scp=["read"]))
    assert "html" in tool_called(entra, "open_source", page)["structuredContent"]
    assert AuditEvent.objects.filter(action="search", actor__endswith=":ada").count() == 1
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("chat.api.requests.TokenRate.THROTTLE_RATES", {"query": "3/hour"})
        another = bearer(hospital.access_token(jti="2"))  # of the same person, so of the same rate
        assert_error(tool_called(another, "search_guidelines", FOUND), 429)
    assert_problem(post(client, SEARCH, FOUND), 401)  # it opens the tools, not the whole API
    spoofed = {OF_A_TOOL: "1", OF_A_TOOL.replace(".", "-"): "1"}
    assert_problem(post(client, SEARCH, FOUND, **spoofed), 401)


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "https://other.example/mcp"},
        {"aud": None},
        {"iss": "https://other.example"},
        {"exp": 1},
        {"exp": None},
        {"nbf": 4_000_000_000},
        {"sub": "s-2"},
        {"sub": None},
        {"scope": "openid profile"},
        {"scope": None},
        {"scope": {"ask": True}},
    ],
)
def test_any_other_access_token_is_refused(hospital: Provider, wrong: dict[str, Any]) -> None:
    assert send(bearer(hospital.access_token()), "tools/list").status_code == 200
    assert_problem(send(bearer(hospital.access_token(**wrong)), "tools/list"), 401)


def test_a_forged_access_token_is_refused(hospital: Provider, settings: LazySettings) -> None:
    right = hospital.access_token()
    claims = jwt.decode(right, options={"verify_signature": False})
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for key, algorithm, kid in [
        (stranger, "RS256", "1"),
        (stranger, "RS256", "2"),
        (None, "none", "1"),
    ]:
        forged = jwt.encode(claims, key, algorithm, headers={"kid": kid})  # type: ignore[arg-type]
        assert_problem(send(bearer(forged), "tools/list"), 401)
    assert send(bearer(right), "tools/list").status_code == 200
    User.objects.update(is_active=False)
    assert_problem(send(bearer(right), "tools/list"), 401)
    User.objects.update(is_active=True)
    settings.OIDC_AUDIENCE = ""
    assert_problem(send(bearer(right), "tools/list"), 401)


@pytest.mark.parametrize(
    ("published", "algorithm", "status"),
    [
        ({}, "RS512", 200),  # a key without `alg` is not one for RS256 alone
        ({"alg": "RS256"}, "RS512", 401),
        ({"use": "enc"}, "RS256", 401),
        ({"kty": "oct", "k": "c2VjcmV0" * 6}, "HS256", 401),
        ({"kty": "oct", "k": "c2VjcmV0" * 6}, "RS256", 401),
    ],
)
def test_the_key_says_which_algorithm_counts(
    hospital: Provider, published: dict[str, str], algorithm: str, status: int
) -> None:
    public = jwt.algorithms.RSAAlgorithm.to_jwk(hospital.published.public_key(), as_dict=True)
    key = {**({} if "kty" in published else public), "kid": "1", **published}
    hospital.keys = [key]
    said = jwt.decode(hospital.access_token(), options={"verify_signature": False})
    secret = jwt.utils.base64url_decode(published.get("k", ""))
    if secret:
        token = jwt.encode(said, secret, "HS256", headers={"kid": "1"})
    else:
        token = jwt.encode(said, hospital.key, algorithm, headers={"kid": "1"})
    if secret and algorithm != "HS256":  # the header lies, and the secret seals it
        head = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"1"}').rstrip(b"=").decode()
        sealed = f"{head}.{token.split('.')[1]}"
        seal = jwt.get_algorithm_by_name("HS256").sign(sealed.encode(), secret)
        token = f"{sealed}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"
    assert send(bearer(token), "tools/list").status_code == status


def test_expired_access_tokens_lock_nobody_out_and_guesses_do(
    hospital: Provider, settings: LazySettings
) -> None:
    for number in range(settings.LOCKOUT_ADDRESS_FAILURES + 1):
        expired = hospital.access_token(exp=1, jti=str(number))
        assert send(bearer(expired), "tools/list").status_code == 401
    assert send(bearer(hospital.access_token()), "tools/list").status_code == 200
    for number in range(settings.LOCKOUT_ADDRESS_FAILURES):
        send(bearer(hospital.access_token(sub="s-2", jti=str(number))), "tools/list")
    assert_problem(send(bearer(hospital.access_token()), "tools/list"), 429)


def test_a_provider_that_is_away_is_told(hospital: Provider, settings: LazySettings) -> None:
    token = hospital.access_token()
    settings.OIDC_ISSUER = "http://127.0.0.1:9"
    assert_problem(send(bearer(token), "tools/list"), 503)
