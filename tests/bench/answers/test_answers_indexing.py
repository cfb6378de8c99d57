"""Documents that a killed evaluation left half indexed are indexed before anything is asked."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from bench.answers.asking import finish_what_was_cut_off
from corpus.indexing import jobs
from corpus.models import Chunk, Job, JobState, Stage
from corpus.services.indexing import document_index
from tests.corpus.documents import ingest

pytestmark = pytest.mark.django_db


def test_a_document_that_a_killed_run_held_is_indexed() -> None:
    document = ingest()
    assert jobs.claim(document.pk)  # as by a run that was then killed
    Job.objects.update(lease_until=Now() - timedelta(seconds=1))
    document_index(document.pk)
    assert not Chunk.objects.exists()  # the lease has not been swept yet
    finish_what_was_cut_off()
    job = Job.objects.get()
    assert (job.state, job.stage) == (JobState.DONE, Stage.INDEXED)
    assert Chunk.objects.filter(document=document).exists()
