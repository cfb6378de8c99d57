"""Serve the tools for programs that speak MCP."""

from __future__ import annotations

import signal
from typing import Any
from urllib.parse import urlsplit

import anyio
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.http.request import split_domain_port, validate_host

from medrag_site.processes.serve import refuse_taken_port

PORT = 8001


class Command(BaseCommand):
    help = (
        "Serve search, answers and cited pages by MCP to the program that starts this command, or "
        "by HTTP."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--http",
            action="store_true",
            help="serve by HTTP at /mcp; each call sends its own token",
        )
        parser.add_argument("--host", default=settings.SERVE_HOST, help="address to listen on")
        parser.add_argument("--port", type=int, default=PORT, help="port to listen on")
        parser.add_argument("--site", default=_site(), help="public address of the site, for links")

    def handle(self, *args: Any, http: bool, host: str, port: int, site: str, **_: Any) -> None:
        _refuse_strange(site)
        for database in connections.settings.values():
            database["CONN_MAX_AGE"] = 0  # calls have threads of their own, which end
        if http:
            self._serve_http(host, port, site)
        else:
            _serve_streams(site)

    def _serve_http(self, host: str, port: int, site: str) -> None:
        # Late: they take seconds to load, and no other command needs them.
        import uvicorn
        from starlette.requests import Request

        from chat.mcp.server import CALLER_HEADERS, Caller, Context, http_application, mcp_server
        from medrag_site.web.model_loading import end_at_once, models

        def caller(context: Context) -> Caller:
            request: Request = context.request  # type: ignore[assignment]  # none by streams only
            sent = {name: ", ".join(request.headers.getlist(name)) for name in CALLER_HEADERS}
            return Caller(site, sent, request.client.host if request.client else "")

        what_to_do = "Nothing was started. Choose another with --port."
        refuse_taken_port(host, port, what_to_do=what_to_do)
        models.load_in_background()
        # The server raises the signal again when it has ended; else this process would be killed
        # then, and leave the embedded database running.
        signal.signal(signal.SIGTERM, lambda *_: end_at_once(0))
        self.stderr.write(f"Serving MCP on http://{_bracketed(host)}:{port}/mcp until Ctrl-C.")
        uvicorn.run(
            http_application(mcp_server(caller), settings.ALLOWED_HOSTS),
            host=host,
            port=port,
            proxy_headers=False,  # proxies in MEDRAG_WEB decides which proxies are trusted
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=5,
        )


def _serve_streams(site: str) -> None:
    """Serve the client that started the process, by MEDRAG_MCP_TOKEN, until it leaves."""
    from mcp.server.stdio import stdio_server  # late, as above

    from chat.mcp.server import Caller, mcp_server

    token = settings.MCP_TOKEN
    caller = Caller(site, {"Authorization": f"Bearer {token}"} if token else {})
    server = mcp_server(lambda context: caller)

    async def serve() -> None:
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    anyio.run(serve)


def _site() -> str:
    address = f"{_bracketed(settings.SERVE_HOST)}:{settings.SERVE_PORT}"
    return settings.SITE_ADDRESS or f"http{'s' * settings.HTTPS}://{address}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _refuse_strange(site: str) -> None:
    """Raise CommandError for an address whose host the site itself would not accept."""
    address = urlsplit(site)
    host, _ = split_domain_port(address.netloc)
    if address.scheme not in ("http", "https") or not validate_host(host, settings.ALLOWED_HOSTS):
        raise CommandError(
            f"{site} is not an address of this site. Nothing was started. Give a host of "
            "MEDRAG_ALLOWED_HOSTS in --site or `address` of MEDRAG_WEB, such as "
            "https://guidelines.example.org."
        )
