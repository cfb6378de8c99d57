"""Hide the lease of a job from forms, as that of every leased row. Changes no table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0019_to_be_superseded")]
    operations = [
        migrations.AlterField(
            model_name="job",
            name="lease_token",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AlterField(
            model_name="job",
            name="lease_until",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
