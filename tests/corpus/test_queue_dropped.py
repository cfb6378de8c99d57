"""Test the migration of a site whose release had a queue beside the table of jobs."""

from __future__ import annotations

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connections

TABLES = ("django_q_ormq", "django_q_task", "django_q_schedule")


def test_nothing_of_the_queue_is_left(own_database: str) -> None:
    call_command("migrate", "corpus", "0015", database="owner", verbosity=0)
    with connections["owner"].cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"CREATE TABLE {table} (id bigserial PRIMARY KEY)")
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('django_q', '0001', now())"
        )
    kind = ContentType.objects.create(app_label="django_q", model="ormq")
    Permission.objects.create(content_type=kind, codename="view_ormq", name="Can view")

    call_command("migrate", "corpus", database="owner", verbosity=0)

    with connections["owner"].cursor() as cursor:
        for table in TABLES:
            cursor.execute("SELECT to_regclass(%s)", [table])
            assert cursor.fetchone() == (None,)
        cursor.execute("SELECT count(*) FROM django_migrations WHERE app = 'django_q'")
        assert cursor.fetchone() == (0,)
    assert not ContentType.objects.filter(app_label="django_q").exists()
    assert not Permission.objects.filter(codename="view_ormq").exists()
