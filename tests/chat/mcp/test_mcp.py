"""Test the MCP tools with the package's client, over both transports, against the API."""

import base64
import datetime
import json
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client as Browser
from django.utils import timezone
from knox.models import AuthToken
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from chat.models import AuditEvent, Scope, Turn
from chat.sign_in.tokens import token_create
from corpus.models import Document
from medrag_site.database.postmaster import living, stop
from medrag_site.release import release
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE, publish_guideline
from tests.processes import ROOT, running, start, wait_until

SITE, PUBLIC = "http://127.0.0.1:8000", "http://localhost:8443"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_guidelines", {"query": "demonstracillin", "k": 3}),
    ("ask_guidelines", {"question": QUESTION}),
]
ASKED = "/api/v1/query"


@pytest.fixture
def guideline(own_database: str) -> Document:
    return publish_guideline()


@pytest.fixture
def tokens(guideline: Document) -> dict[str, str]:
    """Return alice's tokens, by what is wrong with each."""
    alice = User.objects.create_user("alice")
    made = {"expired": token_create(alice)}
    AuthToken.objects.update(expiry=timezone.now() - datetime.timedelta(days=1))
    made["missing"] = ""
    made["without `ask`"] = token_create(alice, scopes=[Scope.READ, Scope.DOCUMENTS])
    made["without `read`"] = token_create(alice, scopes=[Scope.ASK, Scope.DOCUMENTS])
    return made | {"valid": token_create(alice), "slow": token_create(alice, rate="1/hour")}


@pytest.fixture
def address(tokens: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """Serve MCP over HTTP for a site whose public address a setting names; yield its address."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    settings = {"DJANGO_SETTINGS_MODULE": "tests.settings", "MEDRAG_WEB": f"address={PUBLIC}"}
    with running("mcp", "--http", "--port", str(port), log=tmp_path / "mcp.log", **settings):
        wait_until(lambda: _listens(port), "it listens")
        yield f"http://127.0.0.1:{port}/mcp"


def by_api(
    token: str, path: str, body: Mapping[str, Any] | None = None, *, site: str = SITE
) -> Any:
    """Return the API's answer to the same token, with links of the same site."""
    headers = {"host": urlsplit(site).netloc} | (
        {"authorization": f"Bearer {token}"} if token else {}
    )
    browser = Browser(headers=headers, REMOTE_ADDR="192.0.2.1")  # wrong tokens lock an address
    if body is None:
        return browser.get(path).json()
    return browser.post(path, body, content_type="application/json").json()


def nameless(answer: dict[str, Any]) -> Any:
    """Return the answer without the keys of its turn and citations."""
    return json.loads(re.sub(r"citation[/=]\d+", "citation", json.dumps(answer | {"turn": None})))


async def assert_answers(client: Any, token: str, document: Document, *, site: str) -> None:
    """Check all three tools with a valid token, and whose links and version they tell."""
    assert client.server_info.version == release()
    assert {tool.name for tool in (await client.list_tools()).tools} == {
        "ask_guidelines", "open_source", "search_guidelines",
    }  # fmt: skip
    found, answered = [await client.call_tool(name, arguments) for name, arguments in CALLS]
    assert found.structured_content["results"][0]["text"]
    assert json.loads(answered.content[0].text) == answered.structured_content
    assert answered.structured_content["claims"][0]["citations"][0]["quote"] == DOSE
    assert answered.structured_content["claims"][0]["citations"][0]["link"].startswith(site)
    refused = await client.call_tool("ask_guidelines", {"question": UNANSWERABLE})
    assert not refused.is_error
    address = urlsplit(answered.structured_content["claims"][0]["citations"][0]["token_link"])
    citation = int(address.query.removeprefix("citation="))
    opened = await client.call_tool(
        "open_source", {"sha256": document.sha256, "number": 1, "citation": citation}
    )
    assert f"{DOSE}</mark>" in opened.structured_content["html"]
    assert base64.b64decode(opened.content[1].data).startswith(b"\x89PNG")
    expected = await anyio.to_thread.run_sync(
        lambda: [
            {"results": by_api(token, "/api/v1/search", CALLS[0][1])},
            nameless(by_api(token, ASKED, CALLS[1][1], site=site)),
            nameless(by_api(token, ASKED, {"question": UNANSWERABLE}, site=site)),
            by_api(token, f"{address.path}?{address.query}", site=site),
        ]
    )
    assert expected == [
        found.structured_content,
        nameless(answered.structured_content),
        nameless(refused.structured_content),
        opened.structured_content,
    ]


async def assert_refused(client: Any, token: str, wrong: str, document: Document) -> None:
    """Check that a refusal is the API's sentence and nothing else."""
    calls = [
        (CALLS[0], "/api/v1/search"),
        (CALLS[1], ASKED),
        (
            ("open_source", {"sha256": document.sha256, "number": 1}),
            f"/api/v1/documents/{document.sha256}/pages/1",
        ),
    ]
    for (name, arguments), path in calls:
        is_read = name == "open_source"
        if wrong == ("without `ask`" if is_read else "without `read`"):
            continue
        said = await client.call_tool(name, arguments)
        assert said.is_error, (wrong, name)
        assert said.structured_content is None  # the tool's output schema is that of its results
        body = None if is_read else arguments
        problem = await anyio.to_thread.run_sync(by_api, token, path, body)
        assert [json.loads(part.text) for part in said.content] == [problem]
        assert problem["status"] == (403 if wrong.startswith("without") else 401)


@pytest.mark.slow
def test_over_http(address: str, tokens: dict[str, str], guideline: Document) -> None:
    async def calls() -> None:
        for wrong, token in tokens.items():
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                match wrong:
                    case "valid":
                        await assert_answers(client, token, guideline, site=PUBLIC)
                        await assert_misuse_is_named(client)
                    case "slow":
                        said: list[Any] = [await client.call_tool(*CALLS[0]) for _ in range(2)]
                        assert [one.is_error for one in said] == [False, True]
                        assert json.loads(said[1].content[0].text)["status"] == 429
                        assert int(said[1].meta["Retry-After"]) > 0
                    case _:
                        await assert_refused(client, token, wrong, guideline)

    anyio.run(calls)
    by_mcp_and_api = 2
    assert Turn.objects.count() == 2 * by_mcp_and_api
    logged = AuditEvent.objects.filter(actor__endswith=":alice")
    assert logged.filter(action="search").count() == by_mcp_and_api + 1
    assert logged.filter(payload__contains='"document_page"').count() == by_mcp_and_api
    assert logged.filter(payload__contains='"document_page_picture"').count() == 1
    with httpx2.Client(headers={"Host": "evil.example"}) as stranger:
        assert stranger.post(address, json={}).status_code == 421


async def assert_misuse_is_named(client: Any) -> None:
    """Check invalid arguments: the API's error for a body, 404 for a path."""
    misspelt = await client.call_tool("search_guidelines", {"query": "x", "colections": []})
    assert "#/colections" in misspelt.content[0].text
    for arguments, words in [
        ({"number": 1}, "#/sha256"),
        ({"sha256": "../../me", "number": 1}, "There is nothing at this path."),
        ({"sha256": "0" * 64, "number": 1}, "not open to you"),
    ]:
        said = await client.call_tool("open_source", arguments)
        assert said.is_error and words in said.content[0].text
    with pytest.raises(MCPError, match="no tool"):
        await client.call_tool("withdraw", {})


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_as_the_last_user_it_stops_the_database(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    data = Path(tempfile.mkdtemp(prefix="medrag-", dir="/tmp"))
    settings = {"MEDRAG_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "medrag_site.settings"}
    try:
        arguments = ("mcp", "--http", "--port", str(port))
        process = start(*arguments, log=tmp_path / "mcp.log", **settings)
        wait_until(lambda: _listens(port), "it listens")
        assert living(data / "postgres")
        process.terminate()
        process.wait(60)
        assert living(data / "postgres") is None
    finally:
        process.kill()
        stop(data / "postgres")
        shutil.rmtree(data)


@pytest.mark.slow
def test_over_the_streams_of_a_child(tokens: dict[str, str], guideline: Document) -> None:
    async def call(wrong: str) -> None:
        token = tokens[wrong]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        child = StdioServerParameters(
            command=sys.executable,
            args=["manage.py", "mcp"],
            cwd=ROOT,
            env=environment | {"MEDRAG_MCP_TOKEN": token},
        )
        async with Client(child, read_timeout_seconds=60) as client:
            if wrong == "valid":
                await assert_answers(client, token, guideline, site=SITE)
            else:
                await assert_refused(client, token, wrong, guideline)

    async def calls() -> None:
        async with anyio.create_task_group() as group:
            for wrong in ("valid", "missing", "expired", "without `ask`"):
                group.start_soon(call, wrong)

    anyio.run(calls)


def test_an_address_that_the_site_has_not_is_refused() -> None:
    for site in ("http://evil.example", "ftp://127.0.0.1", "127.0.0.1:8000"):
        with pytest.raises(CommandError, match="--site"):
            call_command("mcp", "--site", site)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
