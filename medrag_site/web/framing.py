"""Let the pages of named origins show the site in a frame (MEDRAG_FRAME_ANCESTORS).

Signing in and the administration are never framed, so that nobody can be led to type or click there
unseen. Cookies are kept apart for each site that frames this one (`Partitioned`), unless that is
this machine itself, without https.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from http.cookies import Morsel
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

NEVER = ("/admin/", "/sign-in/", "/second-factor/", "/launch/link")


class _Partitioned(Morsel[str]):
    """A cookie with an attribute that neither Django 5.2 nor Python before 3.14 knows."""

    def OutputString(self, attrs: Container[str] | None = None) -> str:
        return f"{super().OutputString(attrs)}; Partitioned"


class Framing:
    """Names the origins in each page, and marks each cookie for use in their frames."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.FRAME_ANCESTORS:
            raise MiddlewareNotUsed
        self._alone = get_response
        self._framed = csp_replace({"frame-ancestors": settings.FRAME_ANCESTORS})(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if _is_never(request) and not _is_in_frame(request):
            response = self._alone(request)
        else:
            response = self._framed(request)
            del response["X-Frame-Options"]
        for name, cookie in response.cookies.items() if settings.HTTPS else ():
            response.cookies[name] = marked = _Partitioned()
            marked.set(cookie.key, cookie.value, cookie.coded_value)
            marked.update({**cookie, "samesite": "None", "secure": True})
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """Offer a window of its own where a page would stay blank in a frame."""
        if not (_is_never(request) and _is_in_frame(request)):
            return None
        shown = {"there": request.get_full_path()}
        return render(request, "accounts/window_of_its_own.html", shown)


def _is_never(request: HttpRequest) -> bool:
    return request.path_info.startswith(NEVER)


def _is_in_frame(request: HttpRequest) -> bool:
    return request.headers.get("Sec-Fetch-Dest") in ("iframe", "frame")
