"""What the web server calls."""

from __future__ import annotations

from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest


class Request(WSGIRequest):
    """Django's, which can be made whatever its charset is named; `SoundRequests` refuses it then.

    A name that holds NUL, as `charset*=utf-8''%00` does, would be an error outside of any page.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            super()._set_content_type_params(meta)  # type: ignore[misc]
        except ValueError:
            self.content_type, self.content_params = "", {"charset": "none"}


class Handler(WSGIHandler):
    request_class = Request
