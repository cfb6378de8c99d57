"""Drop the tables of django-q2, which woke workers: the table of jobs is the queue."""

from django.db import migrations
from django.db.migrations.state import StateApps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLES = "django_q_ormq, django_q_task, django_q_schedule"


def forget_models(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete what Django keeps of their models, and with that the permissions on them."""
    content_types = apps.get_model("contenttypes", "ContentType").objects
    content_types.using(schema_editor.connection.alias).filter(app_label="django_q").delete()


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0015_statement_vectors"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [
        migrations.RunSQL(f"DROP TABLE IF EXISTS {TABLES}", migrations.RunSQL.noop),
        migrations.RunSQL(
            "DELETE FROM django_migrations WHERE app = 'django_q'", migrations.RunSQL.noop
        ),
        migrations.RunPython(forget_models, migrations.RunPython.noop),
    ]
