"""Look at the sources that are due: new and changed files become drafts, missing ones are marked.

Nothing is published, nor withdrawn unless a library's source says so. A look leases its source, so
that no two look at one at a time; one that was interrupted is taken up by the next, since each file
is taken in and noted on its own.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from core.errors import MedragError
from core.leases import Lease, ends_in
from core.wake_ups import WATCHING, wake
from corpus import files
from corpus.access import may_upload
from corpus.models import Collection, Source, SourceFile
from corpus.sources.folder import SourceFault, file_at, files_in, has_left, refuse_many_missing
from corpus.sources.library import LibraryLook
from corpus.sources.specs import SourceSpec
from corpus.sources.taking import LEASE_S, STANDS, LeaseLost, Taking
from corpus.sources.web import content_at, filename_of


def is_look_due() -> bool:
    """Tell whether a source should be looked at now. Runs one query at most."""
    if not settings.SOURCES:
        return False
    due = Q(pk__in=())
    for spec in settings.SOURCES:
        due |= _is_due(spec)
    names = [spec.name for spec in settings.SOURCES]
    found = Source.objects.filter(name__in=names).aggregate(
        known=Count("pk"), due=Count("pk", filter=due)
    )
    return bool(found["due"] or found["known"] < len(names))


def sources_look() -> None:
    """Look at each source that is due and that no other process looks at."""
    for spec in settings.SOURCES:
        source_look(spec)


def may_want(user: User, source: Source) -> bool:
    """Tell whether the user may add documents, to the source's collection if it has one."""
    if source.collection is None:
        return user.has_perm("corpus.add_document")
    return may_upload(user, source.collection)


def source_want(source: Source, *, by: User) -> None:
    """Have a source looked at as soon as a worker is free. Raises PermissionDenied."""
    if not may_want(by, source):
        raise PermissionDenied("This account may not add documents to the source's collection.")
    with transaction.atomic():
        Source.objects.filter(pk=source.pk).update(is_wanted=True)
        wake(WATCHING)


def source_look(spec: SourceSpec) -> None:
    """Look at a source if it is due; a fault of it is stored, and told by its page and `doctor`."""
    Source.objects.get_or_create(name=spec.name)
    with transaction.atomic():
        due = Source.objects.filter(_is_due(spec))
        # What is wanted from here on is not what this look may have passed already.
        begun = {"lease_until": ends_in(LEASE_S), "is_wanted": False}
        lease = Lease.claim(due, lambda row: begun)
    if lease is None:
        return
    collection, fault = Collection.objects.filter(slug=spec.collection).first(), ""
    lease.held().update(collection=collection)
    try:
        _Look(spec, lease, _opened(spec, collection)).run()
    except MedragError as error:
        fault = error.sentence
    except OSError as error:
        fault = f"It can't be read any further: {error.strerror}."
    except LeaseLost:
        return
    lease.end(fault=fault, looked_at=Now())


def _is_due(spec: SourceSpec) -> Q:
    is_late = Q(looked_at=None) | Q(looked_at__lte=Now() - spec.every) | Q(is_wanted=True)
    was_cut_off = Q(lease_until__lte=Now())
    return Q(name=spec.name) & (was_cut_off | is_late & Q(lease_until=None))


def _opened(spec: SourceSpec, collection: Collection | None) -> Collection:
    if collection is None:
        raise SourceFault(
            f"There is no collection {spec.collection}, so nothing was looked at.",
            hint="Make it in the administration, or name another in MEDRAG_SOURCES.",
        )
    if not (spec.feeds_limited or may_upload(None, collection)):
        raise SourceFault(
            f"Only groups may add to the collection {spec.collection}, so nothing was looked at.",
            hint="Open its right to upload, or write feeds_limited = true into MEDRAG_SOURCES.",
        )
    return collection


class _Look(Taking):
    """One look at one source, under its lease."""

    def run(self) -> None:
        if self.spec.library is not None:
            LibraryLook(self, self.spec.library).run()
            return
        known = {row.ref: row for row in self.lease.row.files.all()}
        if self.spec.folder is not None:
            self._look_at_folder(self.spec.folder, known)
        else:
            self._look_at_addresses(known)

    def _look_at_folder(self, folder: Path, known: dict[str, SourceFile]) -> None:
        found = files_in(folder)
        missing = [row for ref, row in known.items() if ref not in found and row.gone_at is None]
        present = sum(row.gone_at is None for row in known.values())
        refuse_many_missing(len(missing), present, f"below {folder}", none_found=not found)
        unchanged = []
        for ref, listed in found.items():
            row = known.get(ref)
            file = file_at(listed.path)  # again: the look may have begun hours ago
            if file is None:
                continue
            if row and (not file.is_settled or (row.stamp == file.stamp and not row.fault)):
                unchanged.append(row.pk)
            elif file.is_settled:
                with self.noted(ref) as note:
                    files.refuse_too_large(file.size_bytes)
                    with file.path.open("rb") as stream:
                        note |= self.taken(stream, file.path.name, row)
                    note["stamp"] = file.stamp
        self.update(unchanged, seen_at=Now(), **STANDS)
        left = [row.pk for row in missing if has_left(folder, row.ref)]
        self.update(left, gone_at=Now(), fault="")
        away = [row.pk for row in missing if row.pk not in set(left)]
        self.update(away, fault="It can't be read, or is a link that leads out of the folder.")

    def _look_at_addresses(self, known: dict[str, SourceFile]) -> None:
        for address in self.spec.addresses:
            row = known.get(address)
            with self.noted(address) as note:
                content = content_at(address)
                if content is not None:
                    name = filename_of(address, content)
                    note |= self.taken(BytesIO(content), name, row, source_url=address)
                elif row is None or not row.sha256:
                    raise SourceFault("Nothing was ever found at this address.")
                else:
                    note |= {"seen_at": row.seen_at, "gone_at": row.gone_at or Now()}
        dropped = [row.pk for ref, row in known.items() if ref not in self.spec.addresses]
        self.update(dropped, gone_at=None, fault="")  # nobody looks there any more
