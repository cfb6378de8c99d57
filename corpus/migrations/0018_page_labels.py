"""Keep the labels that PDFs give their pages, beside the pages' numbers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0017_only_without_doubts")]
    operations = [
        migrations.AddField(
            model_name="page",
            name="label",
            field=models.CharField(blank=True, default="", max_length=20),
        ),
    ]
