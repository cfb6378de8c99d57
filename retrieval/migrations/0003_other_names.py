"""Other names of medicines, which count in both directions."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from retrieval.migrations import _lexicon_v2


def seed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Beside what is there already: an entry of the same form is the staff's and stays."""
    entries = apps.get_model("retrieval", "LexiconEntry")
    entries.objects.using(schema_editor.connection.alias).bulk_create(
        (entries(**row) for row in _lexicon_v2.rows()), ignore_conflicts=True
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_lexicon_seed")]
    operations = [
        migrations.AlterField(
            model_name="lexiconentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("abbreviation", "abbreviation"),
                    ("lay", "everyday word"),
                    ("name", "other name"),
                ],
                default="abbreviation",
                help_text="An other name counts in both directions: adrenaline, epinephrine.",
                max_length=12,
            ),
        ),
        migrations.RunPython(seed, migrations.RunPython.noop),
    ]
