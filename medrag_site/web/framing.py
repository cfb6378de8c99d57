"""Frames and other origins: which of the hospital's pages may embed the site or call its API."""

from __future__ import annotations

from collections.abc import Callable, Container
from http import HTTPStatus
from http.cookies import Morsel
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

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


API = ("/api/", "/v1/", "/cds-services")
METHODS = "GET, POST, PATCH, DELETE"
SENT = "*, Authorization"  # OpenAI's client sends a dozen headers; * covers all but this one
SHOWN = "Identifiers-Seen, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
PREFLIGHT_S = 600


class CrossOrigin:
    """Lets `cors_origins` of MEDRAG_API read the API's answers to their own token.

    Credentials are not allowed, so no cookie is taken from another site. For any other origin no
    CORS header is set, and its browser hides the answer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.CORS_ORIGINS or not request.path_info.startswith(API):
            return self._get_response(request)
        origin = request.headers.get("Origin", "")
        is_allowed = origin in settings.CORS_ORIGINS
        response: HttpResponseBase
        if is_allowed and _is_preflight(request):
            response = HttpResponse(status=HTTPStatus.NO_CONTENT)
            response["Access-Control-Allow-Methods"] = METHODS
            response["Access-Control-Allow-Headers"] = SENT
            response["Access-Control-Max-Age"] = str(PREFLIGHT_S)
        else:
            response = self._get_response(request)
        patch_vary_headers(response, ["Origin"])
        if is_allowed:
            response["Access-Control-Allow-Origin"] = origin
            response["Access-Control-Expose-Headers"] = SHOWN
        return response


def _is_preflight(request: HttpRequest) -> bool:
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
