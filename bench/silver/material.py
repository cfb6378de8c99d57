"""What a teacher is shown: statements of documents in force, or answers beside their evidence.

In the form of a row without claims. An answer is under `answer`, its question under `question`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from chat.models import Channel, Claim, ClaimKind, TurnStatus
from corpus.access import collections_searchable
from corpus.models import Document, Lifecycle, PassageStatement
from evaluation.models import QuestionSet
from retrieval.pipeline import retrieve
from retrieval.types import Query

AROUND = 3  # statements before and after
Row = dict[str, Any]


def of_documents(asker: User | None, *, seed: int) -> Iterator[Row]:
    """Yield each statement of the documents in force that `asker` may search, by the seed."""
    rows = PassageStatement.objects.filter(
        chunk__document__in=_in_force(asker), chunk__disabled_at=None
    )
    named = rows.values_list("pk", "chunk__key", "index", "text")
    drawn = {text: (_drawn(seed, key, index), pk) for pk, key, index, text in named}
    for _, pk in sorted(drawn.values()):  # a text that several passages share once
        row = rows.select_related("chunk__document").get(pk=pk)
        chunk, all_texts = row.chunk, [each.text for each in row.chunk.statements.all()]
        yield _row(
            f"{chunk.key}-{row.index}", chunk.document.sha256, chunk.document.title,
            " > ".join(chunk.section_path), row.text, p=chunk.index, s=row.index,
            before=all_texts[max(0, row.index - AROUND) : row.index],
            after=all_texts[row.index + 1 :][:AROUND],
        )  # fmt: skip


def of_turns(asker: User | None, *, seed: int) -> Iterator[Row]:
    """Yield the claims of stored answers beside what they cite, by the seed.

    Without those whose text was removed or whose source is no longer in force, and without
    evaluations.
    """
    claims = Claim.objects.filter(
        kind=ClaimKind.ANSWER, turn__status=TurnStatus.ANSWERED, turn__text_removed_at=None
    ).exclude(turn__channel=Channel.EVALUATION)
    in_force = set(_in_force(asker).values_list("pk", flat=True))
    named = claims.values_list("pk", flat=True)
    for pk in sorted(named, key=lambda pk: _drawn(seed, "claim", pk)):
        claim = claims.select_related("turn").get(pk=pk)
        cited = list(claim.citations.all())
        if cited and all(each.document_id in in_force for each in cited):
            quotes = "\n".join(dict.fromkeys(each.quote for each in cited))
            yield _row(
                f"claim-{pk}", cited[0].sha256, cited[0].title, cited[0].section, quotes,
                answer=claim.text, question=claim.turn.question,
            )  # fmt: skip


def of_questions(question_set: QuestionSet, asker: User | None, *, seed: int) -> Iterator[Row]:
    """Yield a set's gold answers beside the best passage that the site finds, by the seed."""
    asked = question_set.questions.exclude(gold_answer="").filter(before=[])
    for each in sorted(asked, key=lambda question: _drawn(seed, "question", question.pk)):
        query = Query(each.question, on=timezone.localdate(), reader=asker.pk if asker else None)
        for hit in retrieve(query).hits[:1]:
            yield _row(
                f"question-{each.pk}", hit.sha256, hit.title, " > ".join(hit.section_path),
                hit.text, p=hit.index, answer=each.gold_answer, question=each.question,
            )  # fmt: skip


def _row(name: str, doc: str, title: str, heading: str, statement: str, **more: Any) -> Row:
    row = {"doc": doc, "title": title, "heading": heading, "before": [], "statement": statement}
    return row | {"after": [], "p": 0, "s": 0, "id": name} | more


def _in_force(asker: User | None) -> QuerySet[Document]:
    published = Document.objects.filter(
        lifecycle=Lifecycle.PUBLISHED, collection__in=collections_searchable(asker)
    ).exclude(indexed_at=None)
    return published.exclude(effective_from__gt=timezone.localdate())


def _drawn(seed: int, *name: object) -> str:
    return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()
