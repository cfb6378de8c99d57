"""Vectors move out of the chunks into a table of each encoder; what there is moves along.

The encoder that made the vectors is not known to a migration, which must not depend on settings:
its row's fingerprint stays empty, and `corpus.services.encoders.encoders_sync` fills it in.
"""

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The application owns no table, so that it can't index one: this does, and nothing else. While an
# encoder is being built nobody searches its table, and a plain build is the fastest.
FUNCTION = """
CREATE FUNCTION corpus_vectors_index(wanted bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, {schema}, {extension}, pg_temp AS $$
DECLARE
    encoder {schema}.corpus_encoder%ROWTYPE;
BEGIN
    SELECT * INTO STRICT encoder FROM {schema}.corpus_encoder
    WHERE id = wanted AND state <> 'RETIRED';
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON {schema}.%I USING hnsw (embedding %I)'
        ' WITH (m = %s, ef_construction = %s)',
        'corpus_vectors_' || wanted || '_hnsw',
        'corpus_vectors_' || wanted,
        CASE encoder.storage WHEN 'halfvec' THEN 'halfvec_cosine_ops' ELSE 'vector_cosine_ops' END,
        coalesce((encoder.spec ->> 'm')::int, 16),
        coalesce((encoder.spec ->> 'ef_construction')::int, 64));
END
$$;
REVOKE ALL ON FUNCTION corpus_vectors_index(bigint) FROM PUBLIC;
"""
TABLE = """
CREATE TABLE {table} (
    chunk_id bigint PRIMARY KEY REFERENCES corpus_chunk ON DELETE CASCADE,
    embedding {storage}({dimensions}) NOT NULL
)
"""
DIMENSIONS = 384  # of the only encoder that there could be


def make_function(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT current_schema(), current_user")
        schema, owner = cursor.fetchone()
        cursor.execute(
            "SELECT nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
            "WHERE extname = 'vector'"
        )
        extension = editor.quote_name(cursor.fetchone()[0])
        function = FUNCTION.replace("{schema}", editor.quote_name(schema))
        cursor.execute(function.replace("{extension}", extension))
        role = settings.DATABASES["default"].get("USER") or owner
        if role != owner:
            grant = "GRANT EXECUTE ON FUNCTION corpus_vectors_index(bigint) TO "
            cursor.execute(grant + editor.quote_name(role))


def drop_function(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute("DROP FUNCTION corpus_vectors_index(bigint)")


def move_out(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Copy the vectors and index them: minutes for a million."""
    alias = editor.connection.alias
    chunks = apps.get_model("corpus", "Chunk").objects.using(alias).exclude(embedding=None)
    if not chunks.exists():
        return
    encoder = (
        apps.get_model("corpus", "Encoder")
        .objects.using(alias)
        .create(name="minilm", dimensions=DIMENSIONS, state="ACTIVE", position=0, searched_as=0)
    )
    table = f"corpus_vectors_{encoder.pk}"
    with editor.connection.cursor() as cursor:
        cursor.execute(TABLE.format(table=table, storage="vector", dimensions=DIMENSIONS))
        cursor.execute(
            f"INSERT INTO {table} SELECT id, embedding FROM corpus_chunk "
            "WHERE embedding IS NOT NULL ORDER BY id"
        )
        cursor.execute("SELECT corpus_vectors_index(%s)", [encoder.pk])
        cursor.execute(f"ANALYZE {table}")


def move_back(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The vectors of the one encoder that fits into the column."""
    encoders = apps.get_model("corpus", "Encoder").objects.using(editor.connection.alias)
    fitting = encoders.filter(state="ACTIVE", dimensions=DIMENSIONS).order_by("position").first()
    with editor.connection.cursor() as cursor:
        if fitting is not None:
            cursor.execute(
                "UPDATE corpus_chunk c SET embedding = v.embedding::vector "
                f"FROM corpus_vectors_{fitting.pk} v WHERE v.chunk_id = c.id"
            )
        for encoder in encoders.all():
            cursor.execute(f"DROP TABLE IF EXISTS corpus_vectors_{encoder.pk}")


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_job_timings")]
    operations = [
        migrations.CreateModel(
            name="Encoder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=31)),
                ("fingerprint", models.CharField(blank=True, max_length=400)),
                ("spec", models.JSONField(default=dict)),
                ("dimensions", models.PositiveIntegerField()),
                ("storage", models.CharField(choices=[("vector", "32-bit floats"), ("halfvec", "16-bit floats")], default="vector", max_length=10)),
                ("state", models.CharField(choices=[("BUILDING", "Being built"), ("ACTIVE", "Searched"), ("RETIRED", "Retired")], default="BUILDING", max_length=10)),
                ("position", models.PositiveIntegerField(null=True)),
                ("searched_as", models.PositiveIntegerField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("activated_at", models.DateTimeField(null=True)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.AddConstraint(
            model_name="encoder",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "RETIRED"), _negated=True),
                fields=("name", "state"),
                name="encoder_once_in_each_state",
            ),
        ),
        migrations.RunPython(make_function, drop_function),
        migrations.RunPython(move_out, move_back),
        migrations.RemoveIndex(model_name="chunk", name="chunk_embedding"),
        migrations.RemoveField(model_name="chunk", name="embedding"),
    ]
