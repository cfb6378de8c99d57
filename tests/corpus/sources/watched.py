"""Make watched folders, and look at them again and again."""

from __future__ import annotations

import os
import time
from pathlib import Path

from django.db.models.functions import Now

from corpus.models import Collection, Document, Source, SourceFile
from corpus.sources.looking import source_look
from corpus.sources.specs import SourceSpec
from tests.corpora import shelf

NAME = "trust"


def put(folder: Path, name: str, text: str, *, age_s: float = 3600.0) -> Path:
    """Write a file that was changed so many seconds ago."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    then = time.time() - age_s
    os.utime(path, (then, then))
    return path


def spec_of(
    folder: Path | None, *addresses: str, collection: Collection | None = None
) -> SourceSpec:
    return SourceSpec(NAME, (collection or shelf()).slug, folder, addresses)


def look(spec: SourceSpec) -> Source:
    """Look now, whenever it was looked at before."""
    Source.objects.filter(name=spec.name).update(is_wanted=True)
    source_look(spec)
    return Source.objects.get(name=spec.name)


def rows() -> dict[str, SourceFile]:
    return {row.ref: row for row in SourceFile.objects.all()}


def gone() -> set[str]:
    return {ref for ref, row in rows().items() if row.gone_at is not None}


def titles() -> list[str]:
    return sorted(Document.objects.values_list("title", flat=True))


def long_ago() -> None:
    """Let every lease have ended."""
    Source.objects.update(lease_until=Now())
