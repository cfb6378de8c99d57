"""Copy the files of all documents from where they were to where the settings name now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.core.files.storage import Storage

from corpus import files
from corpus.models import Document


@dataclass(frozen=True)
class Moved:
    """How many files were copied, how many were there already, and which are in neither place."""

    copied: int
    there: int
    missing: tuple[str, ...]  # SHA-256


def files_copy(source: Storage, *, say: Callable[[int, int], object]) -> Moved:
    """Copy what the store in use lacks, each file compared with its hash before it is kept.

    Ends where it is interrupted, and goes on from there when it is run again. Nothing is deleted
    at the source. Pictures of pages are made again when somebody looks at them. `say` hears how
    many of how many are done. Raises FilesUnavailable and FileDamaged.
    """
    wanted = list(Document.objects.order_by("pk").values_list("sha256", flat=True))
    copied, there, missing = 0, 0, []
    for done, sha256 in enumerate(wanted, start=1):
        if files.has_document(sha256):
            there += 1
        elif files.copy_document(sha256, source):
            copied += 1
        else:
            missing.append(sha256)
        say(done, len(wanted))
    return Moved(copied, there, tuple(missing))
