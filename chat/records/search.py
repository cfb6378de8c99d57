"""Search the guidelines for what an infobutton asks."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from chat.api.queries import passages_found, search_log
from chat.records.infobutton import Infobutton
from corpus.models import Document
from retrieval.types import NO_FILTERS, Hit

FACTS = {  # of a patient, that may be told as not known
    "age": gettext_lazy("age"),
    "kidney function": gettext_lazy("kidney function"),
    "weight": gettext_lazy("weight"),
    "pregnancy": gettext_lazy("pregnancy"),
    "conditions": gettext_lazy("conditions"),
    "allergies": gettext_lazy("allergies"),
    "medicines": gettext_lazy("medicines"),
}


def sections_found(
    asked: Infobutton, reader: User, *, k: int
) -> tuple[list[tuple[Hit, str]], Mapping[str, Document]]:
    """Return hits, each with the sentence of a stop that holds, and their documents; log it.

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
