"""Add watched sources and what stood in them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0029_page_figures")]

    operations = [
        migrations.CreateModel(
            "Source",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("lease_token", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("name", models.CharField(max_length=31, unique=True)),
                ("collection", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="corpus.collection")),
                ("looked_at", models.DateTimeField(null=True, verbose_name="last look")),
                ("fault", models.TextField(blank=True)),
                ("is_wanted", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "watched source",
                "ordering": ["name"],
                "default_permissions": ("view",),
            },
        ),
        migrations.CreateModel(
            "SourceFile",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("source", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="files", to="corpus.source")),
                ("ref", models.CharField(max_length=500)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("stamp", models.CharField(blank=True, max_length=50)),
                ("documents", models.ManyToManyField(related_name="source_files", to="corpus.document")),
                ("seen_at", models.DateTimeField(null=True)),
                ("gone_at", models.DateTimeField(null=True)),
                ("fault", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["source", "ref"],
                "default_permissions": (),
                "constraints": [models.UniqueConstraint(fields=("source", "ref"), name="source_file_once")],
            },
        ),
    ]
