"""Pages and passages over the API: passages for staff, cited pages for anyone who may read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from PIL import Image, ImageDraw
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from chat.api import examples
from chat.api.documents.guarded import OfDocuments
from chat.api.documents.serializers import PaintedRequest, StoredPage, StoredPassage
from chat.api.documents.views import FORBIDDEN
from chat.api.guarded import NOT_FOUND, problems, record_read, user_of, valid
from chat.api.pages import InReadingOrder, Listed, PageRequest
from chat.caveats.notices import document_notices
from chat.models import Scope
from chat.selectors import access_citation, access_document, access_page
from chat.web.painting import paint, show
from chat.web.sources import Marks, marks_of_chunk, marks_of_citation
from corpus.access import readable_ids
from corpus.models import Page
from corpus.review.pictures import has_picture, open_picture
from corpus.staff_selectors import access_document_of_staff
from corpus.stops import stops_held

PNG = "image/png"
CITED, BESIDE = (255, 208, 0, 96), (255, 208, 0, 40)  # RGBA: cited text, the claim's other quotes


class PngRenderer(BaseRenderer):
    """Sends a picture unchanged; a problem as JSON, with its own media type."""

    media_type = PNG
    format = "png"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return data if isinstance(data, bytes) else json.dumps(data).encode()


class PassagesView(OfDocuments, Listed):
    serializer_class = StoredPassage
    pagination_class = InReadingOrder

    @extend_schema(
        operation_id="document_passages",
        summary="Read the passages of a document",
        description="In reading order; for staff.",
        parameters=[PageRequest],
        responses={200: StoredPassage(many=True), **problems(400, *FORBIDDEN, *NOT_FOUND)},
        examples=examples.of("PASSAGES", "FORBIDDEN", "PROBLEMS"),
    )
    def get(self, request: Request, sha256: str) -> Response:
        document = access_document_of_staff(user_of(request), sha256=sha256)
        self.asked()
        passages = document.chunks.defer("search_vector")
        return self.paged(passages, "document_passages", subject=f"document:{document.pk}")


class PageView(OfDocuments):
    scope_to_read = str(Scope.READ)

    @extend_schema(
        operation_id="document_page",
        summary="Read a page of a guideline",
        description="The page that a citation links to, for everybody who may search the "
        "collection or works in it. `citation` or `chunk` selects the words to "
        "highlight.",
        parameters=[PaintedRequest],
        responses={200: StoredPage, **problems(400, *NOT_FOUND)},
        examples=examples.of("PAGE", "NOT_FOUND", "PROBLEMS"),
    )
    def get(self, request: Request, sha256: str, number: int) -> Response:
        user = user_of(request)
        document = access_document(user, sha256=sha256)
        page = access_page(document, number=number)
        notices = document_notices(
            document,
            on=timezone.localdate(),
            stops=stops_held(),
            readable=readable_ids(user),
        )
        marks = _marks(request, page)
        query = f"?{parameters}" if (parameters := request.query_params.urlencode()) else ""
        address = reverse("api:picture", args=[sha256, number]) + query
        fields = {
            "document": document.title,
            "version": document.version,
            "sha256": document.sha256,
            "number": page.number,
            "page_label": page.label or None,
            "text": page.text,
            "notices": notices,
            "html": render_to_string(
                "chat/page/_page_text.html",
                {"blocks": show(page.text, page.blocks, [*marks.main, *marks.also])},
            ),
            "picture": request.build_absolute_uri(address) if has_picture(document, page) else None,
        }
        record_read(user, "document_page", subject=f"document:{document.pk}", page=number)
        return Response(StoredPage(fields).data)


class PictureView(OfDocuments):
    scope_to_read = str(Scope.READ)
    renderer_classes = [PngRenderer]

    @extend_schema(
        operation_id="document_page_picture",
        summary="Read the picture of a page",
        description="The picture, with the words of `citation` or `chunk` highlighted. Status "
        "404 if there is none, as for a document without pages.",
        parameters=[PaintedRequest],
        responses={(200, PNG): OpenApiTypes.BINARY, **problems(400, *NOT_FOUND)},
        examples=examples.of("NOT_FOUND", "PROBLEMS"),
    )
    def get(self, request: Request, sha256: str, number: int) -> Response:
        user = user_of(request)
        document = access_document(user, sha256=sha256)
        page = access_page(document, number=number)
        if not has_picture(document, page):
            raise Http404
        marks = _marks(request, page)
        with open_picture(document, number) as kept, Image.open(kept) as picture:
            made = BytesIO()
            _painted(picture, page, marks).save(made, "PNG")
        record_read(user, "document_page_picture", subject=f"document:{document.pk}", page=number)
        return Response(made.getvalue(), content_type=PNG)


def _marks(request: Request, page: Page) -> Marks:
    """Find what to paint. Raises Http404 for a citation of another page or another person's."""
    parameters = valid(PaintedRequest(data=request.query_params.dict()))
    if "citation" not in parameters:
        return marks_of_chunk(parameters.get("chunk", ""), page)
    cited = access_citation(user_of(request), pk=parameters["citation"])
    if (cited.sha256, cited.page) != (page.document.sha256, page.number):
        raise Http404
    return marks_of_citation(cited, page)


def _painted(picture: Image.Image, page: Page, marks: Marks) -> Image.Image:
    """Paint rectangles over a page's picture of any size."""
    across, down = picture.width / page.width, picture.height / page.height
    layer = Image.new("RGBA", picture.size)
    draw = ImageDraw.Draw(layer)
    for spans, colour in ((marks.also, BESIDE), (marks.main, CITED)):
        for rect in paint(page.blocks, spans):
            x, y = float(rect.x), float(rect.y)
            right, bottom = x + float(rect.width), y + float(rect.height)
            box = (x * across, y * down, right * across, bottom * down)
            draw.rectangle(box, fill=colour)
    return Image.alpha_composite(picture.convert("RGBA"), layer).convert("RGB")
