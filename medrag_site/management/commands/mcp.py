"""Serve the tools for programs that speak MCP."""

from __future__ import annotations

import signal
import sys
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http.request import validate_host

from medrag_site.processes.serve import refuse_taken_port
from medrag_site.release import release

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
        # Late: it takes seconds to load, and no other command needs it.
        from chat.mcp.transports import serve_streams

        if http:
            self._serve_http(host, port, site)
        else:
            serve_streams(site, release())

    def _serve_http(self, host: str, port: int, site: str) -> None:
        import uvicorn  # late, as above

        from chat.mcp.transports import http_application
        from medrag_site.web.gunicorn_config import load_models_in_background

        what_to_do = "Nothing was started. Choose another with --port."
        refuse_taken_port(host, port, what_to_do=what_to_do)
        load_models_in_background()
        # The server raises the signal again when it has ended; else this process would be killed
        # then, and leave the embedded database running.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        shown = f"[{host}]" if ":" in host else host
        self.stderr.write(f"Serving MCP on http://{shown}:{port}/mcp until Ctrl-C.")
        uvicorn.run(
            http_application(site, release()),
            host=host,
            port=port,
            proxy_headers=False,  # proxies in MEDRAG_WEB decides which proxies are trusted
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=5,
        )


def _site() -> str:
    if settings.SITE_ADDRESS:
        return settings.SITE_ADDRESS
    scheme = "https" if settings.HTTPS else "http"
    host = settings.SERVE_HOST
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.SERVE_PORT}"


def _refuse_strange(site: str) -> None:
    """Raise CommandError for an address whose host the site itself would not accept."""
    address = urlsplit(site)
    host = f"[{address.hostname}]" if ":" in (address.hostname or "") else address.hostname or ""
    if address.scheme not in ("http", "https") or not validate_host(host, settings.ALLOWED_HOSTS):
        raise CommandError(
            f"{site} is not an address of this site. Nothing was started. Give a host of "
            "MEDRAG_ALLOWED_HOSTS in --site or `address` of MEDRAG_WEB, such as "
            "https://guidelines.example.org."
        )
