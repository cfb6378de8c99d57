"""Show the progress of documents in words, updated without a reload."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.views.decorators.http import require_POST

from corpus.admin.pages import StaffRequest
from corpus.models import Document, JobState, Lifecycle, Stage
from corpus.selectors import Suggestion, predecessors_suggested, worker_is_alive
from corpus.staff_selectors import documents_for_staff, may_change, refuse_others_than_staff

MAX_POLLED = 500  # as many as one upload may hold
MAX_OFFERS = 20  # documents of one response for which likely predecessors are looked up

RUNNING_STEP = {
    Stage.STORED: "Reading",
    Stage.PARSED: "Cutting into passages",
    Stage.CHUNKED: "Encoding",
    Stage.EMBEDDED: "Indexing",
    Stage.INDEXED: "Finishing",
}
STEP_NAMES = {
    Stage.STORED: "stored",
    Stage.PARSED: "read",
    Stage.CHUNKED: "cut into passages",
    Stage.EMBEDDED: "encoded",
    Stage.INDEXED: "indexed",
}
_ORDER = tuple(STEP_NAMES)


@dataclass(frozen=True)
class Step:
    """A step of ingestion; `state` is done, now, failed or ahead."""

    name: str
    state: str


@dataclass(frozen=True)
class JobCell:
    """A job's state in a list: `text` such as `Encoding 32/120`.

    `error` is the reason of the last failure. `outlook` says whether a document that has been read
    is searched, and what is missing for that.
    """

    document: Document
    state: str
    text: str
    progress: float  # of the whole ingestion; 0 if none is running
    error: str
    is_active: bool
    can_read_again: bool
    can_discard: bool
    steps: tuple[Step, ...]
    outlook: str = ""
    offers: tuple[Suggestion, ...] = ()

    @classmethod
    def of(cls, document: Document, offers: Sequence[Suggestion] = ()) -> JobCell:
        job = document.job
        can_mend = job.state == JobState.FAILED and may_change(document)
        counted = job.state == JobState.RUNNING and job.total > 0
        text = "Read" if job.state == JobState.DONE else job.get_state_display()
        if job.state == JobState.RUNNING:
            text = RUNNING_STEP[Stage(job.stage)] + (f" {job.done}/{job.total}" if counted else "")
        return cls(
            document=document,
            state=job.state.lower(),
            text=text,
            progress=job.progress if job.state == JobState.RUNNING else 0.0,
            error="" if job.state == JobState.DONE else job.last_error,
            is_active=job.state in (JobState.PENDING, JobState.RUNNING),
            can_read_again=can_mend and job.may_be_repeated,
            can_discard=can_mend and document.lifecycle in (Lifecycle.DRAFT, Lifecycle.REVIEW),
            steps=_steps(Stage(job.stage), JobState(job.state)),
            outlook=_outlook(document) if job.state == JobState.DONE else "",
            offers=tuple(offers),
        )

    @property
    def is_to_publish(self) -> bool:
        """Whether only a check and approval are missing."""
        unpublished = self.document.lifecycle in (Lifecycle.DRAFT, Lifecycle.REVIEW)
        return self.state == "done" and unpublished


def job_cells(documents: Iterable[Document], *, with_offers: bool) -> list[JobCell]:
    """Return a cell for each document, with possible predecessors of a draft that has been read."""
    cells, looked_up = [], 0
    for document in documents:
        offers: Sequence[Suggestion] = ()
        if with_offers and looked_up < MAX_OFFERS and _is_new_and_read(document):
            offers = predecessors_suggested(document)
            looked_up += 1
        cells.append(JobCell.of(document, offers))
    return cells


@require_POST
def progress(request: StaffRequest) -> HttpResponse:
    """Return the states of `pk=...` as self-replacing fragments; `?offers` adds predecessors."""
    refuse_others_than_staff(request.user)
    wanted = [pk for pk in request.POST.getlist("pk")[:MAX_POLLED] if pk.isdecimal()]
    documents = documents_for_staff(request.user).filter(pk__in=wanted)
    cells = job_cells(documents, with_offers="offers" in request.GET)
    context = {
        "cells": cells,
        "is_active": any(cell.is_active for cell in cells),
        "with_offers": "offers" in request.GET,
        "worker_is_alive": worker_is_alive(),
    }
    return render(request, "admin/corpus/document/parts/_progress.html", context)


def _outlook(document: Document) -> str:
    state, first = document.lifecycle, document.effective_from
    if state == Lifecycle.REVIEW:
        return "Not yet searchable: in review"
    if state == Lifecycle.DRAFT:
        return "Not yet searchable"
    if state != Lifecycle.PUBLISHED:
        return "No longer searched"
    if document.indexed_at is None:
        return "Not searched at the moment"
    if first is not None and first > timezone.localdate():
        return f"Searched from {date_format(first, 'j M Y')}"
    return "Searched"


def _is_new_and_read(document: Document) -> bool:
    is_new = document.lifecycle in (Lifecycle.DRAFT, Lifecycle.REVIEW)
    return is_new and document.job.stage != Stage.STORED


def _steps(stage: Stage, state: JobState) -> tuple[Step, ...]:
    """Return all steps; the one after `stage` is running or failed."""
    finished = _ORDER.index(stage)
    at_next = {JobState.RUNNING: "now", JobState.FAILED: "failed"}.get(state, "ahead")
    states = ["done"] * (finished + 1) + [at_next] + ["ahead"] * len(_ORDER)
    return tuple(Step(STEP_NAMES[s], mark) for s, mark in zip(_ORDER, states, strict=False))
