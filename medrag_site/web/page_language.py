"""Show the clinicians' pages in the browser's language, where the site answers in it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

ENGLISH = ("/admin/", "/api/", "/v1/", "/scim/", "/mcp", "/metrics")  # for staff and programs


class PageLanguage:
    """Activates the language of a request's page: German for a German browser, else English.

    German only where `MEDRAG_LANGUAGES` names it. What the page does in another language, such as
    the cautions that are stored with a turn, is in that language, too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        has_choice = "de" in settings.ANSWER_LANGUAGES
        if not has_choice or request.path_info.startswith(ENGLISH):
            return self._get_response(request)
        with translation.override(translation.get_language_from_request(request)):
            response = self._get_response(request)
        patch_vary_headers(response, ["Accept-Language"])
        return response
