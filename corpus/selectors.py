"""Read the corpus, for other apps."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Collection, Container, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db.models import (
    Count,
    DurationField,
    Exists,
    ExpressionWrapper,
    Min,
    OuterRef,
    Q,
    QuerySet,
)
from django.db.models.functions import Now
from django.utils import timezone

from corpus import signals
from corpus.access import collections_searchable
from corpus.boxes import Blocks, Span
from corpus.encoders.registry import encoder_facts
from corpus.indexing.recipe import fingerprint_in_sql, is_read_otherwise, site_recipe
from corpus.models import (
    Chunk,
    Document,
    Job,
    JobState,
    Lifecycle,
    Page,
    SourceFile,
    WorkerHeartbeat,
)
from corpus.parsing.doubts.grades import Grade
from corpus.positions import SECTIONS, below_title, place_words
from corpus.review.doubted import has_doubt
from corpus.review.versions import text_similarity, title_similarity, title_words
from corpus.types import CitingAnswer

if TYPE_CHECKING:
    from typing import TypedDict

    from django_stubs_ext import WithAnnotations

    class _Staleness(TypedDict):
        must_be_read: bool

    StaleDocument = WithAnnotations[Document, _Staleness]

WORKER_FRESH_S = 20.0
SUGGESTED = 5  # predecessors
TEXT_NEAR = 0.2  # share of word shingles in common from which a document may be a version
TITLE_NEAR = 0.6  # share of the title's words
SAME_PLACE = "it stands at the same place of the source"


def blocks_without_pages(documents: Iterable[int]) -> dict[int, Blocks]:
    """Return the blocks of those documents (ids) that have no real pages. Runs one query.

    Slides, sheets and pages have a number that says where to look; a document with neither geometry
    nor a second page has positions in its sections.
    """
    pages = Page.objects.filter(document__in=documents, document__page_count=1, width=0)
    return dict(pages.values_list("document_id", "blocks"))


def places_without_pages(keys: Iterable[str]) -> dict[str, str]:
    """Return `Dosing, paragraph 12` by key of passage, for documents that have no real pages.

    Runs one query. A passage that is gone has no entry.
    """
    chunks = Chunk.objects.filter(key__in=list(keys)).exclude(position="")
    rows = chunks.values_list("key", "section_path", "position", "document__title")
    return {
        key: place_words(0, below_title(SECTIONS.join(path), title), position)
        for key, path, position, title in rows
    }


def documents_by_sha256(digests: Iterable[str]) -> dict[str, Document]:
    """Return the existing documents with these hashes. Runs one query."""
    documents = Document.objects.filter(sha256__in=list(digests))
    return {document.sha256: document for document in documents}


def documents_stale() -> QuerySet[StaleDocument]:
    """Return documents that would be read or cut differently today, by id.

    `must_be_read` is true where the file has to be parsed again; else cutting and encoding are
    enough. Waiting and failed documents are left out. Runs one query now and one when evaluated;
    loads no weights.
    """
    made_by = Document.objects.order_by().values_list("media_type", "read_with", "engine")
    outdated = Q(pk__in=[])
    for media_type, read_with, engine in made_by.distinct():
        if is_read_otherwise(engine, media_type=media_type, read_with=read_with):
            outdated |= Q(media_type=media_type, read_with=read_with, engine=engine)
    done = Exists(Job.objects.filter(document=OuterRef("pk"), state=JobState.DONE))
    current = Q(index_fingerprint=fingerprint_in_sql(site_recipe(encoder_facts())))
    stale = Document.objects.filter(done).filter(outdated | ~current)
    return stale.annotate(must_be_read=outdated).order_by("pk")


@dataclass(frozen=True)
class Suggestion:
    """A published document that another may be a new version of. `why` is for people."""

    document: Document
    score: float  # [0, 1], higher is likelier
    why: str


def predecessors_suggested(document: Document) -> list[Suggestion]:
    """Return up to five likely predecessors: own collection first, then by likelihood, then id.

    Of other collections only those that everybody may search, so that a suggestion reveals nothing
    closed. What stands at the same place of a watched source is before all others. A document for
    another population never exceeds an even chance. Runs three queries.
    """
    open_to_all = collections_searchable(None).order_by().values("pk")
    collections = Q(collection=document.collection_id) | Q(collection__in=open_to_all)
    published = Document.objects.filter(collections, lifecycle=Lifecycle.PUBLISHED)
    others = published.exclude(pk=document.pk).order_by("pk")
    words = title_words(document.title)
    places = SourceFile.objects.filter(documents=OuterRef("pk")).filter(documents=document)
    rows = list(others.annotate(at=Exists(places)).values_list("pk", "title", "at"))
    same_place = {pk for pk, _, is_at_place in rows if is_at_place}
    near = same_place | {pk for pk, title, _ in rows if words & title_words(title)}
    if document.signature:
        alike = others.filter(signature__overlap=document.signature)
        near |= set(alike.values_list("pk", flat=True))
    candidates = others.filter(pk__in=near).select_related("collection")
    rated = [_suggestion(document, old, same_place=same_place) for old in candidates]
    suggested = [suggestion for suggestion in rated if suggestion]
    home = document.collection_id
    suggested.sort(
        key=lambda s: (
            s.document.pk not in same_place,
            s.document.collection_id != home,
            -s.score,
            s.document.pk,
        )
    )
    return suggested[:SUGGESTED]


def _suggestion(
    document: Document, old: Document, *, same_place: Container[int]
) -> Suggestion | None:
    text = text_similarity(document.signature, old.signature)
    title = title_similarity(document.title, old.title)
    is_at_place = old.pk in same_place
    if text < TEXT_NEAR and title < TITLE_NEAR and not is_at_place:
        return None
    score = 0.6 * max(text, title) + 0.4 * min(text, title)
    reasons = [SAME_PLACE] if is_at_place else []
    if title >= TITLE_NEAR:
        reasons.append("the same title" if title == 1 else "a title like this one's")
    if text >= TEXT_NEAR:
        reasons.append(f"{text:.0%} of the wording in common")
    populations = {p.strip().casefold() for p in (document.population, old.population) if p.strip()}
    if len(populations) > 1:
        score = min(score, 0.5)
        reasons.append("but for another population")
    return Suggestion(old, round(score, 4), ", ".join(reasons))


def waits_for(document: Document, other: Document) -> bool:
    """Tell whether `other` is to supersede a document, or what is to supersede that, and so on."""
    waiting: int | None = document.pk
    seen: set[int] = set()
    while waiting is not None and waiting != other.pk and waiting not in seen:
        seen.add(waiting)
        row = Document.objects.filter(pk=waiting)
        waiting = row.values_list("to_be_superseded_by", flat=True).get()
    return waiting == other.pk


def answers_citing(document: Document, *, reader: User | None = None) -> list[CitingAnswer]:
    """Return past answers that cited the document, newest first: the recall list.

    With the statements that `reader` may read. They come from the receivers of the signal of this
    name. Raises rather than return an empty list in error: that would say that nobody has to be
    told.
    """
    given: Any = signals.answers_citing.send(Document, document=document, reader=reader)
    answers: list[CitingAnswer] = [answer for _, answers in given for answer in answers]
    return sorted(answers, key=lambda answer: (answer.asked_at, answer.reference), reverse=True)


@dataclass(frozen=True)
class Progress:
    """The number of jobs in each state."""

    pending: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0

    @property
    def ended(self) -> int:
        return self.done + self.failed

    @property
    def total(self) -> int:
        return self.pending + self.running + self.ended


def jobs_progress(document_ids: Iterable[int]) -> Progress:
    """Count the jobs of these documents by state. Runs one query."""
    jobs = Job.objects.filter(document_id__in=list(document_ids))
    return Progress(**{state.lower(): count for state, count in _counted(jobs, "state").items()})


def jobs_running(document_ids: Iterable[int]) -> QuerySet[Job]:
    """Return the running jobs of these documents, oldest first, with their documents."""
    running = Job.objects.filter(state=JobState.RUNNING, document_id__in=list(document_ids))
    return running.select_related("document").order_by("started_at")


def jobs_counted() -> dict[str, int]:
    """Count all jobs by state. Runs one query."""
    return _counted(Job.objects.all(), "state")


def jobs_open() -> int:
    """Count the documents that are being read or wait for it. Runs one query."""
    return Job.objects.filter(state__in=[JobState.PENDING, JobState.RUNNING]).count()


@dataclass(frozen=True)
class Unsearched:
    """How many documents are published, and how many of them no question finds yet."""

    published: int
    missing: int


def documents_published_unsearched() -> Unsearched:
    """Count published documents, and those without an index. Runs one query."""
    published = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)
    lacking = Count("pk", filter=Q(indexed_at=None))
    return Unsearched(**published.aggregate(published=Count("pk"), missing=lacking))


def jobs_failed_counted() -> dict[str, int]:
    """Count failed documents by error code. Runs one query."""
    return _counted(Job.objects.filter(state=JobState.FAILED), "error_code")


def _counted(jobs: QuerySet[Job], field: str) -> dict[str, int]:
    return dict(jobs.order_by(field).values_list(field).annotate(Count("pk")))


def jobs_waiting_s() -> float:
    """Return how many seconds the oldest job has waited; 0 for none. Runs one query."""
    waiting = Job.objects.filter(state=JobState.PENDING)
    age = ExpressionWrapper(Now() - Min("enqueued_at"), DurationField())
    waits = waiting.aggregate(waits=age)["waits"]
    return 0.0 if waits is None else max(float(waits.total_seconds()), 0.0)


def worker_age_s() -> float | None:
    """Return the seconds since the last heartbeat of a worker; None for none. Runs one query."""
    latest = WorkerHeartbeat.objects.order_by("-seen_at").annotate(now=Now()).first()
    if latest is None:
        return None
    now = getattr(latest, "now", timezone.now())
    return float(max((now - latest.seen_at).total_seconds(), 0.0))


def worker_is_alive() -> bool:
    age_s = worker_age_s()
    return age_s is not None and age_s <= WORKER_FRESH_S


def workers_alive() -> QuerySet[WorkerHeartbeat]:
    """Return the workers that reported lately, by name."""
    fresh = Now() - datetime.timedelta(seconds=WORKER_FRESH_S)
    return WorkerHeartbeat.objects.filter(seen_at__gte=fresh).order_by("name")


def worker_faults() -> list[str]:
    """Return sentences for staff on what live workers can't do, each once. Runs one query."""
    faults = [fault for worker in workers_alive() for fault in worker.detail.get("faults", ())]
    return list(dict.fromkeys(faults))


def spans_withheld(documents: Collection[int]) -> dict[tuple[int, int], list[Span]]:
    """Return the spans of values in doubt that nobody has looked at, by document and page number.

    The whole page for a doubt without a span. Runs one query.
    """
    pages = Page.objects.filter(has_doubt(Grade.VALUE), document__in=documents, looked=False)
    whole = (0, sys.maxsize)
    return {
        (document, number): [
            (doubt["start"], doubt["end"]) if doubt["start"] < doubt["end"] else whole
            for doubt in doubts
            if doubt.get("grade", Grade.VALUE) == Grade.VALUE
        ]
        for document, number, doubts in pages.values_list("document", "number", "doubts")
    }
