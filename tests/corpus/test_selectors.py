"""Test the progress of the jobs of all documents, or of some."""

import pytest

from corpus.models import Job, JobState
from corpus.selectors import Progress, jobs_progress
from tests.corpus.documents import guideline, ingest

pytestmark = pytest.mark.django_db


def test_jobs_are_counted_by_state_of_all_documents_or_of_these() -> None:
    states = [JobState.PENDING, JobState.PENDING, JobState.RUNNING, JobState.DONE, JobState.FAILED]
    documents = [ingest(guideline(f"# Number {n}")).pk for n, _ in enumerate(states)]
    for document, state in zip(documents, states, strict=True):
        Job.objects.filter(document=document).update(state=state)
    everything = jobs_progress(documents)
    assert everything == Progress(pending=2, running=1, done=1, failed=1)
    assert (everything.ended, everything.total) == (2, 5)
    assert jobs_progress(documents[1:4]) == Progress(pending=1, running=1, done=1)
    assert jobs_progress([]) == Progress()
