"""Answer a load balancer: whether this process lives, and whether it can serve."""

from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from medrag_site.database.restore_mark import is_unfinished


@require_safe
@never_cache
def live(request: HttpRequest) -> JsonResponse:
    """Return 200 always. Asks nothing else, so that a slow database restarts no process."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers and is not being restored, else 503."""
    try:
        if is_unfinished():
            return JsonResponse({"status": "unavailable", "database": "restoring"}, status=503)
    except Error:
        return JsonResponse({"status": "unavailable", "database": "down"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})
