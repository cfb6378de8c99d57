"""Give auditors a right to export answers."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("chat", "0023_recalls_seen")]
    operations = [
        migrations.AlterModelOptions(
            name="turn",
            options={
                "ordering": ["created_at", "pk"],
                "permissions": [
                    ("replay_turn", "Can run a turn again and compare"),
                    ("export_turn", "Can export answers"),
                ],
                "verbose_name": "answer",
            },
        ),
    ]
