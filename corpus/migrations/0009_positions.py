"""Where a passage stands in a document that has no pages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0008_words_found")]

    operations = [
        migrations.AddField(
            "chunk", "position", models.CharField(blank=True, db_default="", max_length=100)
        ),
    ]
