"""Answer an infobutton: the question page, filled in and not asked, or a feed of sections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.request import Request

from chat.api.guarded import Guarded, user_of
from chat.api.queries import passages_found, search_log
from chat.records.infobutton import ATOM, JSON, PAGE, Infobutton, InfobuttonFault, infobutton_of
from chat.records.terminology import name_of_code
from chat.web.views import page_context
from corpus.models import Document
from retrieval.types import NO_FILTERS, Hit

SECTIONS = 5  # of a feed
FACTS = {  # of a patient, that may be told as not known
    "age": gettext_lazy("age"),
    "kidney function": gettext_lazy("kidney function"),
    "weight": gettext_lazy("weight"),
    "pregnancy": gettext_lazy("pregnancy"),
    "conditions": gettext_lazy("conditions"),
    "allergies": gettext_lazy("allergies"),
    "medicines": gettext_lazy("medicines"),
}


@require_safe
@never_cache
def infobutton(request: HttpRequest) -> HttpResponseBase:
    """Show the question page with what the record says; a feed where the record asks for one."""
    if not settings.RECORD.infobutton:
        raise Http404
    try:
        asked = infobutton_of(request.GET.dict(), name_of_code)
    except InfobuttonFault as fault:
        return _fault(request, str(fault))
    if asked.form != PAGE:
        return _Feed.as_view()(request)
    if not request.user.is_authenticated:  # what was not read is in no address any more
        return redirect_to_login(infobutton_address(list(asked.read)))
    return _page(request, asked)


def _page(request: HttpRequest, asked: Infobutton) -> HttpResponse:
    context = page_context(request, None, question=asked.question)  # type: ignore[arg-type]
    context["record"] = [
        (fact.text, infobutton_address(asked.without(fact))) for fact in asked.facts
    ]
    return render(request, "chat/home.html", context)


def infobutton_address(parameters: list[tuple[str, str]]) -> str:
    return f"{reverse('infobutton')}?{urlencode(parameters)}"


def _fault(request: HttpRequest, said: str) -> HttpResponse:
    """Tell what is wrong, in the form that was asked for as far as that is known."""
    wanted = request.GET.get("knowledgeResponseType", "").lower()
    if "json" in wanted or "javascript" in wanted:
        return JsonResponse({"fault": said}, status=400)
    form = "xml" if "xml" in wanted else "html"
    media, page = ("application/xml" if form == "xml" else PAGE), f"chat/record/fault.{form}"
    return render(request, page, {"said": said}, media, status=400)


def sections_found(
    asked: Infobutton, reader: User, *, k: int
) -> tuple[list[tuple[Hit, str]], Mapping[str, Document]]:
    """Return hits, each with the sentence of a stop that holds, and their documents. Logs it.

    Raises IdentifiersSeen and QuestionError before anything is searched.
    """
    evidence, shown, kinds = passages_found(
        asked.question, reader=reader, k=k, collections=(), filters=NO_FILTERS, surroundings=False
    )
    search_log(reader, evidence, k=k, kinds=kinds)
    documents = Document.objects.select_related("collection").in_bulk(
        {hit.sha256 for hit in evidence.hits}, field_name="sha256"
    )
    stopped = (each["stopped"] or "" for each in shown)
    return list(zip(evidence.hits, stopped, strict=True)), documents


class _Feed(Guarded):
    """Give the best sections of guidelines in force, each with its owner, dates and link."""

    throttle_scope = "query"

    def get(self, request: Request) -> HttpResponse:
        asked = infobutton_of(request.GET.dict(), name_of_code)
        found, documents = sections_found(asked, user_of(request), k=SECTIONS)
        entries = [_entry(request, hit, documents[hit.sha256], stopped) for hit, stopped in found]
        title = f"{asked.name}: {asked.topic}" if asked.topic else asked.name
        return _as_json(title, entries) if asked.form == JSON else _as_atom(title, entries)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Take the form from `knowledgeResponseType`, whatever `Accept` says."""
        return super().perform_content_negotiation(request, force=True)


def _entry(request: Request, hit: Hit, document: Document, stopped: str) -> dict[str, Any]:
    """Return an item as Django's feeds take it."""
    since, until = document.effective_from, document.review_by
    dates = [
        gettext("in force from %(day)s") % {"day": since} if since else "",
        gettext("to be reviewed by %(day)s") % {"day": until} if until else "",
    ]
    place = reverse("chat:source", args=[hit.sha256, hit.page])
    return {
        "unique_id": f"urn:sha256:{hit.sha256}#page={hit.page}",
        "title": hit.title,
        "link": request.build_absolute_uri(place),
        "description": "; ".join(filter(None, (stopped, hit.section, hit.issuer, *dates))),
        "author_name": document.collection.owner_name or document.collection.name,
        "updateddate": document.published_at or timezone.now(),
    }


def _as_atom(title: str, entries: list[dict[str, Any]]) -> HttpResponse:
    feed = Atom1Feed(title, link="", description="")
    for each in entries:
        feed.add_item(**each)
    return HttpResponse(feed.writeString("utf-8"), ATOM)


def _as_json(title: str, entries: list[dict[str, Any]]) -> JsonResponse:
    """Return the feed as JSON, in which the text of an element is its `_value`."""
    entry = [
        {
            "id": {"_value": each["unique_id"]},
            "title": {"_value": each["title"]},
            "link": [{"rel": "alternate", "href": each["link"]}],
            "summary": {"type": "text", "_value": each["description"]},
            "author": [{"name": {"_value": each["author_name"]}}],
            "updated": {"_value": each["updateddate"].isoformat()},
        }
        for each in entries
    ]
    return JsonResponse({"feed": {"title": {"_value": title}, "entry": entry}})
