"""Call the API from within, through the same views, permissions, rates and log as from outside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections


@dataclass(frozen=True)
class Caller:
    """The caller as the API sees it: a token, and the address that the call came from."""

    authorization: str = ""  # the header; empty without a token
    address: str = "127.0.0.1"
    forwarded_for: str = ""  # as proxies report it; only trusted proxies count

    def headers(self) -> dict[str, str]:
        """Return the caller's headers for the API; a value that is not ASCII becomes `?`."""
        headers = {"Authorization": self.authorization, "X-Forwarded-For": self.forwarded_for}
        return {name: value if value.isascii() else "?" for name, value in headers.items() if value}


class Api:
    """The site's own API. `site` is its address, used in links."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._application = WSGIHandler()

    def call(
        self,
        caller: Caller,
        method: str,
        address: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """Call an operation by its path or full address, then close the thread's connections.

        Threads are short-lived, and must not leave database connections open.
        """
        transport = httpx.WSGITransport(
            self._application, raise_app_exceptions=False, remote_addr=caller.address
        )
        headers = caller.headers()
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body)
        try:
            with httpx.Client(transport=transport, base_url=self._site) as client:
                return client.request(
                    method, address, params=query or None, content=content, headers=headers
                )
        finally:
            connections.close_all()
