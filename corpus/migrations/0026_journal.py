"""Keep a document's journal apart from its issuer, which held either."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F, Q

PUBLICATIONS = ("application/jats+xml", "application/vnd.medrag.pubmed+xml")


def split(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    documents = apps.get_model("corpus", "Document").objects.using(schema_editor.connection.alias)
    published = Q(source_type="article") | Q(media_type__in=PUBLICATIONS)
    documents.filter(published).update(journal=F("issuer"), issuer="")


def join(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    documents = apps.get_model("corpus", "Document").objects.using(schema_editor.connection.alias)
    documents.filter(issuer="").update(issuer=F("journal"))


class Migration(migrations.Migration):
    dependencies = [("corpus", "0025_passage_language")]
    operations = [
        migrations.AddField(
            model_name="document",
            name="journal",
            field=models.CharField(blank=True, default="", max_length=200),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="document",
            name="issuer",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.RunPython(split, join, elidable=True),
    ]
