"""Serve the tools by MCP, the Model Context Protocol: each is a call of the API."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import httpx
import mcp_types as types
from anyio import CapacityLimiter
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from drf_spectacular.settings import spectacular_settings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from rest_framework.exceptions import APIException, NotFound, ValidationError
from starlette.applications import Starlette

from chat.api.problems import problem_details
from chat.api.requests import MAX_BODY_BYTES, OF_A_TOOL
from chat.mcp.described import Described, described_tools

INSTRUCTIONS = (
    "Cited answers from a hospital's own guidelines, or a refusal. Show each claim with what it "
    "stands `under`, its citations and all `warnings`. A refusal is a result: nothing else "
    "answers in its place, and the passages beside it are no answer."
)
KEPT_HEADERS = ("Identifiers-Seen", "RateLimit", "RateLimit-Policy", "Retry-After")
CALLER_HEADERS = ("Authorization", "X-Forwarded-For")  # proxies count only if trusted
Context = ServerRequestContext[Any, Any]
_site = WSGIHandler()


class Caller(NamedTuple):
    """The caller as the API sees it; `site` is the site's address, used in links."""

    site: str
    headers: Mapping[str, str | None] = {}
    address: str = "127.0.0.1"

    def call(self, method: str, path: str, **sent: Any) -> httpx.Response:
        """Call the API through the same views, permissions, rates and log as from outside."""
        given = {name: self.headers.get(name) or "" for name in CALLER_HEADERS}
        headers = {name: text if text.isascii() else "?" for name, text in given.items() if text}
        transport = httpx.WSGITransport(
            lambda environ, start: _site(environ | {OF_A_TOOL: True}, start),
            remote_addr=self.address,
            raise_app_exceptions=False,
        )
        with httpx.Client(transport=transport, base_url=self.site, headers=headers) as client:
            return client.request(method, path, **sent)


def mcp_server(caller_of: Callable[[Context], Caller], *, in_view: bool = False) -> Server[Any]:
    """Make the server. Each call has a thread, at most as many as the web server has.

    With `in_view` it is the view's own, and so is the database connection.
    """
    limiter = CapacityLimiter(settings.WEB_THREADS)

    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool.told for tool in described_tools().values()])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = described_tools().get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name[:60]!r} here.")
        answer = sync_to_async(called, thread_sensitive=in_view)
        async with limiter:
            return await answer(tool, caller_of(context), params.arguments or {})

    return Server(
        "medrag",
        version=spectacular_settings.EXTENSIONS_INFO["x-release"],
        title="MedRAG",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def http_application(server: Server[Any], hosts: Iterable[str]) -> Starlette:
    """Return the ASGI application that serves `/mcp`, for host names written in full.

    Calls are independent of each other, so any process may serve them. Pages of browsers may only
    call from `cors_origins` of MEDRAG_API.
    """
    return server.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
            allowed_origins=list(settings.CORS_ORIGINS),
        ),
    )


def called(tool: Described, caller: Caller, arguments: Mapping[str, Any]) -> types.CallToolResult:
    """Call a tool's operation; return the API's response as result, or its problem as error."""
    if tool.method == "POST":
        whole = {"stream": False} if tool.told.name == "ask_guidelines" else {}
        return result(caller.call("POST", tool.path, json={**arguments, **whole}))
    known, needed = (tool.told.input_schema[part] for part in ("properties", "required"))
    wrong = {name: ["This key is not known."] for name in arguments if name not in known}
    wrong |= {name: ["This field is required."] for name in needed if name not in arguments}
    if wrong:
        return _refused(ValidationError(wrong))
    in_path = {name: str(arguments[name]) for name in arguments if f"{{{name}}}" in tool.path}
    if not all(value.isalnum() for value in in_path.values()):  # words would be logged as a path
        return _refused(NotFound("There is nothing at this path."))
    query = {name: value for name, value in arguments.items() if name not in in_path}
    opened = result(caller.call("GET", tool.path.format_map(in_path), params=query))
    if not opened.is_error and (picture := opened.structured_content["picture"]):
        opened.content.append(_picture(caller.call("GET", picture)))
    return opened


def _refused(error: APIException) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(problem_details(error, {}).data)], is_error=True)


def result(response: httpx.Response) -> types.CallToolResult:
    """Return the API's response as a tool's; a problem as text only.

    Clients check the other form by the tool's output schema, which is not a problem's.
    """
    given = response.json()
    content = {"results": given} if isinstance(given, list) else given
    kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    return types.CallToolResult(
        content=[_text(content)],
        structured_content=None if response.is_error else content,
        is_error=response.is_error,
        _meta=kept or None,
    )


def _picture(response: httpx.Response) -> types.ImageContent | types.TextContent:
    """Return the page's picture, or the problem why there is none."""
    if response.is_error:
        return _text(response.json())
    encoded = base64.b64encode(response.content).decode()
    return types.ImageContent(data=encoded, mime_type=response.headers["Content-Type"])


def _text(given: Any) -> types.TextContent:
    return types.TextContent(text=json.dumps(given, ensure_ascii=False))
