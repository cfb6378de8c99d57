"""Keep when the owner of a conversation saw that an answer in it was recalled."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("chat", "0022_reasons_in_words")]
    operations = [
        migrations.AddField(
            model_name="conversation",
            name="recalls_seen_at",
            field=models.DateTimeField(null=True),
        ),
    ]
