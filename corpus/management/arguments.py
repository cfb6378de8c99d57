"""What the commands for staff take as arguments: people and collections by their names."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from corpus.models import Collection


def person_named(username: str | None) -> User | None:
    """None where nobody is named. Raises CommandError."""
    if not username:
        return None
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username}.")
    return user


def asker_named(username: str | None) -> User | None:
    """Whose rights count; None is nobody, who finds what is open to all. Raises CommandError."""
    if not username:
        return None
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no active user {username}.")
    return user


def collection_named(slug: str) -> Collection:
    """Raises CommandError."""
    collection = Collection.objects.filter(slug=slug).first()
    if collection is None:
        known = ", ".join(Collection.objects.values_list("slug", flat=True)) or "none yet"
        raise CommandError(f"There is no collection {slug}. Known: {known}.")
    return collection
