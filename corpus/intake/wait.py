"""Wait for documents to be indexed or to fail, showing their progress."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Protocol

from django.conf import settings
from django.core.management.base import CommandError

from core.progress import Progress
from corpus import selectors
from corpus.indexing.jobs import STEP_NAMES
from corpus.intake.waiting import Publication, doubts_counted, left_named
from corpus.models import Document, Job, JobState, Lifecycle, Stage

POLL_S = 0.5
LONG_POLL_S = 2.0  # of thousands of documents
STOP_LIMIT_S = 25.0
NAME_CHARS = 30


class Writer(Protocol):
    """A command's output stream, which adds line ends itself."""

    def write(self, msg: str) -> None: ...


def follow(document_ids: Sequence[int]) -> None:
    """Return when every job of these documents has ended.

    Starts a worker where none is alive, and stops it afterwards. Raises CommandError.
    """
    worker: subprocess.Popen[bytes] | None = None
    try:
        with Progress("Indexing", len(document_ids)) as progress:
            while not _show(progress, document_ids):
                if worker is None and not selectors.worker_is_alive():
                    # In a session of its own: Ctrl-C reaches it through us. It stops after us.
                    worker = subprocess.Popen(
                        [sys.executable, "manage.py", "worker"],
                        cwd=settings.BASE_DIR,
                        env={**os.environ, "MEDRAG_PARENT_PID": str(os.getpid())},
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                if worker is not None and worker.poll() is not None:
                    raise CommandError(
                        f"The worker ended by itself with status {worker.returncode}. Nothing is "
                        "lost: what is queued stays queued. Run manage.py doctor to see what is "
                        "wrong."
                    )
                time.sleep(POLL_S if len(document_ids) < 1000 else LONG_POLL_S)
    finally:
        if worker is not None:
            worker.terminate()
            try:
                worker.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                worker.kill()  # the kernel ends its children with it
                worker.wait()


def list_failures(document_ids: Sequence[int], stream: Writer) -> int:
    """Write a line for each of these documents that failed; return their number. Runs one query."""
    jobs = Job.objects.filter(document_id__in=list(document_ids), state=JobState.FAILED)
    for job in jobs.select_related("document"):
        stream.write(f"{job.document.filename}: {job.last_error}")
    return len(jobs)


def list_held_back(document_ids: Sequence[int], stream: Writer, *, most: int | None = None) -> None:
    """Write which of these documents were left in review for values in doubt, and all doubts.

    At most `most` are named, with how many more there are.
    """
    waiting = Document.objects.filter(pk__in=list(document_ids), lifecycle=Lifecycle.REVIEW)
    held = [(d.filename, why) for d in waiting.order_by("filename") if (why := left_named(d))]
    for filename, why in held[:most]:
        stream.write(f"Left in review: {filename}: {why}.")
    if most is not None and len(held) > most:
        stream.write(f"and {len(held) - most} more left in review")
    if held:
        stream.write(
            f"{len(held)} left in review: open “Check and publish” in the administration, or see "
            "manage.py publish --help."
        )
    if document_ids:
        stream.write(f"Doubts: {doubts_counted(document_ids)}.")


def report_publication(outcome: Publication, stream: Writer, *, dry_run: bool) -> None:
    """Write how many waiting documents were published, and which are left and why."""
    for document, sentence in outcome.left.items():
        why = left_named(document)
        stream.write(f"Left in review: {document.filename}: {f'{why}. ' if why else ''}{sentence}")
    would = "would be " if dry_run else ""
    left = [document.pk for document in outcome.left]
    doubts = f" Their doubts: {doubts_counted(left)}." if left else ""
    stream.write(
        f"{len(outcome.published)} {would}published, {len(left)} left in review.{doubts}"
        f"{' Nothing was written.' if dry_run else ''}"
    )


def _show(progress: Progress, document_ids: Sequence[int]) -> bool:
    """Show the state of the jobs; tell whether all have ended. Runs two queries at most."""
    jobs = selectors.jobs_progress(document_ids)
    has_ended = jobs.ended == jobs.total
    notes = [f"{jobs.failed} failed"] if jobs.failed else []
    if not has_ended and (job := selectors.jobs_running(document_ids).first()):
        name = job.document.filename
        name = name if len(name) <= NAME_CHARS else name[: NAME_CHARS - 1] + "…"
        units = f" {job.done}/{job.total}" if job.total else ""
        notes.append(f"{name} is being {STEP_NAMES[Stage(job.stage)]}{units}")
    elif not has_ended:
        notes.append("waiting for the worker")
    progress.at(jobs.ended, note=", ".join(notes))
    return has_ended
