"""Read question sets."""

from __future__ import annotations

from django.db.models import Count, QuerySet

from evaluation.models import QuestionSet


def question_sets_listed() -> QuerySet[QuestionSet]:
    """Return question sets by name, each with its user and its number of questions, `how_many`."""
    sets = QuestionSet.objects.select_related("by").defer("notes")
    return sets.annotate(how_many=Count("questions"))
