"""Measure an answer by the concepts that it names, without a judge. Pure."""

from __future__ import annotations

from collections.abc import Collection

from evaluation.measures.claims import no_claim
from evaluation.measures.types import AnsweredItem, Scored, undefined
from evaluation.metrics.claims import concept_overlap
from retrieval.lexicon.concepts import Concepts

CONCEPT_MEASURES = ("concept_overlap",)
NO_CONCEPT = "no claim names a known concept"
NOT_READ = "no concepts were read"


def concept_scores(
    item: AnsweredItem, wanted: Collection[str], known: Concepts
) -> dict[str, Scored]:
    """Score an item by the wanted measures of `CONCEPT_MEASURES`; the quotes are the evidence."""
    value = concept_overlap(
        [known.of(claim.text) for claim in item.claims],
        [known.of("\n".join(claim.quotes)) for claim in item.claims],
    )
    why = no_claim(item) or NO_CONCEPT
    return dict.fromkeys(wanted, undefined(why) if value is None else Scored(value))
