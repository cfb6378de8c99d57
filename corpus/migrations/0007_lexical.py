"""Passages are cut in the language of their document, and read without detours.

A vector that PostgreSQL keeps in its second table costs more to fetch than to rank, so it stays
in the row.
"""

from django.db import migrations, models

KEEP_IN_ROW = """
ALTER TABLE corpus_chunk ALTER COLUMN search_vector SET STORAGE MAIN;
ALTER TABLE corpus_chunk SET (toast_tuple_target = 4096);
"""
AS_BEFORE = """
ALTER TABLE corpus_chunk ALTER COLUMN search_vector SET STORAGE EXTENDED;
ALTER TABLE corpus_chunk RESET (toast_tuple_target);
"""
# What is indexed by now was cut as English.
COUNT = """
UPDATE corpus_indexstatistics SET configurations =
    CASE WHEN chunks > 0 THEN jsonb_build_object('english', chunks) ELSE '{}' END
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0006_section_summaries")]

    operations = [
        migrations.AddField(
            "document",
            "search_configuration",
            models.CharField(default="english", editable=False, max_length=30),
        ),
        migrations.AddField(
            "indexstatistics", "configurations", models.JSONField(default=dict)
        ),
        migrations.RunSQL(COUNT, migrations.RunSQL.noop),
        migrations.RunSQL(KEEP_IN_ROW, AS_BEFORE),
    ]
