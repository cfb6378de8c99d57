"""Test requests from other origins: only configured ones, only the API, never a session."""

import pytest
from django.conf import LazySettings
from django.test import Client

from medrag_site.configuration.kinds import Origins
from tests.declared import setting

ORIGIN, OTHER = "https://records.example.org", "https://evil.example.org"
ALLOWED = "Access-Control-Allow-Origin"
ASKS = {"access-control-request-method": "POST"}


@pytest.fixture
def named(settings: LazySettings) -> None:
    settings.CORS_ORIGINS = [ORIGIN]


def test_nothing_is_said_without_the_setting(db: None, client: Client) -> None:
    response = client.options("/api/v1/query", headers={"origin": ORIGIN} | ASKS)
    assert response.status_code == 401
    assert ALLOWED not in response


@pytest.mark.parametrize("origin", [OTHER, "null", "", "https://records.example.org.evil.example"])
def test_another_origin_is_not_allowed(named: None, db: None, client: Client, origin: str) -> None:
    for response in (
        client.options("/api/v1/query", headers={"origin": origin} | ASKS),
        client.get("/api/v1/schema", headers={"origin": origin}),
    ):
        assert ALLOWED not in response
        assert "Origin" in response["Vary"]


@pytest.mark.parametrize("path", ["/api/v1/query", "/v1/chat/completions"])
def test_a_named_origin_asks_first_and_then_calls(
    named: None, db: None, client: Client, path: str
) -> None:
    first = client.options(path, headers={"origin": ORIGIN} | ASKS)
    assert first.status_code == 204
    assert first[ALLOWED] == ORIGIN
    assert "Authorization" in first["Access-Control-Allow-Headers"]
    assert "PATCH" in first["Access-Control-Allow-Methods"]
    called = client.get("/api/v1/me", headers={"origin": ORIGIN})
    assert (called.status_code, called[ALLOWED]) == (401, ORIGIN)
    for response in (first, called):
        assert "Access-Control-Allow-Credentials" not in response


def test_pages_are_not_for_other_origins(named: None, db: None, client: Client) -> None:
    assert ALLOWED not in client.get("/sign-in/", headers={"origin": ORIGIN})


@pytest.mark.parametrize("raw", ["*", "records.example.org", "https://a.example/", "https://*.org",
                                 "https://A.example", "null", "https://a.example,,"])  # fmt: skip
def test_an_origin_is_written_in_full(raw: str) -> None:
    with pytest.raises(Exception, match="MEDRAG_X"):
        setting(Origins, raw)
    assert setting(Origins, f"{ORIGIN}, {OTHER}") == [ORIGIN, OTHER]
