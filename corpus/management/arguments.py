"""Parse command arguments: people and collections by name, and output files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from corpus.models import Collection
from corpus.services.documents import collection_default


def add_ingesting(parser: CommandParser) -> None:
    """Add the arguments of commands that ingest documents."""
    parser.add_argument("--dry-run", action="store_true", help="only report what would happen")
    parser.add_argument(
        "--wait", action="store_true", help="wait until every document is indexed or has failed"
    )
    parser.add_argument("--user", help="who is recorded as the uploader")
    parser.add_argument("--publisher", help="who is recorded as the publisher")


def person_named(username: str | None) -> User | None:
    """Return the user; None where nobody is named. Raises CommandError."""
    return _user("user", username=username) if username else None


def asker_named(username: str | None) -> User | None:
    """Return whose rights apply; None for nobody, who may search open collections only.

    Raises CommandError.
    """
    return _user("active user", username=username, is_active=True) if username else None


def _user(what: str, **named: Any) -> User:
    user = User.objects.filter(**named).first()
    if user is None:
        raise CommandError(f"There is no {what} {named['username']}.")
    return user


def collection_named(slug: str) -> Collection:
    """Return the collection. Raises CommandError."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no collection {slug}. Collections: {known}.")
    return collection


def collection_of_files(slug: str | None, *, dry_run: bool) -> Collection:
    """Return the collection for a command's files: by default General, created if needed.

    Raises CommandError.
    """
    if not slug:
        return Collection() if dry_run else collection_default()
    return collection_named(slug)


def refuse_unwritable(*files: Path | None) -> None:
    """Raise CommandError early for an output file that could not be written at the end."""
    for file in filter(None, files):
        if file.is_dir():
            raise CommandError(f"{file} is a folder. Name a file.")
        try:
            tempfile.TemporaryFile(dir=file.parent).close()  # to ask for the right says too little
            if file.exists():
                file.open("ab").close()
        except OSError as error:
            raise CommandError(f"{file} can't be written: {error.strerror}.") from error
