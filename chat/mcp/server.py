"""Serve the tools by MCP, the Model Context Protocol: each is a call of the API."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import anyio.to_thread
import httpx
import mcp_types as types
from anyio import CapacityLimiter
from django.conf import settings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from rest_framework.exceptions import ValidationError

from chat.api.problems import problem_details
from chat.mcp.api_calls import Api, Caller
from chat.mcp.described import Described, described_tools

INSTRUCTIONS = (
    "Cited answers from a hospital's own guidelines, or a refusal. Show each claim with what it "
    "stands `under`, its citations and all `warnings`. A refusal is a result: nothing else "
    "answers in its place, and the passages beside it are no answer."
)
KEPT_HEADERS = ("Identifiers-Seen", "RateLimit", "RateLimit-Policy", "Retry-After")
Context = ServerRequestContext[Any, Any]


def mcp_server(api: Api, *, version: str, caller_of: Callable[[Context], Caller]) -> Server[Any]:
    """Make the server; `version` is the product's release.

    Each call takes a thread, at most as many as the web server has.
    """
    tools = {tool.name: tool for tool in described_tools()}
    limiter = CapacityLimiter(settings.WEB_THREADS)

    async def list_tools(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_as_told(tool) for tool in tools.values()])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = tools.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name[:60]!r} here.")
        caller, arguments = caller_of(context), params.arguments or {}
        return await anyio.to_thread.run_sync(
            lambda: called(api, tool, caller, arguments), limiter=limiter
        )

    return Server(
        "medrag",
        version=version,
        title="MedRAG",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def called(
    api: Api, tool: Described, caller: Caller, arguments: Mapping[str, Any]
) -> types.CallToolResult:
    """Call a tool's operation; return the API's response as result, or its problem as error."""
    if tool.method == "POST":
        whole = {"stream": False} if tool.name == "ask_guidelines" else {}
        return _result(tool, api.call(caller, tool.method, tool.path, body={**arguments, **whole}))
    if wrong := _misfits(tool, arguments):
        problem = problem_details(ValidationError(wrong), {}).data
        return types.CallToolResult(content=[_text(problem)], is_error=True)
    path = tool.path.format_map(
        {name: quote(str(value), safe="") for name, value in arguments.items()}
    )
    query = {
        name: str(value) for name, value in arguments.items() if f"{{{name}}}" not in tool.path
    }
    result = _result(tool, api.call(caller, tool.method, path, query=query))
    if not result.is_error and (picture := result.structured_content["picture"]):
        result.content.append(_picture(api.call(caller, "GET", picture)))
    return result


def _as_told(tool: Described) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=f"{tool.title}. {tool.description}",
        input_schema=dict(tool.takes),
        output_schema=dict(tool.gives),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.name != "ask_guidelines",  # ask_guidelines stores the question
            destructive_hint=False,
            open_world_hint=False,
        ),
    )


def _misfits(tool: Described, arguments: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return errors for unknown and missing arguments, worded as the API words them."""
    known, needed = tool.takes["properties"], tool.takes["required"]
    unknown = {name: ["This key is not known."] for name in arguments if name not in known}
    missing = {name: ["This field is required."] for name in needed if name not in arguments}
    return {**unknown, **missing}


def _result(tool: Described, response: httpx.Response) -> types.CallToolResult:
    is_error = response.status_code >= HTTPStatus.BAD_REQUEST
    given = response.json()
    if tool.is_list and not is_error:
        given = {"results": given}
    kept = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    # A problem has another shape than the tool's output schema says, by which clients check it.
    return types.CallToolResult(
        content=[_text(given)],
        structured_content=None if is_error else given,
        is_error=is_error,
        _meta=kept or None,
    )


def _picture(response: httpx.Response) -> types.ImageContent | types.TextContent:
    """Return the page's picture, or the problem why there is none."""
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        return _text(response.json())
    data = base64.b64encode(response.content).decode()
    return types.ImageContent(data=data, mime_type=response.headers["Content-Type"])


def _text(given: Any) -> types.TextContent:
    return types.TextContent(text=json.dumps(given, ensure_ascii=False))
