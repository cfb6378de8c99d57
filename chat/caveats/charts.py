"""Tell of statements that are boxes of a flow chart, or a part of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import Q
from django.utils.text import capfirst
from django.utils.translation import ngettext

from chat.caveats.cautions import CHART, Caution
from chat.caveats.wording import statements_numbered
from chat.types import DraftClaim
from corpus.figures import NODE, unordered_spans
from corpus.models import Page


def chart_cautions(claims: Sequence[DraftClaim]) -> Iterator[Caution]:
    """Yield a caution on claims that quote boxes of a chart that branches. Runs one query.

    By the pages that are cited, whoever chose or wrote the claim.
    """
    cited = {(quote.hit.document_id, quote.page) for claim in claims for quote in claim.quotes}
    wanted = Q(pk__in=[])
    for document, page in cited:
        wanted |= Q(document=document, number=page)
    pages = Page.objects.filter(wanted, doubts__contains=[{"code": NODE}])
    charts = {
        (document, number): unordered_spans(blocks, doubts)
        for document, number, blocks, doubts in pages.values_list(
            "document", "number", "blocks", "doubts"
        )
    }
    numbers = tuple(
        number
        for number, claim in enumerate(claims, start=1)
        if any(
            quote.start < end and start < quote.end
            for quote in claim.quotes
            for start, end in charts.get((quote.hit.document_id, quote.page), ())
        )
    )
    if numbers:
        yield Caution(
            CHART,
            ngettext(
                "%(these)s is a box of a flow chart. What leads to it is in the picture: read that "
                "before acting.",
                "%(these)s are boxes of a flow chart. What leads to them is in the picture: read "
                "that before acting.",
                len(numbers),
            )
            % {"these": capfirst(statements_numbered(numbers))},
            numbers,
        )
