"""Look at a library of SharePoint or OneDrive: by what changed, page for page.

A page of items is held at once, and where the look is is kept after each, so that one that was cut
off goes on from there.
"""

from __future__ import annotations

import datetime
import hashlib
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from corpus import files
from corpus.models import SourceFile, SourceFolder
from corpus.parsing.clean import clean_line
from corpus.parsing.sniff import MEDIA_TYPES, READ_FORMATS
from corpus.sources.folder import SourceAway, SourceFault, refuse_many_missing
from corpus.sources.graph import Graph, LinkTooOld, NotFound, credential_end
from corpus.sources.library_specs import LibrarySpec
from corpus.sources.settling import withdraw_within_limit
from corpus.sources.taking import STANDS, Taking

_DEEPEST = 200  # folders in folders
_Item = dict[str, Any]


class LibraryLook:
    """One look at one library."""

    def __init__(self, taking: Taking, spec: LibrarySpec) -> None:
        self.taking, self.spec = taking, spec
        self.graph, self.source = Graph(spec), taking.lease.row
        self.paths: dict[str, str | None] = {}  # of folders; None: not found

    def run(self) -> None:
        self.taking.keep(credential_ends=credential_end(self.spec))
        try:
            self._find_drive()
            for row in list(self.source.files.filter(gone_at=None).exclude(fault="")):
                self._take(row.ref.partition("/")[2], row.place, row)
            if not self.source.link:
                self._list_anew()
            elif self.source.round_at is None:
                self.taking.keep(round_at=Now())
            while self.source.round_at is not None:
                self._turn_page()
        except KeyError as error:
            raise SourceAway(f"Microsoft Graph left out {error}. Nothing more was read.") from error

    def _find_drive(self) -> None:
        """Find the library once, by its name; from then on by its id, whatever it is called."""
        of = (self.spec.tenant, self.spec.site, self.spec.library, self.spec.folders)
        scope = hashlib.sha256(repr(of).encode()).hexdigest()
        if self.source.scope == scope:
            name = str(self.graph.get(f"/drives/{self.source.drive}").get("name", ""))
            is_renamed = name != self.spec.library
            told = f"The library is called “{clean_line(name)}” now, and watched as before. "
            self.taking.keep(told=f"{told}Write its name to MEDRAG_SOURCES." if is_renamed else "")
            return
        address = f"{self.graph.site()}/drives"
        while address:
            page = self.graph.get(address)
            for drive in page["value"]:
                if drive["name"] == self.spec.library:
                    SourceFolder.objects.filter(source=self.source).delete()
                    fresh = {"link": "", "round_at": None, "listed_at": None, "told": ""}
                    self.taking.keep(scope=scope, drive=drive["id"], **fresh)
                    return
            address = page.get("@odata.nextLink", "")
        raise SourceFault(
            f"The site has no library “{self.spec.library}”, so nothing was looked at.",
            hint="Name it in MEDRAG_SOURCES as it is called now.",
        )

    def _list_anew(self) -> None:
        """Begin with a list of all; the round keeps its beginning."""
        begun = self.source.round_at or Now()
        self.taking.keep(link=self._start, listed_at=Now(), round_at=begun)

    @property
    def _start(self) -> str:
        return f"{self.spec.graph}/v1.0/drives/{self.source.drive}/root/delta"

    def _turn_page(self) -> None:
        self.taking.hold()
        try:
            page = self.graph.get(self.source.link)
        except LinkTooOld:
            if self.source.link == self._start:
                raise
            self._list_anew()
            return
        items = {item["id"]: item for item in page["value"]}  # of several, the last counts
        with transaction.atomic():  # else a look that is cut off here forgets what moved
            lists_anew = self._keep_folders(items) and self.source.listed_at is None
            if lists_anew:  # what lies in a folder that moved isn't told as changed
                self._list_anew()
        self._look_at(items)
        if lists_anew:
            return
        if link := page.get("@odata.nextLink"):
            self.taking.keep(link=link)
        else:
            self._end_round(page["@odata.deltaLink"])

    def _keep_folders(self, items: dict[str, _Item]) -> bool:
        """Keep the folders among the items; tell whether a known one moved or went."""
        known = {row.item: row for row in self.source.folders.filter(item__in=items)}
        gone = [item for item in known if "deleted" in items[item]]
        there = [item for item in items.values() if "folder" in item and "deleted" not in item]
        rows = [self._folder(item) for item in there]
        SourceFolder.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["source", "item"],
            update_fields=["name", "parent"],
        )
        self.source.folders.filter(item__in=gone).delete()
        self.paths.clear()
        before = {(row.item, row.name, row.parent) for row in known.values()}
        after = {(row.item, row.name, row.parent) for row in rows if row.item in known}
        return bool(gone or after - before)

    def _folder(self, item: _Item) -> SourceFolder:
        is_root = "root" in item
        above = {} if is_root else {"name": item["name"], "parent": item["parentReference"]["id"]}
        return SourceFolder(source=self.source, item=item["id"], **above)

    def _look_at(self, items: dict[str, _Item]) -> None:
        refs = [self._ref(item) for item in items]
        known = {row.ref: row for row in self.source.files.filter(ref__in=refs)}
        unchanged, gone = [], []
        for item_id, item in items.items():
            row = known.get(self._ref(item_id))
            place = self._place(item) if "file" in item and "deleted" not in item else None
            if place is None:
                gone += [row.pk] if row else []
                continue
            if row and row.place != place:
                before = row.moved_from or row.place
                self.taking.update(
                    [row.pk], place=place, moved_from=before if before != place else ""
                )
            if row and row.stamp.startswith(f"{_digest(item.get('eTag'))} ") and not row.fault:
                unchanged.append(row.pk)
            else:
                self._take(item_id, place, row)
        self.taking.update(unchanged, seen_at=Now(), **STANDS)
        self._go(self.source.files.filter(pk__in=gone))

    def _go(self, rows: Any) -> None:
        self.taking.hold()
        rows.filter(gone_at=None).update(gone_at=Now(), fault="")

    def _place(self, item: _Item) -> str | None:
        """Return the path of a file from the library's root; None outside the watched folders."""
        folder = self._path(item["parentReference"]["id"])
        watched = tuple(f"{path}/".casefold() for path in self.spec.folders) or ("",)
        is_in = folder is not None and folder.casefold().startswith(watched)
        return f"{folder}{item['name']}" if is_in else None

    def _path(self, item_id: str, depth: int = 0) -> str | None:
        """Return the path of a folder, with a slash at its end; empty for the root."""
        if item_id in self.paths:
            return self.paths[item_id]
        row = self.source.folders.filter(item=item_id).first()
        if row is None and (item := self._item(item_id)) is not None:
            row = self._folder(item)
            row.save()
        path = None
        if row is not None and depth < _DEEPEST:
            above = self._path(row.parent, depth + 1) if row.name else ""
            path = above if above is None or not row.name else f"{above}{row.name}/"
        self.paths[item_id] = path
        return path

    def _item(self, item_id: str) -> _Item | None:
        """Return an item with its columns; None if it is not found."""
        try:
            item = f"/drives/{self.source.drive}/items/{item_id}"
            return self.graph.get(f"{item}?$expand=listItem($expand=fields)")
        except NotFound:
            return None

    def _take(self, item_id: str, place: str, row: SourceFile | None) -> None:
        """Take in a file if its content is new, with what the library says of it."""
        anyway = {"place": place, "seen_at": Now(), **STANDS}
        with self.taking.noted(self._ref(item_id), **anyway) as note:
            if PurePosixPath(place).suffix.lstrip(".").lower() not in MEDIA_TYPES:
                raise SourceFault("Files of this type can't be read.", hint=READ_FORMATS)
            item = self._item(item_id)
            if item is None:  # it went meanwhile: the next changes say so
                note.clear()
                return
            said = self._said(item)
            status = said["origin"].get("status", "")
            if self.spec.columns.status and status not in self.spec.approved:
                if row is None:
                    note.clear()
                if row is None or not row.sha256:
                    return
                raise SourceFault(
                    f"Its status is “{status}” at the source: what stands there is not taken in.",
                    hint="The document from before stays as it is: decide about it.",
                )
            files.refuse_too_large(int(item.get("size", 0)))
            content = _digest(item.get("cTag"))
            note["stamp"] = f"{_digest(item.get('eTag'))} {content}"
            if not (row and row.sha256 and row.stamp.endswith(f" {content}")):
                stream = BytesIO(self.graph.content(item))
                note |= self.taking.taken(stream, item["name"], row, **said)

    def _said(self, item: _Item) -> dict[str, Any]:
        fields, columns = item.get("listItem", {}).get("fields", {}), self.spec.columns
        origin = {
            "author": _text(
                ((item.get("lastModifiedBy") or {}).get("user") or {}).get("displayName")
            ),
            "modified": str(item.get("lastModifiedDateTime", "")),
            "owner": _text(fields.get(columns.owner)),
            "status": _text(fields.get(columns.status)),
        }
        address = str(item.get("webUrl", ""))
        return {
            "origin": {name: value for name, value in origin.items() if value},
            "version": _text(fields.get(columns.version))[:50],
            "review_by": _day(fields.get(columns.review_by)),
            "source_url": address if len(address) <= 1000 else "",
        }

    def _end_round(self, link: str) -> None:
        """Mark what a whole list left out, withdraw where that is wanted, and keep the link."""
        present = self.source.files.filter(gone_at=None)
        if self.source.listed_at is not None:
            missing = present.filter(~Q(seen_at__gte=self.source.listed_at))
            count, of = missing.count(), present.count()
            try:
                refuse_many_missing(count, of, "in the library", none_found=count == of)
            except SourceFault:
                self.taking.keep(link="", listed_at=None)  # all again, next time, in this round
                raise
            self._go(missing)
        begun = self.source.round_at if self.spec.on_delete == "withdraw" else None
        if begun and (asks := withdraw_within_limit(self.source, since=begun)):
            self.taking.keep(asks=asks)
        self.taking.keep(link=link, round_at=None, listed_at=None)

    def _ref(self, item_id: str) -> str:
        return f"{self.source.drive}/{item_id}"


def _digest(tag: Any) -> str:
    return hashlib.sha256(str(tag).encode()).hexdigest()[:20]


def _text(value: Any) -> str:
    if isinstance(value, dict):  # a link
        value = value.get("Description", "")
    return "" if value is None else clean_line(str(value))[:200]


def _day(value: Any) -> datetime.date | None:
    """Return the day of a column, which SharePoint keeps as midnight of its place, in UTC."""
    if not value:
        return None
    try:
        moment = parse_datetime(str(value))
        day = timezone.localtime(moment).date() if moment else parse_date(str(value))
    except ValueError:
        day = None
    if day is None:
        raise SourceFault(
            "Its review date is no date, so it was not taken in.",
            hint="Put a date into the column, or map another one.",
        )
    return day
