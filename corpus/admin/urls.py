"""Name the addresses of the pages about documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path

from corpus.admin import decisions, review
from corpus.admin import near_duplicates as twins
from corpus.admin import upload as uploads
from corpus.admin.progress import progress
from corpus.admin.reading import corrections, queue, repairs
from corpus.admin.reading import passages as reading

_PAGES: dict[str, tuple[str, Callable[..., HttpResponseBase]]] = {
    "progress": ("progress/", progress),
    "upload_one": ("add/one/", uploads.upload_one),
    "stale": ("stale/", twins.stale),
    "twins": ("near-duplicates/", twins.near_duplicates),
    "doubted": ("doubted/", queue.doubted),
    "doubted_page": ("<int:pk>/doubted/<int:number>/", queue.doubted_page),
    "look": ("<int:pk>/doubted/<int:number>/look/", queue.look),
    "look_again": ("<int:pk>/doubted/<int:number>/look-again/", queue.look_again),
    "read": ("<int:pk>/read/<int:number>/", reading.read),
    "correct": ("<int:pk>/read/<int:number>/correct/<str:key>/", corrections.correct),
    "repair": ("<int:pk>/read/<int:number>/repair/<int:block>/", repairs.repair),
    "take_back": ("<int:pk>/corrections/<int:correction>/take-back/", corrections.take_back),
    "picture": ("<int:pk>/picture/<int:number>/", reading.picture),
    "original": ("<int:pk>/original/", reading.original),
    "disable": ("<int:pk>/passages/<int:index>/disable/", reading.disable),
    "enable": ("<int:pk>/passages/<int:index>/enable/", reading.enable),
    "approve": ("<int:pk>/approve/", review.approve),
    "take_offers": ("<int:pk>/offers/", review.take_offers),
    "supersede": ("<int:pk>/supersede/", review.supersede),
    "compare": ("<int:pk>/compare/<int:other>/", review.compare_versions),
    "recall": ("<int:pk>/recall/", review.recall),
    "recall_csv": ("<int:pk>/recall.csv", review.recall_csv),
    "step": ("<int:pk>/step/<slug:action>/", decisions.step),
}


def document_urls(view: Callable[..., Any]) -> list[URLPattern]:
    """Return the addresses, each page wrapped in the administration's `view`."""
    return [
        path(route, view(page), name=f"corpus_document_{name}")
        for name, (route, page) in _PAGES.items()
    ]
