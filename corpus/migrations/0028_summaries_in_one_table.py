"""Hold a summary and its vector in one row. `manage.py summarise` makes the summaries again."""

import django.db.models.deletion
import pgvector.django.vector
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0027_answering_stop")]

    operations = [
        migrations.DeleteModel("SummaryVector"),
        migrations.DeleteModel("SectionSummary"),
        migrations.CreateModel(
            "SectionSummary",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first_index", models.PositiveIntegerField()),
                ("last_index", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("embedding", pgvector.django.vector.VectorField()),
                ("document", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="summaries", to="corpus.document")),
                ("encoder", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="corpus.encoder")),
            ],
            options={
                "verbose_name_plural": "section summaries",
                "constraints": [models.UniqueConstraint(fields=("document", "first_index", "last_index"), name="summary_once")],
            },
        ),
    ]
