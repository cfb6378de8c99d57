"""Test that a refusal shows statements of the nearest passages, and none of distant ones."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat.ask import turn_ask
from chat.models import Channel, Turn, TurnStatus
from chat.types import AskedQuestion
from tests.corpora import publish

pytestmark = pytest.mark.django_db
GUIDE = """# Zelomycin in pneumonia
## Dose
Give zelomycin 200 mg twice a day to adults with pneumonia.
Do not give zelomycin in:
- porphyria or
- myasthenia.
"""


def refused(question: str, user: User | None = None) -> Turn:
    turn = turn_ask(
        AskedQuestion(question, user=user, channel=Channel.PAGE if user else Channel.COMMAND)
    )
    assert turn.status == TurnStatus.ABSTAINED, [claim.text for claim in turn.claims.all()]
    return turn


@pytest.fixture(autouse=True)
def guide(settings: LazySettings) -> None:
    publish(GUIDE, population="adult")


def test_the_statement_read_best_leads_and_is_marked(alice: User, client: Client) -> None:
    publish(
        "# Fridges\n## Keys\nIssued by the pharmacy of the hospital in 2020.\n\n" + "Lorem. " * 40
        + "\n\nThe nurse in charge keeps the key of the fridge.\n"
    )  # fmt: skip
    turn = refused("Who is paid for cleaning the fridge of zelomycin in July?", alice)
    passage = next(near for near in turn.nearest if near["document"] == "Fridges")
    assert passage["best"] == 0
    assert passage["excerpt"][0] == "The nurse in charge keeps the key of the fridge."
    client.force_login(alice)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert "<mark>zelomycin</mark>" in page
    assert page.count("excerpt best") == sum(near["best"] is not None for near in turn.nearest)
    assert "Read as nearest: </span>The nurse in charge" in page.replace("<mark>", "").replace(
        "</mark>", ""
    )


def test_the_row_read_best_is_marked_in_its_place() -> None:
    publish(
        "# Tetanus\n## Prevention\n: Table 1. Yotacillin by ward\n| Ward | Fridge | Nurse |\n"
        "| Children | North | Ann |\n| Surgery | South | Bob |\n| Maternity | West | Cyd |"
    )
    turn = refused("Who paid in July for cleaning the yotacillin fridge of the maternity ward?")
    passage = next(near for near in turn.nearest if near["document"] == "Tetanus")
    assert [text.split("; Nurse: ")[1] for text in passage["excerpt"]] == ["Ann", "Bob", "Cyd"]
    assert passage["best"] == 2


def test_nonsense_gets_no_passage() -> None:
    assert refused("thanks, bye").nearest == []


def test_rows_are_read_under_the_caption_that_names_the_medicine() -> None:
    publish(
        "# Tetanus\n## Prevention\n: Table 1. Yotacillin by age\n| Age | Dose | Fridge |\n"
        "| 1 to 5 years | 150 mg | Yes |\n| Over 5 years | 300 mg | Yes |"
    )
    turn = refused("Which nurse signs for yotacillin on ward seven at night?")
    texts = next(near["excerpt"] for near in turn.nearest if near["document"] == "Tetanus")
    assert [text.startswith("Table 1. Yotacillin by age: Age:") for text in texts] == [True, False]


def test_a_small_table_is_shown_whole() -> None:
    publish(
        "# Tetanus\n## Prevention\n: Table 1. Yotacillin by age\n| Age | Dose | Fridge |\n"
        "| Over 12 years | 500 mg | Yes |\n| 6 to 12 years | 300 mg | Yes |\n"
        "| 6 months to 6 years | 150 mg | Yes |\n| Under 6 months | 100 mg | Yes |"
    )
    turn = refused("Which nurse keeps yotacillin for tetanus in a fridge at night?")
    texts = next(near["excerpt"] for near in turn.nearest if near["document"] == "Tetanus")
    assert [text.split("; Dose: ")[1][:3] for text in texts] == ["500", "300", "150", "100"]
