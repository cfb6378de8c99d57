"""Further brand names, and what wards write in a hurry."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from retrieval.migrations import _earlier_lexicon


def seed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(schema_editor.connection.alias)
    _earlier_lexicon.seed(entries, 5)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0004_brands")]
    operations = [migrations.RunPython(seed, migrations.RunPython.noop)]
