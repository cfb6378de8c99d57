"""Serve the tools at `/mcp` of the site, to programs that send a token with each call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import httpx
from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from chat.api.guarded import Guarded
from chat.api.requests import OF_A_TOOL, ApiToken
from chat.sign_in.access_tokens import SCOPES

if TYPE_CHECKING:
    from starlette.applications import Starlette

PATH = "/mcp"
_MADE_ANEW = ("Content-Length", "Transfer-Encoding")


class McpToken(ApiToken):
    """A token of the API, or one of the provider; without it, clients learn where to get one."""

    def authenticate(self, request: Request) -> object:
        request._request.META[OF_A_TOOL] = True
        return super().authenticate(request)

    def authenticate_header(self, request: Request) -> str:
        if not settings.OIDC_AUDIENCE:
            return "Bearer"
        address = request.build_absolute_uri(reverse("mcp_metadata"))
        return f'Bearer resource_metadata="{address}", scope="{" ".join(SCOPES)}"'


@extend_schema(exclude=True)
class McpView(Guarded):
    """Admits any valid token, and passes the message on; scope and rate are each tool's."""

    authentication_classes = [McpToken]
    throttle_classes = []
    scope_to_write = ""

    def post(self, request: Request) -> HttpResponse:
        from chat.mcp.server import Caller, http_application, mcp_server  # late: it takes seconds

        site = request.build_absolute_uri("/")
        caller = Caller(site, request.headers, request.META.get("REMOTE_ADDR", ""))
        host = request.get_host()  # Django has checked it
        served = http_application(mcp_server(lambda context: caller, in_view=True), [host])
        answer = async_to_sync(_sent)(served, request, json.dumps(request.data))
        kind = answer.headers.get("Content-Type")
        return HttpResponse(answer.content, status=answer.status_code, content_type=kind)


async def _sent(application: Starlette, request: Request, body: str) -> httpx.Response:
    headers = [
        (name.encode(), value.encode("latin-1"))
        for name, value in request.headers.items()
        if name not in _MADE_ANEW
    ]
    transport = httpx.ASGITransport(application)
    async with (
        application.router.lifespan_context(application),
        httpx.AsyncClient(transport=transport) as client,
    ):
        address = request.build_absolute_uri(PATH)
        return await client.post(address, content=body, headers=headers)


@require_safe
def resource_metadata(request: HttpRequest) -> JsonResponse:
    """Tell clients where to get an access token (RFC 9728); nothing if none is accepted."""
    if not settings.OIDC_AUDIENCE:
        raise Http404
    return JsonResponse(
        {
            "resource": request.build_absolute_uri(PATH),
            "authorization_servers": [settings.OIDC_ISSUER],
            "scopes_supported": [str(scope) for scope in SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "MedRAG",
        }
    )
