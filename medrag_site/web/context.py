"""What every page shows of this deployment."""

from django.conf import settings
from django.http import HttpRequest

from medrag_site.release import release
from medrag_site.request_log import request_id


def deployment(request: HttpRequest) -> dict[str, str]:
    """Return the badge of the header: a test system must not look like the real one."""
    return {"site_label": settings.SITE_LABEL, "release": release(), "request_id": request_id()}
