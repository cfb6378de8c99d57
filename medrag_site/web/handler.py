"""The WSGI handler, which can build a request whatever charset it names."""

from __future__ import annotations

from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Request(WSGIRequest):
    """Django's request, built even if its charset is malformed, for `SoundRequests` to refuse.

    A charset that contains NUL, such as `charset*=utf-8''%00`, would otherwise fail outside of any
    page.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]
        except ValueError:
            self.content_type, self.content_params = "", {"charset": "none"}


class Handler(WSGIHandler):
    request_class = Request
