"""People with rights, and collections that are narrowed to groups.

The database of each test has the groups of the site: they came with its tables.
"""

from __future__ import annotations

from django.contrib.auth.models import Group, User

from corpus.models import Collection


def person(name: str, *groups: str, is_superuser: bool = False) -> User:
    """Somebody new in these groups; one that is not among the site's own is made."""
    user = User.objects.create_user(
        name, password=f"{name}-secret", is_superuser=is_superuser, is_staff=bool(groups)
    )
    return in_groups(user, *groups)


def in_groups(user: User, *names: str) -> User:
    """The user read again, so that no permission is remembered."""
    user.groups.add(*(Group.objects.get_or_create(name=name)[0] for name in names))
    return User.objects.get(pk=user.pk)


def narrow(collection: Collection, right: str, *names: str) -> None:
    """From now on only for members of these groups."""
    groups = [Group.objects.get_or_create(name=name)[0] for name in names]
    getattr(collection, right).set(groups)
