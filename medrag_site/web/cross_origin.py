"""Let pages of other sites, those that a setting names, call the API from a browser (CORS)."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

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
