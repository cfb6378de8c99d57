"""The one row of totals; later code only updates it."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def make_row(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    statistics = apps.get_model("corpus", "IndexStatistics")
    statistics.objects.using(schema_editor.connection.alias).get_or_create(pk=1)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]
    operations = [migrations.RunPython(make_row, migrations.RunPython.noop)]
