"""Follow a file from its upload to the answer: held for review or published, and asked."""

import datetime
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from chat.ask import turn_ask
from chat.models import Channel, TurnStatus
from chat.types import AskedQuestion
from corpus.intake.files import Batch, People, bulk_ingest
from corpus.models import Chunk, Document, Lifecycle
from corpus.review.words_found import PagesNotReviewed
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish
from tests.corpora import shelf

TODAY = datetime.date(2026, 3, 1)


@dataclass(frozen=True)
class Upload:
    """A file, the question that is asked of it alone, and what becomes of both."""

    filename: str
    content: Callable[[], bytes]
    question: str
    said: str = ""  # in the answer; without it the question is refused
    unsaid: str = ""  # not in the answer
    unread: str = ""  # nor in any passage
    doubt: str = ""  # in the message of a doubt; without it none holds the file back
    grade: str = "value"  # of the gravest doubt: only a value holds the file back


def store(uploads: Mapping[str, Upload]) -> None:
    """Upload each file into a collection of its own, to be published unless its reading doubts."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, upload) in enumerate(uploads.items()):
            path = Path(folder, str(number), upload.filename)
            path.parent.mkdir()
            path.write_bytes(upload.content())
            collection = shelf(f"upload-{number}")
            collection.name = name
            collection.save()
            outcome = bulk_ingest([path], batch=Batch(collection, People(), True, TODAY))
            (document,) = outcome.added
            while document_index(document.pk):
                pass


def follow(name: str, upload: Upload) -> None:
    """Check that a stored file was held back if it is doubted, and what it answers once looked at.

    While it waits it answers nothing, and it can't be published without a look at a value or part
    that may have been misread.
    """
    document = Document.objects.get(collection__name=name)
    assert document.pages.exists(), document.job.error_code
    doubts = [doubt for page in document.pages.order_by("number") for doubt in page.doubts]
    is_held = bool(upload.doubt) and upload.grade == "value"
    assert (document.lifecycle == Lifecycle.REVIEW) == is_held, doubts
    if upload.doubt:
        assert upload.doubt in " ".join(doubt["message"] for doubt in doubts)
        assert upload.grade in {doubt["grade"] for doubt in doubts}
    if is_held:
        assert _answer(document, upload.question) is None
        with pytest.raises(PagesNotReviewed):
            document_publish(document, by=None, today=TODAY)
        pages = list(document.pages.values_list("number", flat=True))
        document_publish(document, by=None, today=TODAY, looked=pages)
    answer = _answer(document, upload.question)
    assert (answer is not None) == bool(upload.said), answer
    assert upload.said in (answer or "")
    for words in filter(None, (upload.unsaid, upload.unread)):
        assert words not in (answer or "")
    passages = " ".join(Chunk.objects.filter(document=document).values_list("text", flat=True))
    assert not upload.unread or upload.unread not in passages


def _answer(document: Document, question: str) -> str | None:
    """Return what is answered from a document's collection; None for a refusal."""
    collections = (document.collection.slug,)
    asked = AskedQuestion(question, user=None, channel=Channel.COMMAND, collections=collections)
    turn = turn_ask(asked)
    is_answered = turn.status == TurnStatus.ANSWERED
    return " ".join(claim.text for claim in turn.claims.all()) if is_answered else None
