"""The API's own description, and what stands where there is no operation."""

from __future__ import annotations

from typing import Any

from django.views.generic import TemplateView
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView


@extend_schema(exclude=True)
class SchemaView(SpectacularAPIView):
    """The API's description (OpenAPI 3), open to all: it holds nothing of the hospital's."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class DocsView(TemplateView):
    """The description to read and to try, from installed files: no other server is asked."""

    template_name = "api/docs.html"


@extend_schema(exclude=True)
class UnknownPath(APIView):
    """A path of the API that is not there, in the API's own form."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound("There is nothing at this path.")
