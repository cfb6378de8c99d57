"""Where a citation stands in a document that has no pages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0004_modes_and_warnings")]

    operations = [
        migrations.AddField(
            "citation", "position", models.CharField(blank=True, default="", max_length=100),
            preserve_default=False,
        ),
    ]
