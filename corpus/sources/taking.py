"""Take in what stands at a source, one file at a time, under the lease of a look."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from core.errors import MedragError
from core.leases import Lease
from corpus.models import Collection, Document, Source, SourceFile
from corpus.services.documents import DuplicateDocument, document_ingest
from corpus.sources.folder import SourceAway
from corpus.sources.specs import SourceSpec

LEASE_S = 900.0  # longer than one file takes: fetching, scanning, storing
STANDS = {"gone_at": None, "let_go_at": None, "let_go_by": None}  # changes of what is there (again)


class LeaseLost(Exception):
    """Another process looks at the source by now."""


@dataclass(frozen=True)
class Taking:
    """What one look may do, for as long as it holds the lease."""

    spec: SourceSpec
    lease: Lease[Source]
    collection: Collection

    def taken(
        self, stream: BufferedReader | BytesIO, filename: str, row: SourceFile | None, **said: Any
    ) -> dict[str, Any]:
        """Link the document of these bytes, made a draft if they are new, and return its hash.

        `said`: fields of a new draft, as the source has them.
        """
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        document = Document.objects.filter(sha256=digest).first()
        if document is None and row is not None and row.sha256 == digest:
            return {"sha256": digest}  # somebody discarded it: not again until it changes
        if document is None:
            document = Document(collection=self.collection, **said)
            try:
                document_ingest(
                    document,
                    upload=stream,
                    uploaded_by=None,
                    filename=filename,
                    source=self.spec.name,
                    is_fed=self.spec.feeds_limited,
                )
            except DuplicateDocument as error:  # another upload of them was faster
                document = error.existing
        return {"sha256": document.sha256, "document": document}

    @contextmanager
    def noted(self, ref: str, **anyway: Any) -> Iterator[dict[str, Any]]:
        """Write what the block notes, unless it empties that, or its fault; and `anyway`.

        Raises SourceAway, which ends the look.
        """
        self.hold()
        note: dict[str, Any] = {"seen_at": Now(), "fault": "", **STANDS}
        try:
            yield note
        except SourceAway:
            raise
        except MedragError as error:
            note = {"fault": error.sentence}
        except OSError as error:
            note = {"fault": f"The file can't be opened: {error.strerror}."}
        if not note:
            return
        document = note.pop("document", None)
        with transaction.atomic():
            row, _ = SourceFile.objects.update_or_create(
                source=self.lease.row, ref=ref, defaults=anyway | note
            )
            if document is not None:
                row.documents.add(document)

    def update(self, rows: Iterable[int], **changes: Any) -> None:
        self.hold()
        SourceFile.objects.filter(pk__in=rows).update(**changes)

    def hold(self) -> None:
        """Hold the lease for another while. Raises LeaseLost."""
        if not self.lease.extend(LEASE_S):
            raise LeaseLost

    def keep(self, **changes: Any) -> None:
        if not self.lease.held().update(**changes):
            raise LeaseLost
        self.lease.row.refresh_from_db(fields=list(changes))
