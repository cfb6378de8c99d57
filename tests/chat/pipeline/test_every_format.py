"""Test the whole way of a file of every format: uploaded, read, published, asked, answered."""

from collections.abc import Iterator
from io import BytesIO

import pytest
from django.utils import timezone

from chat.ask import turn_ask
from chat.models import Channel
from chat.types import AskedQuestion
from corpus.models import Document
from corpus.parsing.registry import MEDIA_TYPES
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish, document_submit
from tests.chat.storing import Storing
from tests.corpus.parsing.every_format import SAMPLES


@pytest.fixture(scope="module", autouse=True)
def _corpus(storing: Storing) -> Iterator[None]:
    with storing(_ingest_all):
        yield


def _ingest_all() -> None:
    for media_type, sample in SAMPLES.items():
        document = Document(collection=collection_default(), title=sample.title)
        upload = BytesIO(sample.content())
        document_ingest(document, upload=upload, uploaded_by=None, filename=sample.filename)
        assert document.media_type == media_type
        document_index(document.pk)
        assert document.job.last_error == ""
        document_submit(document, by=None)
        document_publish(document, by=None, today=timezone.localdate())


@pytest.mark.django_db
@pytest.mark.parametrize("media_type", sorted(MEDIA_TYPES))
def test_a_file_of_every_format_is_read_and_answers_its_question(media_type: str) -> None:
    sample = SAMPLES[media_type]
    turn = turn_ask(AskedQuestion(sample.question, user=None, channel=Channel.COMMAND))
    assert turn.reason == ""
    claim = turn.claims.get(index=1)
    assert sample.medicine in claim.text
    assert sample.dose in claim.text
    assert {cited.document.media_type for cited in claim.citations.all()} == {media_type}
