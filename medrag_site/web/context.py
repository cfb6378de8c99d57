"""Add the names of this deployment to every page."""

from django.conf import settings
from django.http import HttpRequest

from medrag_site.release import release
from medrag_site.request_log import request_id


def deployment(request: HttpRequest) -> dict[str, str]:
    """Return the site's label, so that a test system does not look like the real one.

    The release and the request's id are returned too.
    """
    return {"site_label": settings.SITE_LABEL, "release": release(), "request_id": request_id()}
