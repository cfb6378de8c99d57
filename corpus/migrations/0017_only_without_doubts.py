"""Say of a document that was published unread that doubts of its reading hold it back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0016_jobs_are_the_queue")]
    operations = [
        migrations.AddField(
            model_name="document",
            name="only_without_doubts",
            field=models.BooleanField(default=False, editable=False),
        ),
    ]
