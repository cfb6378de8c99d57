"""The first lexicon, and a trigger that gives it a new version with every statement that writes it.

By trigger, so that no way of writing goes past it; by random value, so that what a rolled back
transaction had is never met again.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from retrieval.migrations import _earlier_lexicon

TRIGGER = """
CREATE FUNCTION retrieval_lexicon_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE retrieval_lexiconversion SET version = gen_random_uuid() WHERE id = 1;
    RETURN NULL;
END
$$;
CREATE TRIGGER retrieval_lexicon_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON retrieval_lexiconentry
    FOR EACH STATEMENT EXECUTE FUNCTION retrieval_lexicon_changed();
"""
DROP = """
DROP TRIGGER retrieval_lexicon_changed ON retrieval_lexiconentry;
DROP FUNCTION retrieval_lexicon_changed();
"""


def seed(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Beside what is there already: going back leaves the entries, with all that staff changed."""
    alias = schema_editor.connection.alias
    apps.get_model("retrieval", "LexiconVersion").objects.using(alias).get_or_create(pk=1)
    entries = apps.get_model("retrieval", "LexiconEntry").objects.using(alias)
    _earlier_lexicon.seed(entries, 2)


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_initial")]
    operations = [
        migrations.RunPython(seed, migrations.RunPython.noop),
        migrations.RunSQL(TRIGGER, DROP),
    ]
