"""Store the grade of each doubt, and which pages somebody has looked at."""

from django.db import migrations, models

GRADES = {
    "structure": (
        *("column_order_unsure", "page_join_guessed", "sentence_without_start"),
        *("sentence_without_end", "heading_by_size", "title_guessed", "words_not_found"),
        *("table_by_alignment", "text_in_columns", "table_row_over_break", "table_note_missing"),
        *("too_many_rules", "flow_chart", "figure_words_kept", "ocr_picture_read"),
        *("ocr_text_replaced", "markup_left_out"),
    ),
    "note": (
        *("figure_words_left_out", "table_is_picture", "flow_chart_box", "word_parted"),
        *("text_turned", "text_aslant", "text_unseen", "ocr_page_turned", "ocr_lines_sideways"),
        *("ocr_picture_labels", "ocr_picture_turned", "ocr_under_stamp"),
    ),
}
ENDED_OR_IN_FORCE = ("PUBLISHED", "SUPERSEDED", "WITHDRAWN")


def grade(apps, schema_editor):
    """Grade stored doubts by their codes; what was published had its values looked at."""
    pages = apps.get_model("corpus", "Page").objects.using(schema_editor.connection.alias)
    pages.filter(document__lifecycle__in=ENDED_OR_IN_FORCE).exclude(doubts=[]).update(looked=True)
    for page in pages.exclude(doubts=[]).only("doubts", "as_read").iterator(500):
        page.doubts = _graded(page.doubts)
        if page.as_read:
            page.as_read = {**page.as_read, "doubts": _graded(page.as_read.get("doubts", []))}
        page.save(update_fields=["doubts", "as_read"])


def _graded(doubts):
    lower = {code: grade for grade, codes in GRADES.items() for code in codes}
    return [{**doubt, "grade": lower.get(doubt["code"], "value")} for doubt in doubts]


class Migration(migrations.Migration):
    dependencies = [("corpus", "0031_short_forms")]

    operations = [
        migrations.AddField("page", "looked", models.BooleanField(default=False)),
        migrations.AddField(
            "document", "despite_doubts", models.BooleanField(default=False, editable=False)
        ),
        migrations.RemoveField("document", "only_without_doubts"),
        migrations.RunPython(grade, migrations.RunPython.noop),
    ]
