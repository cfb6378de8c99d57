"""Make users with rights, and narrow collections to groups.

The database of each test has the groups of the site, made by its migrations.
"""

from django.contrib.auth.models import Group, User
from django.test import Client

from corpus.models import Collection


def person(name: str, *groups: str, is_superuser: bool = False) -> User:
    """Create a user in these groups; a group that doesn't exist is created."""
    user = User.objects.create_user(
        name, password=f"{name}-secret", is_superuser=is_superuser, is_staff=bool(groups)
    )
    return in_groups(user, *groups)


def in_groups(user: User, *names: str) -> User:
    """Add the user to the groups, and return it from the database, without cached permissions."""
    user.groups.add(*(Group.objects.get_or_create(name=name)[0] for name in names))
    return User.objects.get(pk=user.pk)


def client_of(user: User) -> Client:
    """Return a client that is signed in as the user."""
    client = Client()
    client.force_login(user)
    return client


def narrow(collection: Collection, right: str, *names: str) -> None:
    """Restrict a right on the collection to members of these groups."""
    groups = [Group.objects.get_or_create(name=name)[0] for name in names]
    getattr(collection, right).set(groups)
