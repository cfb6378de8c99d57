"""Connect clients to the tools: by standard streams of a child process, or by HTTP."""

from __future__ import annotations

import anyio
from django.conf import settings
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from chat.api.requests import MAX_BODY_BYTES
from chat.mcp.api_calls import Api, Caller
from chat.mcp.server import Context, mcp_server


def serve_streams(site: str, version: str) -> None:
    """Serve the client that started the process, with the token of MEDRAG_MCP_TOKEN.

    Returns when the client leaves.
    """
    token = settings.MCP_TOKEN
    caller = Caller(authorization=f"Bearer {token}" if token else "")
    server = mcp_server(Api(site), version=version, caller_of=lambda context: caller)

    async def serve() -> None:
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    anyio.run(serve)


def http_application(site: str, version: str) -> Starlette:
    """Return the ASGI application that serves `/mcp`, each call with its own token.

    Calls are independent of each other, so any process may serve them. Pages of browsers may only
    call from `cors_origins` of MEDRAG_API, and host names must be in MEDRAG_ALLOWED_HOSTS.
    """
    hosts = [form for host in settings.ALLOWED_HOSTS for form in (host, f"{host}:*")]
    return mcp_server(Api(site), version=version, caller_of=_caller).streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BODY_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=list(settings.CORS_ORIGINS)
        ),
    )


def _caller(context: Context) -> Caller:
    """Read the caller from the HTTP request of a call."""
    if (request := context.request) is None:
        return Caller()
    return Caller(
        authorization=request.headers.get("Authorization", ""),
        address=request.client.host if request.client else "",
        forwarded_for=", ".join(request.headers.getlist("X-Forwarded-For")),
    )
