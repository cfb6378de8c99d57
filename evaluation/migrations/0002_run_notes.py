from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="notes",
            field=models.JSONField(default=dict),
        ),
    ]
