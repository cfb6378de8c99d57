"""Further brand names, and what wards write in a hurry."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from retrieval.migrations import _lexicon_v4


def seed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Beside what is there already: an entry of the same form is the staff's and stays."""
    entries = apps.get_model("retrieval", "LexiconEntry")
    entries.objects.using(schema_editor.connection.alias).bulk_create(
        (entries(**row) for row in _lexicon_v4.rows()), ignore_conflicts=True
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_brands")]
    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
