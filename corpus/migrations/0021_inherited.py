"""Keep which fields of a new version were taken over from the one that it replaces."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0020_leased")]
    operations = [
        migrations.AddField(
            model_name="document",
            name="inherited",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=20),
                default=list,
                editable=False,
                size=None,
            ),
        ),
    ]
