"""The table of short forms, with the words beside which a form has which meaning.

What earlier releases brought and nobody changed gives way to it. What staff wrote, changed, switched
off or deleted stays as they left it.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Lower

from core.language.en.short_forms.table import ward_words
from retrieval.migrations import _earlier_lexicon

FIELDS = ("short", "words", "match", "kind", "beside")
MATCH = {"exact": "capitals", "any": "any"}


def ship(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(schema_editor.connection.alias)
    brought = _earlier_lexicon.rows()
    known = {tuple(row.values()) for row in brought}
    there = list(entries.values_list("pk", "enabled", "short", "words", "match", "kind"))
    unchanged = {pk for pk, enabled, *row in there if enabled and tuple(row) in known}
    staffs = {row[2].lower() for row in there if row[0] not in unchanged}
    deleted = {row["short"].lower() for row in brought} - {row[2].lower() for row in there}
    entries.filter(pk__in=unchanged).delete()
    entries.bulk_create(
        entries.model(**row, enabled=row["short"].lower() not in deleted)
        for row in shipped()
        if row["short"].lower() not in staffs
    )


def forget(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Bring back what earlier releases had, beside what staff wrote: one meaning of each form."""
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(schema_editor.connection.alias)
    known = {tuple(row.values()) for row in shipped()}
    seen = set()
    for pk, *row in entries.order_by("beside", "pk").values_list("pk", *FIELDS):
        if tuple(row) in known or row[0].lower() in seen:
            entries.filter(pk=pk).delete()
        else:
            seen.add(row[0].lower())
    again = {row["short"].lower(): row for row in reversed(_earlier_lexicon.rows())}
    entries.bulk_create(entries.model(**row) for short, row in again.items() if short not in seen)
    entries.filter(kind="class").update(kind="abbreviation")


def shipped() -> list[dict[str, str]]:
    rows = (
        (each.short, each.words, MATCH[each.case], each.kind, ", ".join(each.beside))
        for each in ward_words()
    )
    return [dict(zip(FIELDS, row)) for row in rows]


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
                name="one_sense_a_form",
                violation_error_message="This form is in the lexicon already.",
            ),
        ),
        migrations.RunPython(ship, forget),
    ]
