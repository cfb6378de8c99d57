"""Journal and year stand in the prompt and in every reference."""

from chat.evidence.prompt_text import shown_passages
from chat.models.answers import reference_line
from corpus.models import Document
from tests.chat.evidence.hits import made_up_hit


def test_the_prompt_names_journal_and_year() -> None:
    article = made_up_hit(text="Give 5 mg.", context="Gentamicin", journal="Annals", year=2019)
    assert shown_passages({"k": article}, "<m>").startswith(
        "Passage k, about: <m> Gentamicin | Annals, 2019 <m>\n"
    )


def test_a_reference_names_journal_and_year() -> None:
    article = Document(journal="Annals", year=2019)
    assert reference_line("Drug", "", article, "page 3") == "Drug, Annals, 2019, page 3"
    assert reference_line("Drug", "2", Document(), "page 3") == "Drug, version 2, page 3"
