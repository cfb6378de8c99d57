"""Pairs of questions and passages: from a file, or from a question set and the site's search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.contrib.auth.models import User
from django.utils import timezone

from bench.silver.teacher import Asked
from evaluation.datasets.reading import records_of, text_of
from evaluation.datasets.types import DatasetError
from evaluation.models import QuestionSet
from retrieval.pipeline import retrieve
from retrieval.types import Query

PASSAGES_A_QUESTION = 3  # the best that the search finds


def read_passages(path: Path) -> list[Asked]:
    """Read JSON lines `{"question", "passage"}`, in order, ignoring other keys.

    Raises DatasetError. The whole file is read before anything is asked.
    """
    if not path.is_file():
        raise DatasetError(f"--passages: there is no file {path}.")
    found = []
    for number, record in enumerate(records_of(path, "question", "passage"), start=1):
        place = f"{path.name}, record {number}"
        question, passage = (text_of(record[key], place) for key in ("question", "passage"))
        if not question.strip() or not passage.strip():
            raise DatasetError(f"{place}: question and passage must hold words.")
        found.append(Asked(question.strip(), passage))
    if not found:
        raise DatasetError(f"--passages: {path.name} holds no line.")
    return found


def found_passages(question_set: QuestionSet, *, asker: User | None) -> Iterator[Asked]:
    """Yield each question of the set with its best passages in force, searched when it is reached.

    Searches with the rights of `asker`, or of nobody. Follow-up questions are left out, because
    they need the question before them. Raises MedragError where nothing can be searched.
    """
    reader = asker.pk if asker else None
    for question in question_set.questions.filter(before=[]):
        query = Query(question.question, on=timezone.localdate(), reader=reader)
        for hit in retrieve(query).hits[:PASSAGES_A_QUESTION]:
            yield Asked(question.question, hit.text)
