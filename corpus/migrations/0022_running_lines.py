"""Keep the running headers and footers of a page, which its text leaves out."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0021_inherited")]
    operations = [
        migrations.AddField(
            model_name="page",
            name="running_lines",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), default=list, size=None
            ),
        ),
    ]
