"""Conditions that guidelines call by two names, in the lexicon of a site that is upgraded."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMES = {
    "cholelithiasis": "gallstones",
    "cystitis": "lower urinary tract infection",
    "heart failure": "cardiac failure",
    "hepatic impairment": "liver impairment",
    "hospital acquired pneumonia": "nosocomial pneumonia",
    "needlestick injury": "sharps injury",
    "newborn": "neonate",
    "pressure ulcer": "pressure sore",
    "preterm labour": "premature labour",
    "pyelonephritis": "upper urinary tract infection",
    "renal colic": "ureteric colic",
    "renal function": "kidney function",
    "renal impairment": "kidney impairment",
    "seizure": "convulsion",
}


def ship(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Add what neither the table of a new site nor staff brought."""
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(schema_editor.connection.alias)
    there = {short.lower() for short in entries.values_list("short", flat=True)}
    entries.bulk_create(
        entries.model(short=short, words=words, match="any", kind="name")
        for short, words in NAMES.items()
        if short not in there
    )


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0006_short_forms")]
    operations = [migrations.RunPython(ship, migrations.RunPython.noop)]
