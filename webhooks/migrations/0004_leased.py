"""Lease deliveries by a token. The new columns are empty, so that no row is rewritten."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0003_retracted")]
    operations = [
        migrations.AddField(
            model_name="delivery",
            name="lease_token",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="delivery",
            name="lease_until",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
