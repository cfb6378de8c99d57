"""The table of short forms, with the words beside which a form has which meaning.

What earlier releases brought and nobody changed gives way to it. What staff wrote, changed, switched
off or deleted stays as they left it.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Lower

from core.language.en.short_forms.table import ward_words
from retrieval.migrations import _lexicon_v1, _lexicon_v2, _lexicon_v3, _lexicon_v4

EARLIER = (_lexicon_v1, _lexicon_v2, _lexicon_v3, _lexicon_v4)
MATCH = {"exact": "capitals", "any": "any"}


def ship(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(alias)
    brought = [row for module in EARLIER for row in module.rows()]
    known = {(row["short"], row["words"], row["match"], row["kind"]) for row in brought}
    there = list(entries.values_list("pk", "enabled", "short", "words", "match", "kind"))
    unchanged = [pk for pk, enabled, *row in there if enabled and tuple(row) in known]
    staffs = {row[2].lower() for row in there if row[0] not in set(unchanged)}
    deleted = {row["short"].lower() for row in brought} - {row[2].lower() for row in there}
    entries.filter(pk__in=unchanged).delete()
    entries.bulk_create(
        entries.model(
            short=each.short,
            words=each.words,
            match=MATCH[each.case],
            kind=each.kind,
            beside=", ".join(each.beside),
            enabled=each.short.lower() not in deleted,
        )
        for each in ward_words()
        if each.short.lower() not in staffs
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0005_ward_words")]
    operations = [
        migrations.AddField(
            model_name="lexiconentry",
            name="beside",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Only for a form with several meanings: words of the same question, "
                "with commas; a star stands for any ending. Such as clot, dvt, anticoag*.",
                max_length=300,
                verbose_name="beside the words",
            ),
        ),
        migrations.AlterField(
            model_name="lexiconentry",
            name="kind",
            field=models.CharField(
                choices=[
                    ("abbreviation", "abbreviation"),
                    ("lay", "everyday word"),
                    ("name", "other name"),
                    ("class", "class of medicines"),
                ],
                default="abbreviation",
                help_text="An other name counts in both directions: adrenaline, epinephrine.",
                max_length=12,
            ),
        ),
        migrations.RemoveConstraint(model_name="lexiconentry", name="one_sense_a_form"),
        migrations.AddConstraint(
            model_name="lexiconentry",
            constraint=models.UniqueConstraint(
                Lower("short"),
                Lower("beside"),
                "match",
                name="one_sense_a_form",
                violation_error_message="This form is in the lexicon already.",
            ),
        ),
        migrations.RunPython(ship, migrations.RunPython.noop),
    ]
