"""Other names of medicines, which count in both directions."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from retrieval.migrations import _earlier_lexicon


def seed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(schema_editor.connection.alias)
    _earlier_lexicon.seed(entries, 3)


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
