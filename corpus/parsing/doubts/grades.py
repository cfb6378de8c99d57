"""Grade doubts by what can go wrong for a reader of the text, not by how the page looks. Pure.

A **value** in doubt is a number, unit, sign or negation that may be wrong or missing, or that may
stand under another row or column: it stops publication, and is not quoted, until somebody has
looked at the page. Of **structure** the order or grouping may be wrong: it is counted and shown. A
**note** says what was left out on purpose, or what only looks odd.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.language.configurations import ENGLISH, NEGATIONS
from core.language.en.negation import NEGATION
from core.language.en.quantities.units import LABEL_UNIT
from corpus.types import Grade as Grade

# Of what was not read, and may change what was; of a file that may not be in force.
NOT_READ = (
    *("page_unreadable", "part_unread", "annotation_unread", "comment_left_out"),
    *("hidden_left_out", "standing_unsure", "erratum", "expression_of_concern"),
)
_CODES = {
    Grade.VALUE: (
        # signs, numbers and words of a line
        *("sign_misread", "sign_misnamed", "sign_unreadable", "symbols_left_out", "raised_unsure"),
        *("number_broken", "power_unsure", "number_format", "date_unsure", "formula"),
        *("overprinted_words", "words_struck", "struck_out", "text_cut", "template_left_out"),
        *("text_partly_unseen", "text_illegible", "text_partly_illegible", "values_not_found"),
        # rows and columns of a table
        *(
            "values_in_one_cell",
            "table_rows_unsure",
            "table_groups_guessed",
            "table_labels_taken_over",
        ),
        *("table_groups_over_break", "box_over_sheet", "page_order_lost"),
        # pages read by OCR
        *("ocr_low_confidence", "ocr_line_unsure", "ocr_lines_unclear", "ocr_page_shrunk"),
        *NOT_READ,
        "correction_unfit",
    ),
    Grade.STRUCTURE: (
        *("column_order_unsure", "page_join_guessed", "sentence_without_start"),
        *("sentence_without_end", "heading_by_size", "title_guessed", "words_not_found"),
        *("table_by_alignment", "text_in_columns", "table_row_over_break", "table_note_missing"),
        *("too_many_rules", "flow_chart", "figure_words_kept", "ocr_picture_read"),
        *("ocr_text_replaced", "markup_left_out"),
    ),
    Grade.NOTE: (
        *("figure_words_left_out", "table_is_picture", "flow_chart_box", "word_parted"),
        *("text_turned", "text_aslant", "text_unseen", "ocr_page_turned", "ocr_lines_sideways"),
        *("ocr_picture_labels", "ocr_picture_turned", "ocr_under_stamp"),
        "signs_mended",
    ),
}
GRADES = {code: grade for grade, codes in _CODES.items() for code in codes}
# The grade where the words in doubt hold nothing that could be a wrong value.
WITHOUT_VALUE = {
    **dict.fromkeys(("sign_unreadable", "sign_misnamed", "symbols_left_out"), Grade.NOTE),
    **dict.fromkeys(("overprinted_words", "table_labels_taken_over"), Grade.STRUCTURE),
    **dict.fromkeys(("table_groups_guessed", "table_groups_over_break"), Grade.STRUCTURE),
    "table_rows_unsure": Grade.STRUCTURE,
}
_BOUND = re.compile(r"[<>≤≥±%‰]")
_OFTEN = re.compile(r"\b(?:once|twice|thrice|half|double)\b", re.IGNORECASE)  # numbers in words
_DENIALS = frozenset(
    word for name, words in NEGATIONS.items() if name != ENGLISH for word in words.split()
)  # NEGATION has the English ones
_WORD = re.compile(r"[^\W\d_]+")


def grade_of(code: str) -> Grade:
    """Return the grade of a doubt's code; a value for one that is not known."""
    return GRADES.get(code, Grade.VALUE)


def grade_where(code: str, words: str) -> Grade:
    """Return the grade of a doubt about these words; lower for some if they hold no value."""
    is_empty = bool(words.strip()) and not holds_value(words)
    return WITHOUT_VALUE.get(code, grade_of(code)) if is_empty else grade_of(code)


def holds_value(text: str) -> bool:
    """Tell whether a text has a number, a unit, a bound or a negation."""
    return is_measure(text) or any(True for _ in denials(text))


def is_measure(text: str) -> bool:
    """Tell whether a text has a number, a unit or a bound."""
    return any(sign.isnumeric() for sign in text) or any(
        pattern.search(text) for pattern in (_BOUND, _OFTEN, LABEL_UNIT)
    )


def denials(text: str) -> Iterator[str]:
    """Yield the words that may negate, in any language, in small letters."""
    yield from (match[0].lower() for match in NEGATION.finditer(text))
    yield from (word for word in _WORD.findall(text.lower()) if word in _DENIALS)
