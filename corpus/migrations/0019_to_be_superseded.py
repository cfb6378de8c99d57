"""Keep which document will supersede another once it is published and indexed."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0018_page_labels")]
    operations = [
        migrations.AddField(
            model_name="document",
            name="to_be_superseded_by",
            field=models.ForeignKey(
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="to_supersede",
                to="corpus.document",
            ),
        ),
    ]
