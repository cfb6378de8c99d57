"""Test `/mcp` of a real web process with the package's client, which signs in by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from chat.models import Turn
from chat.sign_in.tokens import token_create
from tests.chat.guidelines import DOSE, QUESTION, publish_guideline
from tests.chat.mcp.test_mcp import assert_answers
from tests.chat.sign_in.provider import CLIENT, SECRET, Provider, provider
from tests.site.browsing.browser import served

pytestmark = pytest.mark.slow

AUDIENCE, BACK = "medrag-mcp", "http://127.0.0.1:1/back"


class Storage:
    """The client as registered at the provider, and its tokens."""

    tokens: OAuthToken | None = None
    client = OAuthClientInformationFull(
        client_id=CLIENT,
        client_secret=SECRET,
        redirect_uris=[BACK],  # type: ignore[list-item]  # an address as text
        token_endpoint_auth_method="client_secret_post",
    )

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@pytest.fixture
def hospital(
    own_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Provider]:
    with provider() as one:
        one.audience = AUDIENCE
        said = {"issuer": one.issuer, "client_id": CLIENT, "client_secret": SECRET}
        lines = [f'{name} = "{value}"' for name, value in (said | {"audience": AUDIENCE}).items()]
        (file := tmp_path / "oidc.toml").write_text("\n".join(lines))
        monkeypatch.setenv("MEDRAG_OIDC", str(file))
        yield one


def signing_in(
    address: str, hospital: Provider, asked: dict[str, list[str]]
) -> OAuthClientProvider:
    """Return the client's sign-in; what it asks of the provider is put into `asked`."""
    given: dict[str, str] = {}

    async def redirected(to: str) -> None:
        asked.update(parse_qs(urlsplit(to).query))
        given.update(hospital.authorise(to))

    async def came_back() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=given["code"], state=given["state"])

    metadata = OAuthClientMetadata(redirect_uris=[BACK])  # type: ignore[list-item]  # as above
    return OAuthClientProvider(address, metadata, Storage(), redirected, came_back)


def test_a_client_finds_the_provider_and_asks_as_its_person(
    hospital: Provider, tmp_path: Path
) -> None:
    guideline = publish_guideline()
    token = token_create(User.objects.create_user("alice"))
    ada = User.objects.create_user("ada")
    SocialAccount.objects.create(user=ada, provider=hospital.issuer, uid="s-1")
    asked: dict[str, list[str]] = {}

    async def calls(site: str) -> None:
        address = f"{site}/mcp"
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            await assert_answers(client, token, guideline, site=site)
        sign_in: Any = signing_in(address, hospital, asked)
        async with (
            httpx2.AsyncClient(auth=sign_in, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            said = await client.call_tool("ask_guidelines", {"question": QUESTION})
            assert said.structured_content["claims"][0]["citations"][0]["quote"] == DOSE

    with served(tmp_path / "web.log") as site:
        anyio.run(calls, site)
    assert asked["resource"] == [f"{site}/mcp"] and asked["scope"] == ["ask read"]
    assert Turn.objects.filter(user=ada).count() == 1
    assert QUESTION not in (tmp_path / "web.log").read_text()
