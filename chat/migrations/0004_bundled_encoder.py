"""The bundled encoder is named by all of its files, not by its weights alone.

The name in the records is the only one that a migration can know: of the package there has been one.
Records of other encoders stay under their former names, and are in use no more: calibrate again.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import TextField, Value
from django.db.models.functions import Concat, Length, Substr

BY_WEIGHTS, BY_FILES = "model:53aa51172d142c89:", "model:c006c9485a9bef2b:"


def rename(apps: Apps, editor: BaseDatabaseSchemaEditor, former: str, name: str) -> None:
    records = apps.get_model("chat", "CalibrationRecord").objects.using(editor.connection.alias)
    computed_by = Substr("encoder", Length(Value(former)) + 1)
    records.filter(encoder__startswith=former).update(
        encoder=Concat(Value(name), computed_by, output_field=TextField())
    )


def forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    rename(apps, editor, BY_WEIGHTS, BY_FILES)


def backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    rename(apps, editor, BY_FILES, BY_WEIGHTS)


class Migration(migrations.Migration):
    dependencies = [("chat", "0003_calibration")]
    operations = [migrations.RunPython(forwards, backwards)]
