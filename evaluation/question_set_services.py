"""Write question sets and their questions; nothing else does."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from core.errors import MedragError
from corpus.filenames import clean_filename, title_from
from evaluation.models import Question, QuestionSet
from evaluation.question_sets import read_question_set
from evaluation.question_sets.types import QuestionsRead

MAX_NOTES = 1000  # records left out that are described; the rest are counted
BATCH = 1000
MAX_PATH_CHARS = 100


class DuplicateQuestionSet(MedragError):
    """The same items are stored already, as `existing`."""

    def __init__(self, existing: QuestionSet) -> None:
        super().__init__(
            f"Nothing was stored: {existing} (number {existing.pk}) has the same questions."
        )
        self.existing = existing


@dataclass(frozen=True)
class SetFacts:
    """A person's description of a question set."""

    name: str
    version: str = ""
    source: str = ""
    licence: str = ""


def question_set_store(read: QuestionsRead, facts: SetFacts, *, by: User | None) -> QuestionSet:
    """Store a set with its questions. Raises DuplicateQuestionSet, having changed nothing."""
    try:
        with transaction.atomic():
            question_set = QuestionSet.objects.create(
                name=facts.name,
                version=facts.version,
                form=read.form,
                source=facts.source,
                licence=facts.licence,
                digest=read.digest,
                left_out=len(read.problems),
                notes=notes_of(read.problems, most=MAX_NOTES),
                by=by,
            )
            Question.objects.bulk_create(
                (Question(question_set=question_set, **item.as_json()) for item in read.items),
                batch_size=BATCH,
            )
    except IntegrityError:
        existing = QuestionSet.objects.filter(digest=read.digest).first()
        if existing is None:
            raise
        raise DuplicateQuestionSet(existing) from None
    return question_set


def question_set_upload(
    upload: UploadedFile[bytes], facts: SetFacts, *, form: str, split: str, by: User
) -> QuestionSet:
    """Store the question set of an uploaded file, which names the set if `facts` does not.

    Raises DatasetError, DuplicateQuestionSet.
    """
    name = clean_filename(upload.name or "")
    with tempfile.TemporaryDirectory() as folder:
        # A name that any file system takes; readers use its suffix, and quote it in messages.
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[-MAX_PATH_CHARS:].lstrip(".-")
        path = Path(folder) / (plain or "upload")
        with path.open("wb") as stream:
            for part in upload.chunks():
                stream.write(part)
        read = read_question_set(path, form=form, split=split)
    named = facts.name or title_from(name)[:200]
    return question_set_store(read, replace(facts, name=named), by=by)


def notes_of(problems: tuple[str, ...], *, most: int) -> list[str]:
    """Return the first `most` problems, and a line that counts the rest."""
    more = len(problems) - most
    return [*problems[:most], *([f"and {more} more"] if more > 0 else [])]
