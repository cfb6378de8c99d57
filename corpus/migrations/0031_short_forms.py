"""Keep what each document's short forms stand for."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0030_watched_sources")]

    operations = [
        migrations.AddField("document", "short_forms", models.JSONField(default=dict, editable=False)),
        migrations.AddIndex("document", GinIndex(fields=["short_forms"], name="document_short_forms")),
    ]
