"""Pages say how many of their words were found again; what was read before does not know."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_lexical")]

    operations = [
        migrations.AddField("page", "words_found", models.PositiveIntegerField(null=True)),
        migrations.AddField("page", "words_checked", models.PositiveIntegerField(null=True)),
    ]
