"""Test that the statements of passages are stored and read back unchanged."""

import pytest
from django.contrib.auth.models import User

from chat.evidence.quotable import quotable_units
from corpus.indexing.recipe import site_recipe
from corpus.models import Document, PassageStatement
from corpus.services.documents import document_reindex
from corpus.services.indexing import document_index
from corpus.statements import STATEMENTS_VERSION, PageView, statements_of
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish
from tests.corpus.documents import guideline, ingest, said_of

pytestmark = pytest.mark.django_db

TABLE = """# Gentamicin
## Dose
: Doses by kidney function
| Creatinine clearance (mL/min) | Dose |
| 30 to 59 | 3 mg/kg |
| 60 or more | 5 mg/kg |
^ Not in pregnancy.
Do not give it if:
- the patient is deaf
- the patient is pregnant
"""


def indexed(text: str) -> Document:
    document = ingest(text)
    document_index(document.pk)
    document.refresh_from_db()
    return document


def test_every_statement_is_kept_with_its_passage_and_quotes_its_page() -> None:
    document = indexed(guideline(sections=3))
    page = document.pages.get()
    assert document.statements_version == STATEMENTS_VERSION
    for chunk in document.chunks.all():
        said = said_of(chunk)
        assert [row[0] for row in said] == list(range(len(said)))
        assert said
        for one in chunk.statements.all():
            for number, start, end, text in one.pieces:
                assert (number, page.text[start:end]) == (1, text)


def test_to_index_anew_makes_the_same_again_and_leaves_none_behind() -> None:
    document = indexed(guideline(sections=3))
    before = [said_of(chunk) for chunk in document.chunks.order_by("index")]
    document_reindex(document, by=User.objects.create(username="staff"))
    document_index(document.pk)
    assert [said_of(chunk) for chunk in document.chunks.order_by("index")] == before
    assert PassageStatement.objects.count() == sum(map(len, before)) > 0


def test_a_passage_takes_its_statements_with_it() -> None:
    document = publish(TABLE)
    assert PassageStatement.objects.exists()
    document.chunks.all().delete()
    assert not PassageStatement.objects.exists()


@pytest.mark.parametrize("version", ["", "statements-0"])
@pytest.mark.parametrize("question", ["gentamicin dose", "gentamicin, clearance 45 mL/min"])
def test_a_document_cut_by_other_rules_is_read_by_those_of_today(
    question: str, version: str
) -> None:
    document = publish(TABLE)
    kept = quotable_units(hits_for(question), question)
    Document.objects.filter(pk=document.pk).update(statements_version=version)
    PassageStatement.objects.update(text="Of older rules.")
    assert quotable_units(hits_for(question), question) == kept != []


def test_rules_of_statements_are_part_of_what_decides_the_passages() -> None:
    from corpus.encoders.registry import encoder_facts

    assert STATEMENTS_VERSION in site_recipe(encoder_facts())


def test_rows_of_a_long_table_are_told_by_their_place_in_all_of_it() -> None:
    rows = "".join(f"| {low} to {low + 9} | {low} mg/kg |\n" for low in range(10, 610, 10))
    publish(f"# Gentamicin\n## Dose\n| Creatinine clearance (mL/min) | Dose |\n{rows}")
    question = "gentamicin dose, creatinine clearance 455 mL/min"
    units = quotable_units(hits_for(question), question)
    assert [unit.quotes[0].text for unit in units if unit.is_row] == ["450 to 459 | 450 mg/kg"]


def test_passages_that_share_a_sentence_both_have_it() -> None:
    text = "One. Two."
    blocks = [{"kind": "paragraph", "start": 0, "end": len(text), "level": 0, "table": None}]
    both = statements_of([((), [(1, 0, 9)]), ((), [(1, 0, 9)])], {1: PageView(text, blocks)})
    assert both[0] == both[1]
    assert [one.text for one in both[0]] == ["One. Two."]


def test_lower_doses_stay_with_those_that_they_are_lower_than() -> None:
    first = "The recommended dose of demonstramine is 1 mg/kg by slow injection " + "again " * 30
    document = indexed(
        f"# Sedation\n\n{first.strip()}. Short procedures can be done with lower doses such as"
        " 0.6 mg/kg. They may be repeated."
    )
    texts = [str(row[2]) for chunk in document.chunks.all() for row in said_of(chunk)]
    assert len([text for text in texts if "lower doses" in text]) == 1
    assert all("recommended dose" in text for text in texts if "lower doses" in text)


@pytest.mark.parametrize("gone", ["[…]\u0336", "9\u03360\u0336"])
def test_a_line_with_a_sign_unread_or_a_value_struck_is_no_statement(gone: str) -> None:
    document = indexed(f"# Zinc\n\nGive {gone} mg in children.\n\nGive 5 mg in adults.")
    texts = [str(row[2]) for chunk in document.chunks.all() for row in said_of(chunk)]
    assert texts == ["Give 5 mg in adults."]


def test_no_statement_has_a_piece_without_text() -> None:
    """As the label of a row would be that no cell above has."""
    document = publish(
        "# Gentamicin\n## Dose\n: Doses\n| Group | Age | Dose |\n|  | 1 year | 5 mg |\n"
        "|  | 2 years | 6 mg |\n| Adults | 18 years | 7 mg |\n|  | 19 years | 8 mg |\n"
    )
    kept = PassageStatement.objects.filter(chunk__document=document)
    assert all(piece[3].strip() for one in kept for piece in one.pieces)
    assert kept.filter(text__contains="8 mg").exists()
