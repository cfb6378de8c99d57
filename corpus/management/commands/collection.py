"""List collections, make one, or change it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.management.arguments import person_named
from corpus.models import Collection
from corpus.services.collections import RIGHTS, collection_save

FIELDS = ("name", "description", "owner_name", "owner_contact")


class Command(BaseCommand):
    help = "List collections; with SLUG, create that collection or change what the options name."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", metavar="SLUG", help="the collection")
        parser.add_argument("--name", help="name that people see; required for a new collection")
        parser.add_argument("--description", help="what the collection holds")
        parser.add_argument("--owner-name", help="whom clinicians are told to ask after a refusal")
        parser.add_argument("--owner-contact", help="how to reach the owner")
        for right in RIGHTS:
            parser.add_argument(
                f"--{right}",
                nargs="*",
                metavar="GROUP",
                help=f"restrict {right} to these groups; without a group, remove the restriction",
            )
        parser.add_argument("--user", help="who is recorded in the log")

    def handle(self, *args: Any, slug: str | None, **options: Any) -> None:
        if slug:
            self._save(slug, options)
        for collection in Collection.objects.prefetch_related(*RIGHTS):
            if slug in (None, collection.slug):
                self.stdout.write(_line(collection))

    def _save(self, slug: str, options: dict[str, Any]) -> None:
        changes = {name: options[name] for name in FIELDS if options[name] is not None}
        rights = {name: _groups(options[name]) for name in RIGHTS if options[name] is not None}
        collection = Collection.objects.filter(slug=slug).first()
        if collection is None:
            if not changes.get("name"):
                raise CommandError(f"There is no collection {slug}. To create it, add --name.")
            collection, changes = Collection(), {"slug": slug, **changes}
        try:
            Collection(**{"slug": slug, "name": collection.name, **changes}).clean_fields()
        except ValidationError as error:
            wrong = [f"{name}: {' '.join(faults)}" for name, faults in error.message_dict.items()]
            raise CommandError(f"{' '.join(wrong)} Nothing was changed.") from error
        collection_save(
            collection, by=person_named(options["user"]), changes=changes, rights=rights
        )


def _groups(names: list[str]) -> list[Group]:
    """Return the groups. Raises CommandError for an unknown name."""
    group_of = {group.name: group for group in Group.objects.filter(name__in=names)}
    if missing := [name for name in names if name not in group_of]:
        known = ", ".join(Group.objects.order_by("name").values_list("name", flat=True))
        raise CommandError(f"There is no group {missing[0]}. Nothing was changed. Groups: {known}.")
    return [group_of[name] for name in names]


def _line(collection: Collection) -> str:
    narrowed = [
        f"{right} {', '.join(group.name for group in getattr(collection, right).all())}"
        for right in RIGHTS
        if getattr(collection, right).all()
    ]
    return f"{collection.slug}: {collection.name}{''.join(f'; {part}' for part in narrowed)}"
