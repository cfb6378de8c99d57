"""Test that the tests run as the restricted database role."""

import pytest
from django.db import connection


@pytest.mark.django_db
def test_runs_as_the_application() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, current_database()")
        user, database = cursor.fetchone()
    assert user == "medrag_app"
    assert database.startswith("test_")


def test_own_database_commits(own_database: str) -> None:
    from corpus.models import Collection

    Collection.objects.create(slug="a", name="A")
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_database(), count(*) FROM corpus_collection")
        assert cursor.fetchone() == (own_database, 1)
