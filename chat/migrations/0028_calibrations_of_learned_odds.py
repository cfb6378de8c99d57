from django.db import migrations, models


class Migration(migrations.Migration):
    """Store what scales the learned log-odds; earlier records scale nothing, and are not used."""

    dependencies = [("chat", "0027_stopped")]

    operations = [
        migrations.AddField(
            model_name="calibrationrecord",
            name="odds",
            field=models.CharField(
                blank=True, default="", max_length=64, verbose_name="learned odds"
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="calibrationrecord", name="slope", field=models.FloatField(default=0.0)
        ),
        migrations.RemoveField(model_name="calibrationrecord", name="cosine"),
        migrations.RemoveField(model_name="calibrationrecord", name="coverage"),
        migrations.RemoveField(model_name="calibrationrecord", name="knots"),
    ]
