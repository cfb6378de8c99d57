"""Do nothing: the tables of django-q2, which 0.13.0 dropped here, are in use again."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0015_statement_vectors"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = []
