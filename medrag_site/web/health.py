"""Answer a load balancer: whether this process lives, and whether it can serve."""

from collections.abc import Callable

from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import resolve
from django.utils.log import log_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from medrag_site.database.restore_mark import is_unfinished
from medrag_site.web.model_loading import LOADING, OK, models

PATHS = ("/healthz", "/readyz")

Respond = Callable[[HttpRequest], HttpResponseBase]


def probes_first(get_response: Respond) -> Respond:
    """Answer probes before the host is checked: they call a process by its own address."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in PATHS:
            return get_response(request)
        request.resolver_match = resolve(request.path_info)
        response: HttpResponseBase = request.resolver_match.func(request)
        return response

    return respond


@require_safe
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """Return 200 always. Asks nothing else, so that a slow database restarts no process."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers and is not being restored, and models are loaded."""
    try:
        if is_unfinished():
            return JsonResponse({"status": "unavailable", "database": "restoring"}, status=503)
    except Error:
        return JsonResponse({"status": "unavailable", "database": "down"}, status=503)
    loading = models.state()
    is_ready = loading in ("", OK)
    told = {"status": "ok" if is_ready else "unavailable", "database": "ok"}
    if loading:
        told["models"] = loading
    response = JsonResponse(told, status=200 if is_ready else 503)
    if loading == LOADING:  # as at each start: no error
        log_response("Still loading.", response=response, request=request, level="info")
    return response
