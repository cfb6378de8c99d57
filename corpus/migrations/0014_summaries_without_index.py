"""Drop the indexes over summaries: they are compared one and all, and were few anywhere."""

from django.db import migrations

_DROP = r"""
DO $$
DECLARE name text;
BEGIN
    FOR name IN SELECT indexname FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename = 'corpus_summaryvector'
              AND indexname LIKE '%\_hnsw'
    LOOP
        EXECUTE format('DROP INDEX %I', name);
    END LOOP;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0013_statements")]

    operations = [migrations.RunSQL(_DROP, migrations.RunSQL.noop)]
